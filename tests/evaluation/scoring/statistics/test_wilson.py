"""Wilson's interval of a share, by hand, by its definition and against scipy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import binomtest

from gamut.evaluation.scoring.statistics.coefficients import effective_answers, wilson_interval

Z = 1.959964


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 5_000))
    return draw(st.integers(0, n)), n


def test_eight_of_ten() -> None:
    # z^2 = 3.841459. Centre (0.8 + 3.841459 / 20) / 1.3841459 = 0.992073 / 1.3841459 = 0.716740;
    # half 1.959964 / 1.3841459 x sqrt(0.16 / 10 + 3.841459 / 400) = 1.416010 x 0.160012 = 0.226578.
    assert wilson_interval(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)


@given(shares())
def test_it_is_scipys(share: tuple[int, int]) -> None:
    theirs = binomtest(*share).proportion_ci(0.95, "wilson")
    assert wilson_interval(*share) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(shares())
def test_it_holds_the_share_and_failures_mirror_it(share: tuple[int, int]) -> None:
    successes, n = share
    low, high = wilson_interval(successes, n)
    assert 0 <= low <= successes / n <= high <= 1 and low < high
    assert wilson_interval(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_answers_with_items_of_their_own_all_count() -> None:
    assert effective_answers(np.array([1.0, 0, 1]), np.ones(3)) == 3
    assert effective_answers(np.ones(1), np.ones(1)) == 1


def test_answers_to_one_item_that_say_the_same_count_once() -> None:
    """Four items with three answers each, alike in two: a share of 1/2 varies by 4 (3/2)² / 12² = 1/16, as of four
    independent answers, 1/4 / 4; Student's t has 11 degrees of freedom of twelve answers, and 3 of four items.
    """
    alike = effective_answers(np.array([3.0, 3, 0, 0]), np.full(4, 3.0))
    assert alike == pytest.approx(4 * (2.200985 / 3.182446) ** 2)
    assert effective_answers(np.full(4, 3.0), np.full(4, 3.0)) == 4  # all successes
    assert effective_answers(np.array([2.0, 4]), np.array([2.0, 4])) == pytest.approx(36 / 20)
    assert effective_answers(np.array([2.0]), np.array([3.0])) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=2, max_size=40))
def test_no_more_count_than_there_are(given: list[tuple[int, int]]) -> None:
    n = np.array([float(n) for _, n in given])
    successes = np.minimum(n, [float(one) for one, _ in given])
    effective = effective_answers(successes, n)
    assert effective is not None and 0 < effective <= n.sum()
    low, high = wilson_interval(successes.sum() / n.sum() * effective, effective)
    assert low <= successes.sum() / n.sum() + 1e-12 and successes.sum() / n.sum() - 1e-12 <= high
