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

from stages.evaluation.statistics.bootstrap import Scores, Weights, interval, item_weights, weighted_means

DRAWS = 10_000
Reported = Mapping[str, NDArray[np.float64]]
"""For each name that is reported, the factor of every column's mean; 0 where a column does not count."""


class Estimate(NamedTuple):
    """A reported value, its 95 % interval (None where too few items have a score), and how many items have one."""

    value: float
    low: float | None
    high: float | None
    n: int


def shared_weights(strata: NDArray[np.int64], seed: int) -> Weights:
    """The bootstrap's item weights: the same for contestants, judges and controls, so that differences are paired."""
    return item_weights(np.arange(len(strata)), strata, DRAWS, seed)


def combined(means: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """A reported value from column means, shape (..., columns); NaN where a column that counts has none."""
    counting = factors != 0
    return means[..., counting] @ factors[counting]


def drawn_values(scores: Scores, weights: Weights, reported: Reported) -> dict[str, NDArray[np.float64]]:
    """Every reported value in every draw, shape (draws,)."""
    means = weighted_means(scores, weights)
    return {name: combined(means, factors) for name, factors in reported.items()}


def values(scores: Scores, reported: Reported) -> dict[str, float]:
    """The reported values; those that lack a column's scores are left out."""
    once = np.ones((1, len(scores)), np.float32)
    found = {name: float(drawn[0]) for name, drawn in drawn_values(scores, once, reported).items()}
    return {name: value for name, value in found.items() if not np.isnan(value)}


def estimates(scores: Scores, weights: Weights, reported: Reported) -> dict[str, Estimate]:
    """The reported values with intervals; those that lack a column's scores are left out.

    The interval's width allows for the fewest items that any column counts (`bootstrap.interval`).
    """
    drawn = drawn_values(scores, weights, reported)
    there = ~np.isnan(scores)
    found = {}
    for name, value in values(scores, reported).items():
        counting = there[:, reported[name] != 0]
        fewest = int(counting.sum(axis=0).min())
        low, high = interval(drawn[name], fewest) if fewest > 1 else (None, None)
        found[name] = Estimate(value, low, high, int(counting.any(axis=1).sum()))
    return found


def flat(prefix: str, found: Mapping[str, Estimate]) -> dict[str, float]:
    """Estimates under flat keys, as `dvc metrics diff` reads them: NAME, NAME_lo, NAME_hi, NAME_n."""
    keys: dict[str, float] = {}
    for name, estimate in found.items():
        keys[f"{prefix}{name}"] = rounded(estimate.value)
        if estimate.low is not None and estimate.high is not None:
            keys[f"{prefix}{name}_lo"], keys[f"{prefix}{name}_hi"] = rounded(estimate.low), rounded(estimate.high)
        keys[f"{prefix}{name}_n"] = estimate.n
    return keys


def rounded(value: float) -> float:
    """A reported value with three decimals: more than any interval bears, few enough to be the same everywhere."""
    return round(value, 3) + 0.0
