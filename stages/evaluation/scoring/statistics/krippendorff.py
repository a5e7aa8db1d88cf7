"""Krippendorff's alpha of an interval scale: how far any number of raters agree beyond chance, with ratings missing.

K. Krippendorff (2004), "Content Analysis", chapter 11, and (2011), "Computing Krippendorff's Alpha-Reliability":
one minus the observed over the expected disagreement of the matrix of coincidences.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
ROUNDING = 1e-9
"""Expected disagreements that are no larger, in squared points of the scale, are none."""


def krippendorff_alpha(ratings: Floats) -> float:
    """Return alpha: 1 is perfect agreement, 0 what chance would give, less is systematic disagreement.

    `ratings` has shape (items, raters), NaN where a rating is missing; raters are interchangeable. Items with fewer
    than two ratings do not count. ValueError when ratings are not of two dimensions, no item has two ratings, or all
    ratings that can be paired are equal: then chance would agree as well, and alpha is undefined (0/0).
    """
    if ratings.ndim != 2:
        raise ValueError(f"ratings have the shape (items, raters), not {ratings.shape}")
    counting = pairable(ratings)
    if not counting.any():
        raise ValueError(f"none of {len(ratings):,} items has two ratings that could be compared")
    given = ratings[counting][~np.isnan(ratings[counting])]
    if (given == given[0]).all():
        raise ValueError(f"alpha is undefined: all {len(given):,} ratings are {given[0]:g}")
    return float(alpha_of_sums(*(np.array([term.sum()]) for term in terms(ratings[counting])))[0])


def pairable(ratings: Floats) -> NDArray[np.bool_]:
    """Return which items have two ratings or more."""
    return np.asarray((~np.isnan(ratings)).sum(axis=1) > 1)


def terms(ratings: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """Return of each `pairable` item: its ratings' number, sum and squares, measured from the mean of all, and the
    squared differences of its ordered pairs of ratings over one less than their number.
    """
    ratings = ratings - np.nanmean(ratings)  # small sums keep more digits; alpha stays the same
    count = (~np.isnan(ratings)).sum(axis=1).astype(np.float64)
    sums, squares = np.nansum(ratings, axis=1), np.nansum(ratings**2, axis=1)
    return count, sums, squares, 2 * (count * squares - sums**2) / (count - 1)


def alpha_of_sums(n: Floats, x: Floats, xx: Floats, differences: Floats) -> Floats:
    """Return the alpha of each of several samples of items, from the sums of their `terms`.

    A sample whose ratings are all equal, so that alpha is undefined, counts as perfect agreement (1), as in
    `kappa_of_sums`.
    """
    expected = 2 * (n * xx - x**2)
    return 1 - (n - 1) * np.divide(differences, expected, out=np.zeros_like(n), where=expected > ROUNDING * n**2)
