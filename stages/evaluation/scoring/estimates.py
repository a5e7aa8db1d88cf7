"""What a benchmark reports of scores: combinations of column means, each with an interval from one shared bootstrap.

A column holds the scores of a stratum and measure, such as the alignment of a track. What is reported is a weighted sum
of column means: a track, an axis, an overall average, micro-weights. A statistic that is none (a fitted gap) takes the
same item weights.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Reported
from stages.evaluation.scoring.statistics.bootstrap import (
    Freedom,
    Scores,
    Weights,
    interval,
    item_weights,
    satterthwaite,
)

DRAWS = 10_000
ROUNDING = 1e-9
"""Scores that lie no further from their mean are equal to it."""


class Estimate(NamedTuple):
    """A reported value, its 95 % interval (None where too few items have a score), and how many items have one."""

    value: float
    low: float | None
    high: float | None
    n: int


class Spread(NamedTuple):
    """How far each item moves a reported value (`deviations`), shape (items,), and the freedom of that; None where a
    column that counts has fewer than two items in one of its strata.
    """

    moved: NDArray[np.float64]
    freedom: Freedom | None


def shared_weights(strata: NDArray[np.int64], seed: int) -> Weights:
    """Return the bootstrap's item weights: the same for contestants, judges and controls, so that differences are
    paired.
    """
    return item_weights(np.arange(len(strata)), strata, DRAWS, seed)


def combined(means: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a reported value from column means, shape (..., columns); NaN where a column that counts has none."""
    counting = factors != 0
    return means[..., counting] @ factors[counting]


def column_means(scores: Scores) -> NDArray[np.float64]:
    """Return the mean of every column over the items that have a score, shape (columns,); NaN where none has."""
    there = ~np.isnan(scores)
    with np.errstate(invalid="ignore"):
        return np.where(there, scores, 0).sum(axis=0) / there.sum(axis=0)


def values(scores: Scores, reported: Reported) -> dict[str, float]:
    """Return the reported values; those that lack a column's scores are left out."""
    means = column_means(scores)
    found = {name: float(combined(means, factors)) for name, factors in reported.items()}
    return {name: value for name, value in found.items() if not np.isnan(value)}


def deviations(scores: Scores, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each item adds to a reported value by lying off its columns' means, shape (items,); 0 without a
    score.

    An item that is drawn k times adds it k times. So a draw is the value and the deviations of all that was
    drawn: exactly so where all items of a column's strata have a score, and elsewhere with the number of scores held
    fast, as it is of the value itself.
    """
    counting = scores[:, factors != 0]
    there = ~np.isnan(counting)
    apart = np.where(there, counting - column_means(counting), 0)
    apart[np.abs(apart) <= ROUNDING] = 0
    return apart @ (factors[factors != 0] / np.maximum(1, there.sum(axis=0)))


def spread(scores: Scores, strata: NDArray[np.int64], factors: NDArray[np.float64]) -> Spread:
    """Return how far a reported value spreads. A stratum has as many items as have scores in the column where fewest
    have.
    """
    there = ~np.isnan(scores[:, factors != 0])
    moved = deviations(scores, factors)
    within = (np.unique(strata)[:, None] == strata).astype(np.float64)
    counts = within @ there  # of each stratum and column
    if not there.any(axis=0).all() or (counts == 1).any():
        return Spread(moved, None)
    of_stratum = within.argmax(axis=0)
    variances = within @ (moved - (within @ moved / within.sum(axis=1))[of_stratum]) ** 2
    counting = counts.any(axis=1)
    fewest = np.where(counts > 0, counts, np.inf).min(axis=1)
    return Spread(moved, satterthwaite(variances[counting], fewest[counting]))


def estimates(scores: Scores, strata: NDArray[np.int64], weights: Weights, reported: Reported) -> dict[str, Estimate]:
    """Return the reported values with intervals; those that lack a column's scores are left out.

    `strata`: the stratum of each item, within which `weights` were drawn.
    """
    found = values(scores, reported)
    if not found:
        return {}
    spreads = [spread(scores, strata, reported[name]) for name in found]
    moved = weights @ np.stack([one.moved for one in spreads], axis=1).astype(np.float32)
    there = ~np.isnan(scores)
    estimated = {}
    for number, (name, value) in enumerate(found.items()):
        freedom = spreads[number].freedom
        low, high = interval(value + moved[:, number].astype(np.float64), freedom) if freedom else (None, None)
        estimated[name] = Estimate(value, low, high, int(there[:, reported[name] != 0].any(axis=1).sum()))
    return estimated


def flat(prefix: str, found: Mapping[str, Estimate]) -> dict[str, float]:
    """Return estimates under flat keys, as `dvc metrics diff` reads them: NAME, NAME_lo, NAME_hi, NAME_n."""
    keys: dict[str, float] = {}
    for name, estimate in found.items():
        keys[f"{prefix}{name}"] = rounded(estimate.value)
        if estimate.low is not None and estimate.high is not None:
            keys[f"{prefix}{name}_lo"], keys[f"{prefix}{name}_hi"] = rounded(estimate.low), rounded(estimate.high)
        keys[f"{prefix}{name}_n"] = estimate.n
    return keys


def rounded(value: float) -> float:
    """Return a reported value with three decimals: more than any interval bears, few enough to be the
    same everywhere.
    """
    return round(value, 3) + 0.0
