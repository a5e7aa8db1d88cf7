"""How far raters of the same items agree beyond chance: one minus the observed over the expected disagreement, each
weighted by the square of the distance.

Two raters: J. Cohen (1968), "Weighted kappa". Any number, with ratings missing: K. Krippendorff (2011), "Computing
Krippendorff's Alpha-Reliability", interval scale.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.scoring.statistics.correlation import moments

Floats = NDArray[np.float64]
ROUNDING = 1e-9
"""Expected disagreements that are no larger, in squared points of the scale, are none."""


def weighted_kappa(first: Floats, second: Floats) -> float:
    """Return quadratic weighted kappa of the ratings of the same items: 1 is perfect agreement, 0 what chance would
    give. ValueError where it is undefined (0/0), as both gave one and the same value throughout.
    """
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"two raters of the same items have ratings of one length, not {first.shape}, {second.shape}")
    if not len(first):
        raise ValueError("no item was rated by both raters")
    if (first == first[0]).all() and (second == first[0]).all():
        raise ValueError(f"kappa is undefined: both raters gave {first[0]:g} to all {len(first):,} items")
    return float(kappa_of_sums(*(np.array([term.sum()]) for term in moments(first, second)))[0])


def kappa_of_sums(n: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats) -> Floats:
    """Return the kappa of each of several samples, from the sums of their `moments`. An undefined one counts as 1:
    leaving it out would feign certainty where one rare value carries the result.
    """
    observed, expected = (xx + yy - 2 * xy) / n, (xx + yy) / n - 2 * (x / n) * (y / n)
    return 1 - np.divide(observed, expected, out=np.zeros_like(observed), where=expected > ROUNDING)


def krippendorff_alpha(ratings: Floats) -> float:
    """Return alpha of `ratings`, shape (items, raters), NaN where one is missing: 1 is perfect agreement, 0 what chance
    would give. ValueError where it is undefined: no item has two ratings, or all are equal.
    """
    if ratings.ndim != 2:
        raise ValueError(f"ratings have the shape (items, raters), not {ratings.shape}")
    counting = pairable(ratings)
    if not counting.any():
        raise ValueError(f"none of {len(ratings):,} items has two ratings that could be compared")
    given = ratings[counting][~np.isnan(ratings[counting])]
    if (given == given[0]).all():
        raise ValueError(f"alpha is undefined: all {len(given):,} ratings are {given[0]:g}")
    return float(alpha_of_sums(*(np.array([term.sum()]) for term in alpha_terms(ratings[counting])))[0])


def pairable(ratings: Floats) -> NDArray[np.bool_]:
    return np.asarray((~np.isnan(ratings)).sum(axis=1) > 1)


def alpha_terms(ratings: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return of each `pairable` item its ratings' number, sum and squares, measured from the mean of all, and the
    squared differences of its ordered pairs over one less than their number.
    """
    ratings = ratings - np.nanmean(ratings)  # small sums keep more digits; alpha stays the same
    count = (~np.isnan(ratings)).sum(axis=1).astype(np.float64)
    sums, squares = np.nansum(ratings, axis=1), np.nansum(ratings**2, axis=1)
    return count, sums, squares, 2 * (count * squares - sums**2) / (count - 1)


def alpha_of_sums(n: Floats, x: Floats, xx: Floats, differences: Floats) -> Floats:
    """Return the alpha of each of several samples, from the sums of their `terms`; 1 where all ratings are equal."""
    expected = 2 * (n * xx - x**2)
    return 1 - (n - 1) * np.divide(differences, expected, out=np.zeros_like(n), where=expected > ROUNDING * n**2)
