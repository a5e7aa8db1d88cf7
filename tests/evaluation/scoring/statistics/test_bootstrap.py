"""Item weights, degrees of freedom, and an interval that earns its level; the arithmetic is in the comments."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.scoring.statistics.bootstrap import (
    Freedom,
    Interval,
    interval,
    item_weights,
    one_stratum,
    reach,
    satterthwaite,
)

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


def freedom(variances: list[float], clusters: list[float]) -> Freedom:
    return satterthwaite(np.array(variances), np.array(clusters))


def test_one_stratum_has_a_degree_less_than_clusters() -> None:
    assert one_stratum(10) == pytest.approx((9, sqrt(10 / 9)))
    assert freedom([3.0], [10]) == pytest.approx((9, sqrt(10 / 9)))  # in whatever unit


def test_like_strata_add_their_degrees() -> None:
    assert freedom([0.5] * 7, [14] * 7) == pytest.approx((7 * 13, sqrt(14 / 13)))


def test_unlike_strata_count_as_far_as_they_vary() -> None:
    # Variances 1 of 2 clusters and 9 of 10: made good 1 · 2/1 = 2 and 9 · 10/9 = 10, together 12 where draws have 10.
    # Degrees: 12² / (2²/1 + 10²/9) = 144 / 15.111 = 9.529.
    assert freedom([1, 9], [2, 10]) == pytest.approx((144 / (4 + 100 / 9), sqrt(1.2)))
    # the other way round 18 and 10/9, nearly all of it from two clusters: little more than a degree
    assert freedom([9, 1], [2, 10]) == pytest.approx(
        ((18 + 10 / 9) ** 2 / (18**2 + (10 / 9) ** 2 / 9), sqrt(172 / 9 / 10))
    )
    assert freedom([0, 1], [2, 10]) == pytest.approx(one_stratum(10))


def test_tiny_variances_are_variances() -> None:
    assert freedom([1e-200, 9e-200], [2, 10]) == pytest.approx(freedom([1, 9], [2, 10]))


def test_where_nothing_varies_all_degrees_count() -> None:
    assert freedom([0, 0], [3, 10]) == Freedom(11, 1)


@given(st.lists(st.tuples(st.floats(0, 1e6), st.integers(2, 1000)), min_size=1, max_size=8))
def test_degrees_lie_between_those_of_one_stratum_and_of_all(strata: list[tuple[float, int]]) -> None:
    variances, clusters = zip(*strata, strict=True)
    degrees, inflation = freedom(list(variances), list(clusters))
    assert (min(clusters) - 1) * (1 - 1e-9) <= degrees <= sum(count - 1 for count in clusters) * (1 + 1e-9)
    assert 1 <= inflation <= sqrt(2) * (1 + 1e-9)


@pytest.mark.parametrize("clusters", [[], [1], [5, 1]])
def test_a_cluster_alone_does_not_vary(clusters: list[float]) -> None:
    with pytest.raises(ValueError, match="at least two clusters in each stratum"):
        freedom([1.0] * len(clusters), clusters)


def test_a_reach_is_students() -> None:
    # Student's 0.975 quantile of 9 degrees is 2.26216, of many 1.95996
    assert reach(Freedom(9, 2), 0.025) == pytest.approx(2 * 2.26216, abs=1e-4)
    assert reach(Freedom(1e9, 1), 0.025) == pytest.approx(1.95996, abs=1e-4)


def test_the_interval_reaches_further_than_the_plain_percentiles() -> None:
    """10 clusters: Student's 0.975 quantile of 9 degrees is 2.26216, times √(10/9) is 2.38453, and Φ(-2.38453) is
    0.008551: quantiles of the draws 0 … 100,000 in steps of 1 stand at 855.1 and 99,144.9."""
    found = interval(np.arange(100_001.0), one_stratum(10))
    assert found == pytest.approx(Interval(855.1, 99_144.9), abs=0.1)


def test_draws_without_a_value_do_not_count() -> None:
    drawn = np.array([1.0, 2.0, 3.0])
    assert interval(np.array([1.0, NAN, 2.0, 3.0]), one_stratum(50)) == interval(drawn, one_stratum(50))
    with pytest.raises(ValueError, match="no draw has a value"):
        interval(np.array([NAN]), one_stratum(50))
