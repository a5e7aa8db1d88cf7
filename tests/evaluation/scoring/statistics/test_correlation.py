"""Pearson's correlation and the mean absolute error, by hand and against scipy and scikit-learn."""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import pearsonr
from sklearn.metrics import mean_absolute_error as theirs_mean_absolute_error

from stages.evaluation.scoring.statistics.correlation import fisher_interval, mean_absolute_error, pearson

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


@MEASURES
def test_what_is_not_paired_or_not_finite_is_refused(measure: Measure) -> None:
    with pytest.raises(ValueError, match=r"the same length, not \(3,\) and \(4,\)"):
        measure(array(1, 2, 3), array(1, 2, 3, 4))
    with pytest.raises(ValueError, match="one axis"):
        measure(np.eye(3), np.eye(3))
    with pytest.raises(ValueError, match="infinite"):
        measure(array(1, 2, np.inf), array(1, 2, 3))


def test_an_interval_is_fishers() -> None:
    # atanh(0.5) = ln(3) / 2 = 0.5493; 1.96 / sqrt(12 - 3) = 0.6533: tanh(-0.1040) and tanh(1.2026).
    assert fisher_interval(0.5, 12) == pytest.approx((-0.1036, 0.8345), abs=1e-4)
    theirs = pearsonr([1, 2, 3, 4, 6], [1, 3, 2, 5, 4])
    assert fisher_interval(theirs.statistic, 5) == pytest.approx(theirs.confidence_interval(), abs=1e-9)


@pytest.mark.parametrize(("r", "n"), [(0.5, 3), (-1.0, 9), (float("nan"), 9)])
def test_of_three_pairs_or_a_line_there_is_no_interval(r: float, n: int) -> None:
    with pytest.raises(ValueError, match="interval"):
        fisher_interval(r, n)


@pytest.mark.parametrize(("pairs", "truth"), [(10, 0.9)])
def test_an_interval_holds_the_truth(pairs: int, truth: float) -> None:
    """In 93 to 97 % of 2,000 samples: four deviations of sqrt(.95 * .05 / 2,000) = 0.5 % to either side."""
    drawn = np.random.default_rng(7).standard_normal((2, 2_000, pairs))
    x, y = drawn[0], truth * drawn[0] + sqrt(1 - truth**2) * drawn[1]
    intervals = (fisher_interval(pearson(*pair), pairs) for pair in zip(x, y, strict=True))
    assert 0.93 <= np.mean([low <= truth <= high for low, high in intervals]) <= 0.97
