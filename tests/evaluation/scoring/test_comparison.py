"""Comparisons: paired on common items, sure of what they say, and right where strata have unlike sizes."""

from __future__ import annotations

from math import inf, sqrt

import numpy as np
import pytest

from gamut.evaluation.defining.measures import Linear, ReportedValues, Scale
from gamut.evaluation.scoring import comparison
from gamut.evaluation.scoring.comparison import Difference, adjust_together
from gamut.evaluation.scoring.scores import Bounds

NAN = np.nan
STRATA = np.array([0, 0, 0, 0, 1, 1])
OVERALL, ONE, TWO = np.array([0.5, 0.5]), np.array([1.0, 0.0]), np.array([0.0, 1.0])
REPORTED: ReportedValues = {"overall": Linear(OVERALL), "one": Linear(ONE), "two": Linear(TWO)}
"""Two strata with a column each, of unlike sizes: the overall value counts both columns the same."""
FIRST = np.array([[2, NAN], [4, NAN], [6, NAN], [4, NAN], [NAN, 1], [NAN, 3]])
SECOND = np.array([[3, NAN], [6, NAN], [6, NAN], [5, NAN], [NAN, 3], [NAN, 7]])


def differences(
    first: np.ndarray, second: np.ndarray, strata: np.ndarray, reported: ReportedValues = REPORTED
) -> list[Difference]:
    """Differences of scores of which nothing is open, 0..10 each."""
    scales = dict.fromkeys(reported, Scale(0, 10))
    return comparison.differences(Bounds(first, first), Bounds(second, second), strata, reported, scales)


def compared(first: np.ndarray = FIRST, second: np.ndarray = SECOND) -> dict[str, Difference]:
    strata = STRATA if len(first) == len(STRATA) else np.arange(len(first)) % 2
    return {one.name: one for one in differences(first, second, strata)}


def test_differences_by_hand() -> None:
    # Columns: means 4 and 2 against 5 and 5. Overall 3 against 5.
    found = compared()
    assert [(one.name, one.first, one.second, one.difference, one.n) for one in found.values()] == [
        ("overall", 3, 5, 2, 6),
        ("one", 4, 5, 1, 4),
        ("two", 2, 5, 3, 2),
    ]


def test_what_items_add_makes_up_the_difference() -> None:
    # Column one: 1 2 0 1 over 4 items, column two: 2 4 over 2; both count half of the overall value.
    found = compared()
    assert found["one"].added.tolist() == [0.25, 0.5, 0, 0.25, 0, 0]
    assert found["overall"].added.tolist() == [0.125, 0.25, 0, 0.125, 0.5, 1]


def test_p_by_hand() -> None:
    # Column one: differences 1 2 0 1 around 1, variance 2 / 3, of the mean 1 / 6; t = √6 of 3 degrees: 0.0917.
    # Column two: 2 4 around 3, variance 2, of the mean 1: t = 3 of one degree: 0.2048.
    # Both count half: 2 over √((1 / 6 + 1) / 4) = 3.7033, degrees (7 / 6)² / ((1 / 6)² / 3 + 1) = 1.3486: 0.1156.
    found = compared()
    assert [one.p for one in found.values()] == pytest.approx([0.1156, 0.0917, 0.2048], abs=1e-4)


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
    assert one.p < 1e-6
    # 2.8 standard errors of 0.1 / sqrt(50) = 0.0141.
    assert one.detectable == pytest.approx(2.8 * 0.0141, rel=0.25)


def test_what_sets_strata_apart_is_no_noise() -> None:
    # As in test_p_by_hand: √(7 / 24) · (12.4 or so + ...) does not change where one stratum's differences all grow.
    found, shifted = compared()["overall"], compared(second=SECOND + np.array([0, 1]))["overall"]
    assert found.detectable is not None
    assert shifted.difference == found.difference + 0.5 and shifted.detectable == pytest.approx(found.detectable)
    assert found.inferred is not None and found.inferred.error.error == pytest.approx(sqrt(7 / 24))


def test_what_is_shown_together_is_tested_together() -> None:
    """Nothing is surer together than alone; what nothing can be said of stays so."""
    alone = compared()
    second = SECOND.copy()
    second[5, 1] = NAN
    for family in (alone, compared(second=second)):
        for one, other in zip(family.values(), adjust_together(list(family.values()), seed=0), strict=True):
            assert other.p == one.p <= other.p_adjusted <= 1 and other.difference == one.difference
            if one.low is None:
                assert other.low is other.high is other.detectable is None and one.p == 1
            else:
                assert other.low is not None and other.low <= one.low
                # None: nothing that can be is as large
                assert (other.detectable or inf) >= (one.detectable or inf)
        assert [one.detectable for one in family.values()].count(None) < len(family)
        assert family is not alone or (other.low or 0) < (one.low or 0)
    [one] = adjust_together([alone["one"]], seed=0)
    assert one == alone["one"] and adjust_together([], seed=0) == []
