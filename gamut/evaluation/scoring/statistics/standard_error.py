"""The standard error of a value that is a sum over items in strata, and how well it is known.

Few items tell little of how much they vary (Satterthwaite 1946), rare faults tell little though items are many (the
variance of a variance grows with the fourth moment: Cramér 1946, section 27.4), and a stratum in which by chance
nothing went wrong seems to hold no risk at all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
BORROWED = 4.0
"""Degrees of freedom that a stratum borrows from all strata together, as far as its own are worth nothing."""


class StandardError(NamedTuple):
    """Of a value, in its unit; and the degrees of freedom that Student's t has for it."""

    error: float
    degrees: float


class Movement(NamedTuple):
    """How items move a value: `moved`, shape (items,), what each adds by lying off the average; `weight`, shape
    (items,), how much of the value a point of its score is; `there`, shape (items, columns), which have a score.
    """

    moved: Floats
    weight: Floats
    there: NDArray[np.bool_]


def standard_error(movement: Movement, strata: NDArray[np.int64]) -> StandardError | None:
    """Return how far a value varies with the items drawn within `strata`, shape (items,); None where a column that
    counts has fewer than two items, no stratum has two, or it is undefined how an item moves the value.

    Of a stratum of m items the variance s² of what a point of theirs adds has m - 1 degrees of freedom; with an excess
    kurtosis γ it has as many as make 2/d = 2/(m - 1) + γ/m. As far as they are less, by 1 - d/(m - 1), the stratum is
    believed to vary as (d·s² + BORROWED·S²)/(d + BORROWED) instead, with S² that of all strata: where faults are rare,
    none in three items is no sign that there are none. γ is the mean over strata, each by itself; where scores are less
    peaked than normal ones it is 0. Estimates of variances V of d degrees together have (ΣV)²/Σ(V²/d), with those
    borrowed, and no more than S² has by the kurtosis of all deviations as one.
    """
    moved, weight, there = movement
    if not there.size or (there.sum(axis=0) < 2).any() or not np.isfinite(moved).all():
        return None
    counting = there.any(axis=1)
    within = np.unique(drawn_within(strata)[counting], return_inverse=True)[1]
    sizes = np.bincount(within)
    columns = np.stack([np.bincount(within, column) for column in there[counting].T.astype(np.float64)], axis=1)
    fewest = np.where(columns > 0, columns, np.inf).min(axis=1)
    point = np.bincount(within, weight[counting]) / sizes
    apart = moved[counting] - (np.bincount(within, moved[counting]) / sizes)[within]
    units = apart / point[within]
    squares, fourths = (np.bincount(within, units**power).astype(np.float64) for power in (2, 4))
    degrees = fewest - 1
    if not degrees.any():
        return None
    own = np.divide(squares / sizes * fewest, degrees, out=np.zeros_like(squares), where=degrees > 0)
    together = float((degrees * own).sum() / degrees.sum())
    if not together:
        return StandardError(0.0, float(degrees.sum()))
    excess = excess_kurtosis(fourths, squares, sizes)
    known = np.divide(1, 1 / np.maximum(degrees, 1) + excess / (2 * fewest), where=degrees > 0, out=np.zeros_like(own))
    worth = known / np.maximum(degrees, 1)
    between = (known * own + BORROWED * together) / (known + BORROWED)
    believed = worth * own + (1 - worth) * between
    variances = believed * point**2 * sizes
    shares = variances / variances.sum()  # squares of tiny variances would vanish
    as_one = excess_kurtosis(fourths.sum(keepdims=True), squares.sum(keepdims=True), sizes.sum(keepdims=True))
    of_all = 1 / (1 / degrees.sum() + as_one / (2 * fewest.sum()))
    satterthwaite = 1 / (shares**2 / (known + BORROWED * (1 - worth))).sum()
    return StandardError(float(np.sqrt(variances.sum())), float(min(satterthwaite, of_all)))


def excess_kurtosis(fourths: Floats, squares: Floats, sizes: NDArray[np.int64]) -> float:
    """Return by how much deviations are more peaked than normal ones, at least 0, from sums of fourth powers and
    squares.
    """
    normal = squares**2 / sizes
    return float(np.maximum(0, fourths - 3 * normal).sum() / normal.sum())


def drawn_within(strata: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return within what items vary: strata, but those of a single item as one, or together with the smallest other."""
    names, places, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    alone = sizes == 1
    if alone.sum() == 1 and len(names) > 1:
        alone[np.argmin(np.where(alone, np.inf, sizes))] = True
    return np.where(alone[places], names[alone].min(), strata) if alone.any() else strata
