"""Whether two contestants differ in their mean score on the same items, without assuming a distribution.

The paired permutation test (Fisher 1935, "The design of experiments", section 21): were they alike, each item's
difference could as well have the other sign. P-values of random draws after Phipson and Smyth 2010, "Permutation
p-values should never be zero".
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_ENUMERATED = 13
"""Up to so many clusters all sign vectors are counted: 2^13 = 8,192, fewer than the usual draws."""
SIGNS_AT_ONCE = 2**20
"""8 MB of signs as floats."""


def paired_permutation(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    clusters: NDArray[np.integer[Any]] | None = None,
    draws: int = 10_000,
    seed: int = 0,
) -> float:
    """Return the two-sided p-value, above 0 and at most 1, of a difference in mean score.

    `first` and `second` are scores, shape (items,); items where either is NaN are left out. The signs of all items
    with the same label in `clusters`, shape (items,), flip together; without it every item is a cluster of its own.
    With at most 13 clusters among the items left, p is the exact share of all sign vectors whose mean difference is
    at least as far from 0 as the observed one. With more, p = (1 + such draws) / (1 + draws). Differences that are
    equal up to rounding count as equal. ValueError when no item is left, for unlike lengths, infinite scores, labels
    that are not integers, and fewer than one draw.
    """
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"paired scores need one axis and the same length, not {first.shape} and {second.shape}")
    if clusters is not None and (clusters.shape != first.shape or clusters.dtype.kind not in "iu"):
        raise ValueError(f"{len(first)} items need as many integer labels, not {clusters.shape} of {clusters.dtype}")
    if draws < 1:
        raise ValueError(f"a permutation test needs at least one draw, not {draws}")
    both = ~(np.isnan(first) | np.isnan(second))
    if not both.any():
        raise ValueError("no item has a score of both")
    one, other = first[both], second[both]
    if not (np.isfinite(one).all() and np.isfinite(other).all()):
        raise ValueError("a score is infinite")
    sums = one - other
    if clusters is not None:
        _, positions = np.unique(clusters[both], return_inverse=True)
        sums = np.bincount(positions, weights=sums)
    # Sums stand for means: all sign vectors are over the same items. The tolerance covers scores that are right to
    # a few units in the last place, and any order of adding up.
    sizes = 4 * (np.abs(one) + np.abs(other)).sum() + len(one) * np.abs(one - other).sum()
    least = abs(sums.sum()) - np.finfo(np.float64).eps * sizes
    if len(sums) <= MOST_ENUMERATED:
        signs = 1 - 2 * (np.arange(2 ** len(sums))[:, None] >> np.arange(len(sums)) & 1)
        return float((np.abs(signs @ sums) >= least).mean())
    chance = np.random.default_rng(seed)
    at_once = max(1, SIGNS_AT_ONCE // len(sums))
    far = 0
    for start in range(0, draws, at_once):
        signs = 1 - 2 * chance.integers(0, 2, size=(min(at_once, draws - start), len(sums)), dtype=np.int8)
        far += int((np.abs(signs @ sums) >= least).sum())
    return (1 + far) / (1 + draws)
