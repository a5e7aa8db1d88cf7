"""Cohen's kappa, weighted by the square of the distance: how far two raters of the same items agree beyond chance.

J. Cohen (1960), "A coefficient of agreement for nominal scales", and (1968), "Weighted kappa": one minus the observed
over the expected disagreement.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.scoring.statistics.correlation import moments

Floats = NDArray[np.float64]
ROUNDING = 1e-9
"""Expected disagreements that are no larger, in squared points of the scale, are none."""


def weighted_kappa(first: Floats, second: Floats) -> float:
    """Return quadratic weighted kappa: 1 is perfect agreement, 0 what chance would give, -1 the least.

    `first` and `second` are the ratings of the same items, shape (items,). A disagreement weighs the square of the
    distance of the values themselves, so that a gap in the scale counts. Chance is each rater's own distribution of
    ratings. ValueError when the shapes differ, there are no items, or both gave one and the same value throughout: then
    chance would agree as well, and kappa is undefined (0/0).
    """
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"two raters of the same items have ratings of one length, not {first.shape}, {second.shape}")
    if not len(first):
        raise ValueError("no item was rated by both raters")
    if (first == first[0]).all() and (second == first[0]).all():
        raise ValueError(f"kappa is undefined: both raters gave {first[0]:g} to all {len(first):,} items")
    return float(kappa_of_sums(*(np.array([term.sum()]) for term in moments(first, second)))[0])


def kappa_of_sums(n: Floats, x: Floats, y: Floats, xx: Floats, yy: Floats, xy: Floats) -> Floats:
    """Return the kappa of each of several samples of items, from the sums of their `moments`.

    A sample in which both raters have one and the same value throughout, so that kappa is undefined, counts as perfect
    agreement (1): no pair in it disagrees. This widens an interval where one rare value carries the result; leaving
    such samples out would feign certainty.
    """
    observed, expected = (xx + yy - 2 * xy) / n, (xx + yy) / n - 2 * (x / n) * (y / n)
    return 1 - np.divide(observed, expected, out=np.zeros_like(observed), where=expected > ROUNDING)
