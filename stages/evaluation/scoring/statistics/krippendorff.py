"""Krippendorff's alpha: how far any number of raters agree beyond chance, with ratings missing.

K. Krippendorff (2004), "Content Analysis", chapter 11, and (2011), "Computing Krippendorff's Alpha-Reliability":
one minus the observed over the expected disagreement of the matrix of coincidences.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
from numpy.typing import NDArray

Level = Literal["nominal", "ordinal", "interval"]
Floats = NDArray[np.float64]


def krippendorff_alpha(ratings: Floats, level: Level) -> float:
    """Alpha of ratings: 1 is perfect agreement, 0 what chance would give, less is systematic disagreement.

    `ratings` has shape (items, raters), NaN where a rating is missing; raters are interchangeable. Items with fewer
    than two ratings do not count. `level` is the level of measurement: two values differ or not ("nominal"), by how
    many ratings lie between them ("ordinal") or by their distance ("interval"; both squared).

    ValueError when ratings are not of two dimensions, one is infinite, no item has two ratings, or all ratings that
    can be paired are equal: then chance would agree as well, and alpha is undefined (0/0).
    """
    values, counts, repeats = _patterns(ratings)
    return float(_alphas(values, counts, repeats[np.newaxis], level)[0])


def alpha_interval(
    ratings: Floats, level: Level, draws: int, seed: int, confidence: float = 0.95
) -> tuple[float, float]:
    """Percentile bootstrap interval of `krippendorff_alpha`, from `draws` resamples of the items that count.

    Items are drawn with all their ratings, for ratings of one item are not independent. A resample whose ratings are
    all equal, so that alpha is undefined, counts as perfect agreement (1): no pair in it disagrees. This widens the
    interval where one rare value carries the result; leaving such resamples out would feign certainty. Errors as of
    `krippendorff_alpha`, and for draws < 1 or a confidence outside 0..1.
    """
    if draws < 1 or not 0 < confidence < 1:
        raise ValueError(
            f"an interval needs at least one draw and a confidence between 0 and 1, not {draws} and {confidence}"
        )
    values, counts, repeats = _patterns(ratings)
    items = int(repeats.sum())
    # To draw items is to draw how often each pattern occurs: items with the same ratings are interchangeable.
    drawn = np.random.default_rng(seed).multinomial(items, repeats / items, size=draws)
    low, high = np.quantile(_alphas(values, counts, drawn, level), [(1 - confidence) / 2, (1 + confidence) / 2])
    return float(low), float(high)


def _patterns(ratings: Floats) -> tuple[Floats, Floats, NDArray[np.int64]]:
    """The values, ascending; distinct items as counts of each value, (patterns, values); how many items have each."""
    if ratings.ndim != 2:
        raise ValueError(f"ratings have the shape (items, raters), not {ratings.shape}")
    if np.isinf(ratings).any():
        raise ValueError("a rating is infinite")
    given = ~np.isnan(ratings)
    pairable = given.sum(axis=1) >= 2
    if not pairable.any():
        raise ValueError(f"none of {len(ratings):,} items has two ratings that could be compared")
    ratings, given = ratings[pairable], given[pairable]
    values, codes = np.unique(ratings[given], return_inverse=True)
    if len(values) == 1:
        raise ValueError(f"alpha is undefined: all {given.sum():,} ratings are {values[0]:g}")
    counts = np.zeros((len(ratings), len(values)))
    np.add.at(counts, (np.nonzero(given)[0], codes), 1)
    patterns, repeats = np.unique(counts, axis=0, return_counts=True)
    return values, patterns, repeats


def _alphas(values: Floats, counts: Floats, repeats: NDArray[np.int64], level: Level) -> Floats:
    """Alpha of several samples, each given by how often it has each pattern: `repeats` is (samples, patterns).

    An item with m ratings adds its ordered pairs of ratings to the coincidences, each 1/(m - 1) times. So a sample's
    observed disagreement is a weighted sum of one number per pattern, the squared differences of its pairs.
    """
    sizes = counts.sum(axis=1)
    pair_weights = repeats / (sizes - 1)
    totals = repeats @ counts  # n_c, how often a sample has each value
    ratings = totals.sum(axis=1)
    if level == "ordinal":
        # The ratings from value c to k, less half of those at either end, are the distance of their mean ranks. Those
        # are of the sample; measured from their mean they are multiples of a half, so that these sums are exact.
        ranks = np.cumsum(totals, axis=1) - totals / 2 - ratings[:, np.newaxis] / 2
        differences = 2 * (sizes * (ranks**2 @ counts.T) - (ranks @ counts.T) ** 2)
        observed = (pair_weights * differences).sum(axis=1)
        expected = 2 * ratings * (totals * ranks**2).sum(axis=1)
    else:
        distances = _distances(values, level)
        observed = pair_weights @ ((counts @ distances) * counts).sum(axis=1)
        expected = ((totals @ distances) * totals).sum(axis=1)
    # No disagreement is expected only of a sample with a single value, where none is observed either.
    ratio = np.divide(observed, expected, out=np.zeros_like(observed), where=expected > 0)
    return 1 - (ratings - 1) * ratio


def _distances(values: Floats, level: Literal["nominal", "interval"]) -> Floats:
    """Squared differences of the values, shape (values, values); of no matter which unit."""
    distances = np.abs(values[:, np.newaxis] - values)
    match level:
        case "nominal":
            return (values[:, np.newaxis] != values).astype(np.float64)
        case "interval":
            return (distances / distances.max()) ** 2  # as shares: alpha stays the same, and no square overflows
