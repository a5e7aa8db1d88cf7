"""The paired cluster bootstrap: how far a statistic would move with other items of the same kind.

Efron 1979; clusters (such as a prompt in two languages, or the sides of one item) are drawn whole, within strata (such
as tracks, whose sizes are fixed by design). Every statistic is a function of item weights, and all contestants are
weighed alike: so differences between them are paired.
"""

from __future__ import annotations

from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Weights = NDArray[np.float32]
"""How often each item was drawn, shape (draws, items)."""
Scores = NDArray[np.float64]
"""Scores of items, shape (items, columns); NaN where there is none."""
LEVEL = 0.95


class Interval(NamedTuple):
    """A confidence interval, in the unit of its statistic."""

    low: float
    high: float


class Freedom(NamedTuple):
    """What few clusters leave unsure of how far a statistic varies.

    `degrees` of freedom, as Student's t has them, and `inflation`: how many times its own standard deviation is that of
    its draws, which spread too little.
    """

    degrees: float
    inflation: float


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


def satterthwaite(variances: NDArray[np.float64], clusters: NDArray[np.float64]) -> Freedom:
    """Return the freedom of a statistic that is a sum over strata: of each the variance of its draws, and how many
    clusters.

    Draws of n clusters vary (n - 1)/n times as much as the clusters tell. So made good, variances S of n - 1 degrees
    each have together (ΣS)² / Σ(S²/(n - 1)) degrees (Satterthwaite 1946, "An approximate distribution of estimates of
    variance components"): a stratum counts as far as it varies. Where nothing varies all degrees count. ValueError for
    a stratum of fewer than two clusters.
    """
    if not len(clusters) or clusters.min() < 2:
        raise ValueError("an interval needs at least two clusters in each stratum")
    degrees = clusters - 1
    if not variances.any():
        return Freedom(float(degrees.sum()), 1.0)
    good = variances / variances.sum() * clusters / degrees  # shares: squares of tiny variances would vanish
    return Freedom(float(good.sum() ** 2 / (good**2 / degrees).sum()), sqrt(good.sum()))


def one_stratum(clusters: int) -> Freedom:
    """Return the freedom of any statistic of so many clusters in one stratum."""
    return satterthwaite(np.ones(1), np.array([float(clusters)]))


def interval(drawn: NDArray[np.float64], freedom: Freedom, level: float = LEVEL) -> Interval:
    """Return the expanded percentile interval of a statistic from its draws.

    The plain percentile interval is too short by what the normal quantile lacks against Student's, and by what draws
    of few clusters spread too little: quantiles further out make up for both (Hesterberg 2015, "What Teachers Should
    Know About the Bootstrap", section 5.3). Draws without a value (NaN) do not count; ValueError when none has one.
    """
    from scipy.special import ndtr  # the normal distribution; scipy takes longer to import than a stage to start

    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        raise ValueError("no draw has a value")
    outer = ndtr(-reach(freedom, (1 - level) / 2))
    low, high = np.quantile(drawn, [outer, 1 - outer])
    return Interval(float(low), float(high))


def reach(freedom: Freedom, beyond: float) -> float:
    """Return how many standard deviations of its draws lie between a statistic and the truth at most, but for a chance
    of `beyond` to either side.
    """
    from scipy.special import stdtrit  # quantiles of Student's t

    return -float(stdtrit(freedom.degrees, beyond)) * freedom.inflation
