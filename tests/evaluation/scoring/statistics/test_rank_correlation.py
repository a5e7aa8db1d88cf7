"""Correlations of orders, Spearman's and Kendall's: by hand, against scipy, and their intervals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from scipy.stats import kendalltau, spearmanr

from stages.evaluation.scoring.statistics.correlation import (
    fisher_interval,
    kendall,
    kendall_interval,
    spearman,
    spearman_interval,
)

SCORES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20)


def test_by_hand() -> None:
    # Ranks 1 2 3 4 and 2 1 4 3: differences of 1 throughout, 1 - 6 * 4 / (4 * 15) = 0.6, however far the last is off.
    assert spearman(np.array([1.0, 2, 3, 1000]), np.array([5.0, 4, 7, 6])) == pytest.approx(0.6)
    assert spearman(np.array([1.0, 2, np.nan, 3]), np.array([1.0, 8, 3, 9])) == 1
    with pytest.raises(ValueError, match="all the same"):
        spearman(np.ones(4), np.arange(4.0))


@given(SCORES)
def test_as_scipy_has_it(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, np.float64).T
    assume(len({*x}) > 1 and len({*y}) > 1)
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_tau_by_hand() -> None:
    # Of six pairs 1-2 and 3-4 stand the other way round: (4 - 2) / 6; with a tie in x five differ there, six in y.
    assert kendall(np.array([1.0, 2, 3, 1000]), np.array([5.0, 4, 7, 6])) == pytest.approx(1 / 3)
    assert kendall(np.array([1.0, 1, 3, 4]), np.array([5.0, 4, 7, 8])) == pytest.approx(5 / 30**0.5)
    with pytest.raises(ValueError, match="have no order"):
        kendall(np.ones(4), np.arange(4.0))


def test_the_interval_of_tau() -> None:
    # tanh(0.549306 -+ 1.959964 sqrt(0.437 / 8)): of 0.091223 and 1.007390.
    assert kendall_interval(0.5, 12) == pytest.approx((0.090971, 0.764680), abs=1e-5)
    for tau, n, said in ((0.5, 4, "at least 5 pairs"), (1.0, 9, "no interval")):
        with pytest.raises(ValueError, match=said):
            kendall_interval(tau, n)


def test_its_interval_is_wider_than_that_of_scores_and_none_of_three() -> None:
    low, high = spearman_interval(0.6, 10)
    # tanh(0.693147 -+ 1.959964 sqrt(1.18 / 7)): of -0.111564 and 1.497858.
    assert (low, high) == pytest.approx((-0.111104, 0.904761), abs=1e-6)
    assert low < fisher_interval(0.6, 10)[0] and high > fisher_interval(0.6, 10)[1]
    with pytest.raises(ValueError, match="at least 4 pairs"):
        spearman_interval(0.6, 3)
    with pytest.raises(ValueError, match="no interval"):
        spearman_interval(1, 9)
