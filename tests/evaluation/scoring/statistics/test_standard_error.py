"""Standard errors: what few items, rare faults and quiet strata leave unsure; the arithmetic is in the comments."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.scoring.statistics.inference import Movement, StandardError, sampling_strata, standard_error


def of_mean(scores: list[float], strata: list[int] | None = None) -> StandardError | None:
    """Of the mean of the means of strata."""
    values, within = np.array(scores), np.array(strata or [0] * len(scores))
    names, places, sizes = np.unique(within, return_inverse=True, return_counts=True)
    each = 1 / sizes[places] / len(names)
    apart = values - (np.bincount(places, values) / sizes)[places]
    return standard_error(Movement(apart * each, each, np.ones((len(values), 1), bool)), within)


def test_a_mean_has_the_textbooks_error() -> None:
    # 2 4 4 6 around 4: squares 4 0 0 4, variance 8 / 3, of the mean 8 / 3 / 4. Fourth powers 16 + 16 = 32 against
    # 3 · 8² / 4 = 48 of normal ones: no excess, so 3 degrees.
    assert of_mean([2, 4, 4, 6]) == pytest.approx((sqrt(8 / 12), 3))


def test_a_single_fault_tells_little_of_how_often_faults_come() -> None:
    # 49 right, one off by 1: deviations 0.98 and 49 of 0.02. Squares 0.98, of the mean 0.98 / 49 / 50 = 0.02². Fourth
    # powers 0.9224 against 0.98² / 50 = 0.019208: excess 48.02 - 3. 1 / d = 1 / 49 + 45.02 / 100 = 0.4706: 2.12
    # degrees, where 49 would be for normal scores.
    found = of_mean([1.0] * 49 + [0.0])
    assert found is not None
    assert found.error == pytest.approx(0.02) and found.degrees == pytest.approx(2.125, abs=0.002)


def test_unlike_strata_count_as_far_as_they_vary() -> None:
    # Variances 2 of 2 items and 8 / 3 of 4, of halves: 2 / 2 / 4 = 1 / 4 and 8 / 3 / 4 / 4 = 1 / 6. Degrees:
    # (5 / 12)² / ((1 / 4)² / 1 + (1 / 6)² / 3) = 25 / (9 + 4 / 3) = 2.419.
    assert of_mean([4, 6, 2, 4, 4, 6], [0, 0, 1, 1, 1, 1]) == pytest.approx((sqrt(5 / 12), 25 / (9 + 4 / 3)))


def test_a_stratum_without_faults_is_not_without_risk() -> None:
    """Of 100 items 2 are off by 1, of 3 none. Squares 2 · 0.98² + 98 · 0.02² = 1.96, s² = 1.96 / 99, of all
    S² = 1.96 / 101. Fourth powers 2 · 0.98⁴ + 98 · 0.02⁴ = 1.844752, of normal scores 3 · 1.96² / 100 = 0.115248; the
    excess is 1.729504 / 0.038416 = 45.02. Of the three: d = 1 / (1 / 2 + 45.02 / 6) = 0.12494, and 1 - d / 2 = 0.93753
    of 4 · S² / 4.12494 are 0.017642, of halves 0.017642 / 3 / 4 = 0.0014702. Of the hundred: d = 1 / (1 / 99 + 45.02 /
    200) = 4.2517, worth 0.042946; between s² = 0.019798 and S² = 0.019406 it is 0.019616; / 100 / 4 = 0.0000490."""
    found = of_mean([1.0] * 98 + [0.0] * 2 + [1.0] * 3, [0] * 100 + [1] * 3)
    assert found is not None and found.error == pytest.approx(sqrt(0.0014702 + 0.0000490), rel=1e-3)
    # 0.12494 + 4 · 0.93753 = 3.8751 degrees, and all together 1 / (1 / 101 + 45.02 / 206) = 4.378
    assert found.degrees == pytest.approx(4.14, abs=0.02)


def test_without_two_items_of_a_column_nothing_is_known() -> None:
    moved, weight = np.array([0.0, 0, 0]), np.array([0.5, 0.5, 1])
    there = np.array([[True, False], [True, False], [False, True]])
    assert standard_error(Movement(moved, weight, there), np.array([0, 0, 1])) is None
    assert of_mean([5.0]) is None
    undefined = Movement(np.array([np.nan, 1, 2]), np.ones(3), np.ones((3, 1), bool))
    assert standard_error(undefined, np.zeros(3, np.int64)) is None


def test_a_column_with_one_item_in_a_stratum_counts_there_as_the_others_vary() -> None:
    # The group has one item in the first stratum and two in the second, 1 apart: of 1 degree, variance 1 / 2 of a
    # point. The lone one is believed to vary as much. Each counts a third: (1 + 2) / 9 · 1 / 2.
    apart, there = np.array([0, 0.5, -0.5, 0]), np.array([[True], [True], [True], [False]])
    strata = np.array([0, 1, 1, 0])
    found = standard_error(Movement(apart / 3, there[:, 0] / 3, there), strata)
    assert found is not None and found.error == pytest.approx(sqrt(3 / 9 / 2))


def test_where_nothing_varies_the_error_is_nothing() -> None:
    assert of_mean([5.0] * 4) == (0, 3)


def test_strata_of_a_single_item_are_drawn_together() -> None:
    """By themselves they would never move, and what is made of them alone would have an interval without a width."""
    assert sampling_strata(np.array([0, 0, 1, 2, 3, 3])).tolist() == [0, 0, 1, 1, 3, 3]
    assert sampling_strata(np.array([0, 0, 0, 1, 2, 2])).tolist() == [
        0,
        0,
        0,
        1,
        1,
        1,
    ]  # but one: with the smallest other
    assert sampling_strata(np.array([4, 4, 5, 5])).tolist() == [4, 4, 5, 5]
    assert sampling_strata(np.array([7])).tolist() == [7]
    apart, each, there = np.array([2.0, 4, 4, 6]) - 4, np.full(4, 1 / 4), np.ones((4, 1), bool)
    assert standard_error(Movement(apart / 4, each, there), np.arange(4)) == of_mean([2, 4, 4, 6])


@given(st.lists(st.lists(st.integers(0, 10), min_size=2, max_size=9), min_size=1, max_size=5), st.floats(1e-6, 1e6))
def test_the_unit_does_not_matter_and_degrees_are_at_most_those_of_all(strata: list[list[int]], unit: float) -> None:
    scores, within = zip(*((score, n) for n, stratum in enumerate(strata) for score in stratum), strict=True)
    found, scaled = of_mean(list(scores), list(within)), of_mean([unit * score for score in scores], list(within))
    assert found is not None and scaled is not None
    assert scaled.error == pytest.approx(unit * found.error, rel=1e-6)
    assert 0 < found.degrees <= len(scores) - len(strata) + 1e-9
    if found.error:
        assert scaled.degrees == pytest.approx(found.degrees, rel=1e-6)
