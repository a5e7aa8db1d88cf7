"""Pearson's correlation and the mean absolute error, by hand and against scipy and scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import kendalltau, pearsonr, spearmanr
from sklearn.metrics import mean_absolute_error as theirs_mean_absolute_error

from gamut.evaluation.scoring.statistics.coefficients import (
    fisher_interval,
    kendall,
    kendall_interval,
    mean_absolute_error,
    pearson,
    spearman,
    spearman_interval,
)

NAN = float("nan")
MEASURES = pytest.mark.parametrize("measure", [pearson, mean_absolute_error])
Measure = Callable[[NDArray[np.float64], NDArray[np.float64]], float]
PAIRS = st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=3, max_size=30)


def array(*scores: float) -> NDArray[np.float64]:
    return np.array(scores, np.float64)


def test_four_pairs() -> None:
    # Means 1 and 1; deviations -1 0 0 1 and -1 -1 1 1: products add up to 2, squares to 2 and 4.
    judge, people = array(0, 1, 1, 2), array(0, 0, 2, 2)
    assert pearson(judge, people) == pytest.approx(2 / sqrt(2 * 4))
    # |differences| 0 1 1 0
    assert mean_absolute_error(judge, people) == 0.5


def test_pairs_with_a_missing_score_are_left_out() -> None:
    judge, people = array(0, 1, NAN, 1, 9, 2, NAN), array(0, 0, 5, 2, NAN, 2, NAN)
    assert pearson(judge, people) == pytest.approx(2 / sqrt(8))
    assert mean_absolute_error(judge, people) == 0.5


@given(PAIRS)
def test_they_are_scipys_and_scikit_learns(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    assert mean_absolute_error(x, y) == pytest.approx(theirs_mean_absolute_error(x, y), rel=1e-12)
    assume(np.ptp(x) > 1e-3 and np.ptp(y) > 1e-3)
    assert pearson(x, y) == pytest.approx(pearsonr(x, y).statistic, abs=1e-9)


@pytest.mark.parametrize("same", [array(2, 2, 2), array(0, 0, 0), array(0.3, 0.1 + 0.2, 0.3)])
def test_without_variance_there_is_no_correlation(same: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="the 3 scores of one side are all the same"):
        pearson(array(0, 1, 2), same)
    with pytest.raises(ValueError, match="no variance"):
        pearson(same, array(0, 1, 2))


@MEASURES
def test_two_pairs_are_refused(measure: Measure) -> None:
    with pytest.raises(ValueError, match="at least 3 pairs of scores, not 2"):
        measure(array(1, 2, 3), array(1, NAN, 2))
    with pytest.raises(ValueError, match="not 0"):
        measure(array(), array())


def test_an_interval_is_fishers() -> None:
    # atanh(0.5) = ln(3) / 2 = 0.5493; 1.96 / sqrt(12 - 3) = 0.6533: tanh(-0.1040) and tanh(1.2026).
    assert fisher_interval(0.5, 12) == pytest.approx((-0.1036, 0.8345), abs=1e-4)
    theirs = pearsonr([1, 2, 3, 4, 6], [1, 3, 2, 5, 4])
    assert fisher_interval(theirs.statistic, 5) == pytest.approx(theirs.confidence_interval(), abs=1e-9)


@pytest.mark.parametrize(("r", "n"), [(0.5, 3), (-1.0, 9), (float("nan"), 9)])
def test_of_three_pairs_or_a_line_there_is_no_interval(r: float, n: int) -> None:
    with pytest.raises(ValueError, match="interval"):
        fisher_interval(r, n)


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
