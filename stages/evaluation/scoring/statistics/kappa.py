"""Cohen's kappa: how far two raters of the same items agree beyond chance; unweighted or weighted by distance.

J. Cohen (1960), "A coefficient of agreement for nominal scales", and (1968), "Weighted kappa": one minus the observed
over the expected disagreement.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Weights = Literal["none", "linear", "quadratic"]
Floats = NDArray[np.float64]


def weighted_kappa(first: Floats, second: Floats, weights: Weights) -> float:
    """Kappa of two raters: 1 is perfect agreement, 0 what chance would give, -1 the least.

    `first` and `second` are the ratings of the same items, shape (items,); NaN is "not rated", and an item that either
    has not rated is left out. A disagreement weighs 1 ("none"), the distance of the two values ("linear") or its
    square ("quadratic"): of the values themselves, so that a gap in the scale counts. Chance is each rater's own
    distribution of ratings.

    ValueError when the shapes differ, a rating is infinite, no item was rated by both, or both gave one and the same
    value throughout: then chance would agree as well, and kappa is undefined (0/0).
    """
    pairs, repeats = _pairs(first, second)
    return float(_kappas(pairs, repeats[np.newaxis], weights)[0])


def kappa_interval(
    first: Floats, second: Floats, weights: Weights, draws: int, seed: int, level: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap interval of `weighted_kappa`, from `draws` resamples of the items rated by both.

    A resample in which both raters have one and the same value throughout, so that kappa is undefined, counts as
    perfect agreement (1): no pair in it disagrees. This widens the interval where one rare value carries the result;
    leaving such resamples out would feign certainty. Errors as of `weighted_kappa`, and for draws < 1 or a level
    outside 0..1.
    """
    if draws < 1 or not 0 < level < 1:
        raise ValueError(f"an interval needs at least one draw and a level between 0 and 1, not {draws} and {level}")
    pairs, repeats = _pairs(first, second)
    items = int(repeats.sum())
    # To draw items is to draw how often each distinct pair occurs: equal pairs are interchangeable.
    drawn = np.random.default_rng(seed).multinomial(items, repeats / items, size=draws)
    low, high = np.quantile(_kappas(pairs, drawn, weights), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _pairs(first: Floats, second: Floats) -> tuple[Floats, NDArray[np.int64]]:
    """Distinct pairs of ratings, shape (pairs, 2), and how many items have each."""
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"two raters of the same items have ratings of one length, not {first.shape}, {second.shape}")
    if np.isinf(first).any() or np.isinf(second).any():
        raise ValueError("a rating is infinite")
    both = ~np.isnan(first) & ~np.isnan(second)
    if not both.any():
        raise ValueError(f"none of {len(first):,} items was rated by both raters")
    pairs, repeats = np.unique(np.stack([first[both], second[both]], axis=1), axis=0, return_counts=True)
    if np.all(pairs == pairs[0, 0]):
        raise ValueError(f"kappa is undefined: both raters gave {pairs[0, 0]:g} to all {both.sum():,} items")
    return pairs, repeats


def _kappas(pairs: Floats, repeats: NDArray[np.int64], weights: Weights) -> Floats:
    """Kappa of several samples, each given by how often it has each pair: `repeats` is (samples, pairs)."""
    values, codes = np.unique(pairs, return_inverse=True)
    first, second = codes.reshape(pairs.shape).T
    distances = _distances(values, weights)
    shares = repeats / repeats.sum(axis=1, keepdims=True)
    is_value = np.eye(len(values))
    observed = shares @ distances[first, second]
    expected = ((shares @ is_value[first] @ distances) * (shares @ is_value[second])).sum(axis=1)
    # No disagreement is expected only of a sample with a single value, where none is observed either.
    return 1 - np.divide(observed, expected, out=np.zeros_like(observed), where=expected > 0)


def _distances(values: Floats, weights: Weights) -> Floats:
    """What a disagreement of two values weighs, as a share of the most: shape (values, values)."""
    distances = np.abs(values[:, np.newaxis] - values)
    shares = distances / distances.max()  # kappa stays the same, and no square overflows
    match weights:
        case "none":
            return (values[:, np.newaxis] != values).astype(np.float64)
        case "linear":
            return shares
        case "quadratic":
            return shares**2
