"""The paired cluster bootstrap: how far a statistic would move with other items of the same kind.

Efron 1979; clusters (such as a prompt in two languages, or the sides of one item) are drawn whole, within strata (such
as tracks, whose sizes are fixed by design). Every statistic is a function of item weights, and all contestants are
weighed alike: so differences between them are paired.
"""

from __future__ import annotations

from statistics import NormalDist
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit  # quantiles of Student's t

Weights = NDArray[np.float32]
"""How often each item was drawn, shape (draws, items)."""
Scores = NDArray[np.float64]
"""Scores of items, shape (items, columns); NaN where there is none."""


class Interval(NamedTuple):
    """A confidence interval, in the unit of its statistic."""

    low: float
    high: float


def item_weights(clusters: NDArray[np.int64], strata: NDArray[np.int64], draws: int, seed: int) -> Weights:
    """Draw clusters with replacement within each stratum, as many as it has, and weigh their items so.

    `clusters` and `strata` are labels, one an item. ValueError for a cluster that lies in two strata.
    """
    if clusters.shape != strata.shape:
        raise ValueError(f"{len(clusters)} items have a cluster and {len(strata)} a stratum")
    chance = np.random.default_rng(seed)
    weights = np.empty((draws, len(clusters)), np.float32)
    seen: set[int] = set()
    for stratum in np.unique(strata):
        items = np.flatnonzero(strata == stratum)
        names, positions = np.unique(clusters[items], return_inverse=True)
        if twice := seen & set(names.tolist()):
            raise ValueError(f"cluster {min(twice)} lies in two strata")
        seen |= set(names.tolist())
        drawn = chance.multinomial(len(names), np.full(len(names), 1 / len(names)), size=draws)
        weights[:, items] = drawn[:, positions]
    return weights


def weighted_means(scores: Scores, weights: Weights) -> NDArray[np.float64]:
    """The mean of every column over the items that have a score, for every draw; shape (draws, columns).

    NaN in a draw that took none of a column's items.
    """
    there = ~np.isnan(scores)
    sums = weights @ np.where(there, scores, 0).astype(np.float32)
    counts = weights @ there.astype(np.float32)
    with np.errstate(invalid="ignore"):
        return (sums / counts).astype(np.float64)


def interval(drawn: NDArray[np.float64], clusters: int, level: float = 0.95) -> Interval:
    """The expanded percentile interval of a statistic from its draws.

    The plain percentile interval is too short by what the normal quantile lacks against Student's, and by
    √((n-1)/n): quantiles further out make up for both (Hesterberg 2015, "What Teachers Should Know About the
    Bootstrap", section 5.3). `clusters` is n: the clusters of the smallest stratum. Draws without a value (NaN) do not
    count. ValueError when there are fewer than two clusters or no draw has a value.
    """
    if clusters < 2:
        raise ValueError("an interval needs at least two clusters")
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        raise ValueError("no draw has a value")
    outer = NormalDist().cdf(-reach(clusters, level))
    low, high = np.quantile(drawn, [outer, 1 - outer])
    return Interval(float(low), float(high))


def reach(clusters: int | None, level: float) -> float:
    """How many standard deviations of the draws an interval reaches to either side; None: of very many clusters.

    Student's quantile instead of the normal one, and √(n/(n-1)): draws of few clusters spread too little.
    """
    beyond = (1 - level) / 2
    if clusters is None:
        return -NormalDist().inv_cdf(beyond)
    return float(stdtrit(clusters - 1, 1 - beyond)) * (clusters / (clusters - 1)) ** 0.5
