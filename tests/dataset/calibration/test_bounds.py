"""Exact bounds of shares and of what they are joined to, by hand, against scipy, and as they have to behave."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from stages.dataset.calibration.operating_points import Counted, Floats, greatest_share, least_share, share_of


def array(*values: float) -> Floats:
    """An array of shape (strata, 1)."""
    return np.array(values, dtype=np.float64)[:, None]


def counted(*cells: tuple[float, float, float, float]) -> Counted:
    return Counted(*(array(*column) for column in zip(*cells, strict=True)))


def test_bounds_by_hand() -> None:
    # None of 25: a share p lets that happen with (1 - p)^25, which is .0125 at 1 - .0125^(1/25).
    assert greatest_share(array(0), array(25), 0.0125)[0, 0] == pytest.approx(1 - 0.0125 ** (1 / 25))
    assert least_share(array(25), array(25), 0.0125)[0, 0] == pytest.approx(0.0125 ** (1 / 25))
    assert (least_share(array(0), array(25)), greatest_share(array(25), array(25))) == (0, 1)
    assert (least_share(array(0), array(0)), greatest_share(array(0), array(0))) == (0, 1), "of none nothing is known"


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))), st.floats(0.001, 0.4))
def test_bounds_are_those_of_scipy(found: tuple[int, int], tail: float) -> None:
    k, n = found
    exact = binomtest(k, n).proportion_ci(1 - 2 * tail, "exact")
    low, high = least_share(array(k), array(n), tail)[0, 0], greatest_share(array(k), array(n), tail)[0, 0]
    assert (low, high) == pytest.approx((exact.low, exact.high))
    assert 0 <= low <= k / n <= high <= 1


def test_cells_are_joined_by_hand() -> None:
    # Of 1,000 rows below, 25 labels, all positive; of 9,000 above, 25 labels, none. Each bound fails with .025 / 2.
    right, missing = counted((25, 0, 25, 1000), (0, 0, 0, 0)), counted((0, 0, 0, 0), (0, 0, 25, 9000))
    low, high = share_of(right, missing, np.array(2.0))
    sure, most = 1000 * 0.0125 ** (1 / 25), 9000 * (1 - 0.0125 ** (1 / 25))
    assert low[0] == pytest.approx(sure / (sure + most)) and high[0] == 1


def test_a_cell_without_labels_can_be_anything() -> None:
    right, missing = counted((25, 0, 25, 1000), (0, 0, 0, 0)), counted((0, 0, 0, 0), (0, 0, 0, 9000))
    low, high = share_of(right, missing, np.array(2.0))
    sure = 1000 * 0.0125 ** (1 / 25)
    assert low[0] == pytest.approx(sure / (sure + 9000)) and high[0] == 1
    nothing = counted((0, 0, 0, 0), (0, 0, 0, 0))
    assert share_of(nothing, nothing, np.array(0.0)) == (0, 1)


def test_of_one_stratum_the_share_is_one_of_a_sample() -> None:
    # 3 of 4 positives were found, whatever else there is: Clopper and Pearson's interval of 3 of 4.
    exact = binomtest(3, 4).proportion_ci(0.95, "exact")
    low, high = share_of(counted((3, 0, 10, 1)), counted((1, 0, 90, 1)), np.array(2.0))
    assert (low[0], high[0]) == pytest.approx((exact.low, exact.high))


def test_what_is_disputed_is_wrong_in_the_lower_bound_and_right_in_the_upper() -> None:
    # 3 found and 1 disputed among them, 1 missed and 1 disputed there. Lower: the first is no positive, the second is
    # one: 3 of 5. Upper: the first is one, the second is not: 4 of 5.
    low, high = share_of(counted((3, 1, 10, 1)), counted((1, 1, 90, 1)), np.array(2.0))
    assert low[0] == pytest.approx(binomtest(3, 5).proportion_ci(0.95, "exact").low)
    assert high[0] == pytest.approx(binomtest(4, 5).proportion_ci(0.95, "exact").high)


cells = st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9), st.integers(1, 99)).map(
    lambda cell: (cell[0], cell[1], sum(cell[:3]), cell[3])
)


@given(st.integers(1, 3).flatmap(lambda n: st.tuples(*[st.lists(cells, min_size=n, max_size=n)] * 2)))
def test_more_rightly_found_never_lowers_a_bound(both: tuple[list[tuple[int, ...]], list[tuple[int, ...]]]) -> None:
    part, rest = (counted(*cells) for cells in both)  # type: ignore[arg-type]
    bounds = share_of(part, rest, np.array(4.0))
    assert 0 <= bounds[0][0] <= bounds[1][0] <= 1
    more = Counted(part.sure + array(*[1] * len(both[0])), part.open, part.of + 1, part.rows)
    settled = Counted(part.sure + part.open, 0 * part.open, part.of, part.rows)
    for better in (more, settled):
        found = share_of(better, rest, np.array(4.0))
        assert all(new[0] >= old[0] - 1e-12 for new, old in zip(found, bounds, strict=True))
