"""One inference: interval, p and what is detectable are of one test; nothing is certain because nobody erred."""

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
    StandardError,
    as_difference,
    detectable,
    effective_items,
    interval,
    p_value,
)

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
