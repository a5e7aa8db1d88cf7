"""Whether two contestants differ on the same items, in their mean score or a function of sums, without assuming a
distribution.

The paired permutation test (Fisher 1935, "The design of experiments", section 21): were they alike, each item's
difference could as well have the other sign, or what is of the one be of the other. P-values of random draws after
Phipson and Smyth 2010, "Permutation p-values should never be zero".
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

MOST_ENUMERATED = 13
"""Up to so many clusters all sign vectors are counted: 2^13 = 8,192, fewer than the usual draws."""
SIGNS_AT_ONCE = 2**20
"""8 MB of signs as floats."""
ROUNDING = 1e-9
"""Of a function of sums: what differs by less of its size is equal."""


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
    far = count = 0
    for signs in sign_vectors(len(sums), draws, seed):
        far, count = far + int((np.abs(signs @ sums) >= least).sum()), count + len(signs)
    return share(far, count, len(sums))


def paired_permutation_of_sums(
    first: NDArray[np.float64],
    second: NDArray[np.float64],
    value: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    draws: int = 10_000,
    seed: int = 0,
) -> float:
    """Return the two-sided p-value, above 0 and at most 1, of a difference between functions of sums over items.

    `first` and `second` are what each item adds to k sums, shape (items, k); `value` gives from sums (..., k) the
    values (...). Items change sides by chance, all sums of one together. p as of `paired_permutation`; a permutation
    that leaves a value undefined (NaN) counts as far off. ValueError for unlike shapes, no items, terms that are not
    finite, and where the difference itself is undefined.
    """
    if first.ndim != 2 or first.shape != second.shape or not len(first):
        raise ValueError(f"paired terms need items and the same shape, not {first.shape} and {second.shape}")
    if not (np.isfinite(first).all() and np.isfinite(second).all()):
        raise ValueError("a term is not finite")
    middle, half = (first + second).sum(axis=0) / 2, (second - first) / 2

    def apart(signs: NDArray[Any]) -> NDArray[np.float64]:
        moved = signs @ half
        found: NDArray[np.float64] = value(middle + moved) - value(middle - moved)
        return found

    both = value(np.stack([first.sum(axis=0), second.sum(axis=0)]))
    if np.isnan(both).any():
        raise ValueError("the difference is undefined")
    least = float(abs(both[1] - both[0]) - ROUNDING * np.abs(both).sum())
    far = count = 0
    for signs in sign_vectors(len(half), draws, seed):
        far, count = far + int((~(np.abs(apart(signs)) < least)).sum()), count + len(signs)
    return share(far, count, len(half))


def sign_vectors(clusters: int, draws: int, seed: int) -> Iterator[NDArray[Any]]:
    """Yield all sign vectors of at most 13 clusters, else as many random ones, a few megabytes at once."""
    if clusters <= MOST_ENUMERATED:
        yield 1 - 2 * (np.arange(2**clusters)[:, None] >> np.arange(clusters) & 1)
        return
    chance = np.random.default_rng(seed)
    at_once = max(1, SIGNS_AT_ONCE // clusters)
    for start in range(0, draws, at_once):
        yield 1 - 2 * chance.integers(0, 2, size=(min(at_once, draws - start), clusters), dtype=np.int8)


def share(far: int, count: int, clusters: int) -> float:
    """Return the p-value of so many sign vectors that are far off: exact of all, never 0 of some."""
    return far / count if clusters <= MOST_ENUMERATED else (1 + far) / (1 + count)
