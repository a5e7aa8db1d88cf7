"""One inference: a standard error by hand; interval, p and what is detectable are of one test."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import nct, ttest_rel

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.scoring.statistics.inference import (
    Inferred,
    Movement,
    StandardError,
    as_difference,
    detectable,
    effective_items,
    interval,
    p_value,
    sampling_strata,
    standard_error,
)


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


SCALE, APART = Scale(0, 100), Scale(-100, 100)


def told(value: float, error: float, degrees: float = 9, n: float = 10, ends: Scale | None = APART) -> Inferred:
    return Inferred(value, StandardError(error, degrees), n, ends)


def test_an_interval_is_students() -> None:
    # Student's 0.975 quantile of 9 degrees is 2.26216
    assert interval(told(50, 2)) == pytest.approx((50 - 4.52431, 50 + 4.52431), abs=1e-4)
    assert interval(told(50, 2), 0.99) == pytest.approx((50 - 2 * 3.24984, 50 + 2 * 3.24984), abs=1e-4)


def test_an_interval_ends_where_values_end() -> None:
    assert interval(told(98, 2, ends=SCALE)) == pytest.approx((98 - 4.52431, 100), abs=1e-4)
    assert interval(told(-1e-12, 2, ends=SCALE)) == pytest.approx((0, 4.52431), abs=1e-4)


def test_all_right_is_not_certain() -> None:
    # Faults in a share p of items are missed in all of 56 with (1 - p)^56 = 5 %: p = 5.209 %, at most 100 points each.
    assert interval(told(100, 0, n=56, ends=SCALE)) == pytest.approx((100 - 5.209, 100), abs=1e-3)
    assert interval(told(100.00000000000001, 0, n=56, ends=SCALE)) == pytest.approx((100 - 5.209, 100), abs=1e-3)
    assert interval(told(0, 0, n=56, ends=SCALE)) == pytest.approx((0, 5.209), abs=1e-3)
    # what may have been missed on either side has 2.5 % on each: 6.375 %
    assert interval(told(40, 0, n=56, ends=SCALE)) == pytest.approx((40 * (1 - 0.06375), 40 + 60 * 0.06375), abs=1e-3)
    assert interval(told(100, 0, ends=None)) is None  # it is not known how far off an unseen one may be
    assert detectable(told(0, 0)) is None and p_value(told(0, 0)) == 1


def test_where_all_items_differ_alike_it_is_the_sign_test() -> None:
    # All 6 items 5 higher: 2 of 64 sign vectors are as far off. What was not seen may be 5 lower: 10 from here.
    alike = as_difference(told(5, 0, n=6))
    assert p_value(alike) == 2 / 64 and alike.ends == (-5, 15)
    found = interval(alike)
    assert found == pytest.approx((5 - 10 * (1 - 0.025 ** (1 / 6)), 5 + 10 * (1 - 0.025 ** (1 / 6)))) and found.low > 0
    assert interval(alike, 1 - 2 / 64) == pytest.approx((0, 10))
    assert as_difference(told(0, 0)).ends == as_difference(told(5, 1)).ends == APART


def test_few_items_of_much_weight_hide_much() -> None:
    assert effective_items(np.full(56, 3.0)) == 56
    # Half of the value rests on three items: faults in 1 - 0.05^(1/3) = 63.2 % of such may be unseen, 31.6 % of it.
    weights = np.repeat([1 / 700, 1 / 3], [700, 3])
    found = interval(told(100, 0, n=effective_items(weights), ends=SCALE))
    assert found == pytest.approx((100 - 31.58, 100), abs=0.01)
    chance, whole = np.random.default_rng(0), weights.sum()
    for _ in range(200):  # nothing else that is missed as often hides more
        missed = chance.dirichlet(np.full(703, 0.01)) * np.log(0.05)
        assert weights @ -np.expm1(missed) / whole <= 0.3159


def test_p_is_that_of_the_paired_t_test() -> None:
    first, second = np.random.default_rng(0).normal(0, 1, (2, 12))
    apart = second - first + 0.5
    own = told(apart.mean(), apart.std(ddof=1) / sqrt(12), 11)
    assert p_value(own) == pytest.approx(ttest_rel(second + 0.5, first).pvalue, rel=1e-12)


@given(
    st.floats(-90, 90), st.sampled_from([0.0, 0.1, 2, 30]), st.floats(1, 500), st.integers(2, 700), st.floats(0.5, 0.99)
)
def test_an_interval_leaves_out_0_where_p_is_below_its_level(
    value: float, error: float, degrees: float, n: int, level: float
) -> None:
    own = as_difference(told(value, error, degrees, n))
    found, p = interval(own, level), p_value(own)
    assert found is not None and 0 < p <= 1
    if abs(p - (1 - level)) > 1e-9:
        assert (found.low > 0 or found.high < 0) == (p < 1 - level)


def test_nothing_is_detectable_that_cannot_be() -> None:
    # with 9 degrees 31 · 3.14964 = 97.6 of at most 100 apart; 32 · 3.14964 = 100.8
    assert detectable(told(3, 31)) == pytest.approx(97.64, abs=0.01)
    assert detectable(told(3, 32)) is None
    assert detectable(told(3, 32, ends=None)) == pytest.approx(100.79, abs=0.01)


def test_what_is_detectable_is_found_in_four_of_five_cases() -> None:
    # Student's 0.975 quantile of 9 degrees is 2.26216; noncentral t around 3.14964 exceeds it in 80 %
    assert detectable(told(3, 2)) == pytest.approx(2 * 3.14964, abs=1e-4)
    assert nct.sf(2.26216, 9, 3.14964) == pytest.approx(0.8, abs=1e-4)
    chance, found = np.random.default_rng(0), 0
    for _ in range(400):
        apart = chance.normal(1, 1, 10)  # 10 items: 1 / √10 · 3.14964 = 0.9960 is detectable with the true spread
        found += p_value(told(apart.mean(), apart.std(ddof=1) / sqrt(10))) < 0.05
    assert abs(found / 400 - 0.8) < 3 * sqrt(0.8 * 0.2 / 400)
