"""Comparisons: paired on common items, sure of what they say, and right where strata have unlike sizes."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest

from stages.evaluation.defining.measures import Linear, Reported
from stages.evaluation.scoring import comparison
from stages.evaluation.scoring.comparison import Difference, adjusted, contributions, noise
from stages.evaluation.scoring.draws import shared_weights
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.detectable import smallest_detectable_difference

NAN = np.nan
STRATA = np.array([0, 0, 0, 0, 1, 1])
OVERALL, ONE, TWO = np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([0.0, 1.0])
REPORTED: Reported = {"overall": Linear(OVERALL), "one": Linear(ONE), "two": Linear(TWO)}
"""Two strata with a column each, of unlike sizes: the overall value counts both columns the same."""
FIRST = np.array([[2, NAN], [4, NAN], [6, NAN], [4, NAN], [NAN, 1], [NAN, 3]])
SECOND = np.array([[3, NAN], [6, NAN], [6, NAN], [5, NAN], [NAN, 3], [NAN, 7]])


def differences(
    first: np.ndarray, second: np.ndarray, strata: np.ndarray, weights: np.ndarray, reported: Reported, seed: int
) -> list[Difference]:
    """Differences of scores of which nothing is open."""
    return comparison.differences(Bounds(first, first), Bounds(second, second), strata, weights, reported, seed)


def compared(first: np.ndarray = FIRST, second: np.ndarray = SECOND) -> dict[str, Difference]:
    strata = STRATA if len(first) == len(STRATA) else np.arange(len(first)) % 2
    found = differences(first, second, strata, shared_weights(strata, 0), REPORTED, 0)
    return {one.name: one for one in found}


def test_differences_by_hand() -> None:
    # Columns: means 4 and 2 against 5 and 5. Overall 3 against 5.
    found = compared()
    assert [(one.name, one.first, one.second, one.difference, one.n) for one in found.values()] == [
        ("overall", 3, 5, 2, 6),
        ("one", 4, 5, 1, 4),
        ("two", 2, 5, 3, 2),
    ]


def test_items_contribute_what_their_column_weighs() -> None:
    # Of the four in column one each counts 0.5 / 4 = 1/8, of the two in column two each 0.5 / 2 = 1/4.
    assert contributions(FIRST, OVERALL).tolist() == [2 / 8, 4 / 8, 6 / 8, 4 / 8, 1 / 4, 3 / 4]
    added = contributions(FIRST, TWO)
    assert np.isnan(added[:4]).all() and added[4:].tolist() == [0.5, 1.5]


def test_p_by_hand() -> None:
    # Overall the items add 1/8 2/8 0 1/8 and 2/4 4/4, together 2: in quarters 0.5 1 0 0.5 2 4. Of 64 sign vectors those
    # with all of one sign are as far from 0, and the item with 0 may have either: 2 * 2 / 64.
    assert compared()["overall"].p == 4 / 64
    assert compared()["one"].p == 4 / 16  # 1 2 0 1
    assert compared()["two"].p == 2 / 4  # 2 4


def test_sizes_of_strata_matter_to_p() -> None:
    # Column one has 10 items that gain 1, column two 2 items that lose 4 (of 0.5 a column): -0.5 * 4 + 0.5 * 1 = -1.5.
    # Taken as equal items the twelve would add 10 - 8 = +2: another sign altogether.
    strata = np.array([0] * 10 + [1] * 2)
    first, second = np.full((12, 2), NAN), np.full((12, 2), NAN)
    first[:10, 0], second[:10, 0], first[10:, 1], second[10:, 1] = 5, 6, 5, 1
    [overall] = differences(first, second, strata, shared_weights(strata, 0), {"overall": Linear(OVERALL)}, 0)
    # Contributions: 10 of 0.05, 2 of -1. With both -1 of one sign every sum is as far from 0, 2 - 0.5 at least; with
    # unlike signs none is, 0.5 at most. Half of all sign vectors have both of one sign.
    assert overall.difference == -1.5 and overall.p == 0.5


def test_only_what_both_have_counts() -> None:
    second = SECOND.copy()
    second[1, 0] = NAN  # left in column one: 2 6 4 against 3 6 5
    found = compared(second=second)
    assert (found["one"].first, found["one"].n) == (4, 3)
    assert found["one"].difference == pytest.approx(2 / 3, abs=1e-6)
    assert found["overall"].n == 5


def test_a_value_that_lacks_a_column_is_left_out() -> None:
    second = SECOND.copy()
    second[:, 1] = NAN
    assert list(compared(second=second)) == ["one"]


def test_an_item_alone_has_neither_interval_nor_power() -> None:
    second = SECOND.copy()
    second[5, 1] = NAN
    found = compared(second=second)
    assert (found["two"].low, found["two"].high, found["two"].detectable) == (None, None, None)
    assert found["overall"].low is None and found["one"].low is not None


def test_a_contestant_does_not_differ_from_itself() -> None:
    one = compared(second=FIRST)["overall"]
    assert (one.difference, one.low, one.high, one.p, one.detectable) == (0, 0, 0, 1, 0)


def test_the_interval_is_of_paired_differences() -> None:
    # Scores vary by 3 points from item to item, differences by 0.1: the interval is that of the differences,
    # about 1 -+ 2 * 0.1 / sqrt(50), far within the +-1.2 that unpaired means would have.
    chance = np.random.default_rng(1)
    first = np.full((100, 2), NAN)
    strata = np.arange(100) % 2
    first[np.arange(100), strata] = chance.normal(5, 3, 100)
    second = first + 1 + chance.normal(0, 0.1, 100)[:, None]
    one = compared(first, second)["one"]
    assert one.low is not None and one.high is not None and one.detectable is not None
    assert 0.94 < one.low < 1 < one.high < 1.06
    assert one.p == 1 / 10_001
    # 2.8 standard errors of 0.1 / sqrt(50) = 0.0141.
    assert one.detectable == pytest.approx(2.8 * 0.0141, rel=0.25)


def test_the_interval_depends_on_the_strata() -> None:
    # Two columns of 6 and 54 items that differ by -1 to 1, or -3 to 3: equal variances have some 16 degrees of freedom.
    # Were all one stratum, only the five of the column with the fewest items.
    strata = np.repeat([0, 1], [6, 54])
    first = np.full((60, 2), NAN)
    first[np.arange(60), strata] = 5
    second = first + np.where(strata, 3, 1)[:, None] * np.random.default_rng(0).uniform(-1, 1, (60, 1))
    weights, reported = shared_weights(strata, 0), {"overall": Linear(OVERALL)}
    [apart] = differences(first, second, strata, weights, reported, 0)
    [alike] = differences(first, second, strata * 0, weights, reported, 0)
    assert apart.low is not None and alike.low is not None
    assert apart.difference == alike.difference and apart.low > alike.low + 0.01


def test_what_sets_strata_apart_is_no_noise() -> None:
    # Contributions of two strata, 1/8 2/8 0 1/8 and 2/4 4/4. Their sum has the variance 4 s1^2 + 2 s2^2: in the first
    # deviations 0 1 -1 0 eighths, s1^2 = 2/3 / 64; in the second -1 1 quarters, s2^2 = 2 / 16. Detectable:
    # (1.95996 + 0.84162) * sqrt(4 * 2 / 192 + 2 * 2 / 16) = 2.80158 * 0.54006.
    added = contributions(SECOND, OVERALL) - contributions(FIRST, OVERALL)
    assert smallest_detectable_difference(noise(added, STRATA)) == pytest.approx(2.80158 * sqrt(7 / 24), rel=1e-4)
    shifted = added + np.where(STRATA == 1, 100, 0)
    assert noise(shifted, STRATA) == pytest.approx(noise(added, STRATA))


def test_p_values_are_adjusted_for_all_that_are_shown() -> None:
    # 1/16 1/4 1/2, ascending: times 3, 2, 1: 3/16 1/2 1/2.
    found = adjusted(list(compared().values()))
    assert [(one.p, one.p_adjusted) for one in found] == [(1 / 16, 3 / 16), (1 / 4, 1 / 2), (1 / 2, 1 / 2)]
    assert adjusted([]) == []
