"""Item weights, means of every draw, and an interval that earns its level; the arithmetic is in the comments."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stages.evaluation.statistics.bootstrap import Interval, interval, item_weights, weighted_means

NAN = float("nan")


def alone(count: int) -> np.ndarray:
    return np.arange(count)


def test_clusters_are_drawn_whole_within_their_stratum() -> None:
    """Items 0 and 1 are one cluster; items 0 to 3 are one stratum of three clusters, items 4 and 5 another of two."""
    weights = item_weights(np.array([7, 7, 1, 2, 3, 4]), np.array([0, 0, 0, 0, 1, 1]), 500, seed=1)
    assert weights.shape == (500, 6)
    assert (weights[:, 0] == weights[:, 1]).all()
    assert (weights[:, 1:4].sum(axis=1) == 3).all() and (weights[:, 4:].sum(axis=1) == 2).all()
    # each of three clusters is drawn three times with chance 1/3: mean 1, variance 3 · 1/3 · 2/3 = 2/3
    assert abs(weights[:, 2].mean() - 1) < 0.15 and abs(weights[:, 2].var() - 2 / 3) < 0.15


def test_the_same_seed_draws_the_same_bytes() -> None:
    drawn = [item_weights(alone(20), np.zeros(20, int), 50, seed).tobytes() for seed in (3, 3, 4)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_a_cluster_lies_in_one_stratum() -> None:
    with pytest.raises(ValueError, match="cluster 5 lies in two strata"):
        item_weights(np.array([5, 5]), np.array([0, 1]), 10, seed=0)
    with pytest.raises(ValueError, match="2 items have a cluster and 1 a stratum"):
        item_weights(np.array([5, 5]), np.array([0]), 10, seed=0)


def test_means_are_of_what_there_is() -> None:
    scores = np.array([[10.0, 80.0], [40.0, NAN], [70.0, NAN]])
    weights = np.array([[1, 1, 1], [2, 0, 1], [0, 3, 0]], np.float32)
    # (10+40+70)/3 = 40; (2·10+70)/3 = 30; 3·40/3 = 40. Of the second column only the first item has a score.
    expected = np.array([[40, 80], [30, 80], [40, NAN]])
    assert np.array_equal(weighted_means(scores, weights), expected, equal_nan=True)


@given(hnp.arrays(np.float64, (12, 3), elements=st.sampled_from([0.0, 10.0, 50.0, 100.0, NAN])))
def test_equal_weights_give_the_plain_mean(scores: np.ndarray) -> None:
    drawn = weighted_means(scores, np.ones((1, 12), np.float32))[0]
    for column, mean in zip(scores.T, drawn, strict=True):
        there = column[~np.isnan(column)]
        assert np.isnan(mean) if not len(there) else mean == pytest.approx(there.mean())


def test_the_interval_reaches_further_than_the_plain_percentiles() -> None:
    """10 clusters: Student's 0.975 quantile of 9 degrees is 2.26216, times √(10/9) is 2.38453, and Φ(-2.38453) is
    0.008551: quantiles of the draws 0 … 100,000 in steps of 1 stand at 855.1 and 99,144.9."""
    found = interval(np.arange(100_001.0), 10)
    assert found == pytest.approx(Interval(855.1, 99_144.9), abs=0.1)


def test_draws_without_a_value_do_not_count() -> None:
    drawn = np.array([1.0, 2.0, 3.0])
    assert interval(np.array([1.0, NAN, 2.0, 3.0]), 50) == interval(drawn, 50)
    with pytest.raises(ValueError, match="no draw has a value"):
        interval(np.array([NAN]), 50)
    with pytest.raises(ValueError, match="at least two clusters"):
        interval(drawn, 1)
