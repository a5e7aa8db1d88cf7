"""How far reported values move when items are drawn anew: one shared bootstrap for all of them.

A weighted sum of column means moves by what the drawn items add to it; a function of sums is computed again from the
sums over what was drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Linear, OfSums, Reportable
from stages.evaluation.scoring.statistics.bootstrap import (
    Freedom,
    Scores,
    Weights,
    item_weights,
    satterthwaite,
)
from stages.evaluation.scoring.values import column_means, counting_items, of_sums, terms_of, value_of

DRAWS = 10_000
ROUNDING = 1e-9
"""Scores that lie no further from their mean are equal to it."""


class Spread(NamedTuple):
    """How far each item moves a reported value (`moved`), shape (items,), and the freedom of that; None where a column
    that counts has fewer than two items in its only stratum, or in all of them.
    """

    moved: NDArray[np.float64]
    freedom: Freedom | None


class Drawn(NamedTuple):
    """A reported value, how far each draw moves it, shape (draws,), NaN where it is undefined there, and its spread."""

    value: float
    moved: NDArray[np.floating]
    spread: Spread


def shared_weights(strata: NDArray[np.int64], seed: int) -> Weights:
    """Return the bootstrap's item weights: the same for contestants, judges and controls, so that differences are
    paired.
    """
    return item_weights(np.arange(len(strata)), drawn_within(strata), DRAWS, seed)


def drawn_within(strata: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return within what items are drawn: strata, but those of a single item, which would never move, as one; where
    there is but one such, together with the smallest other.
    """
    names, places, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    alone = sizes == 1
    if alone.sum() == 1 and len(names) > 1:
        alone[np.argmin(np.where(alone, np.inf, sizes))] = True
    return np.where(alone[places], names[alone].min(), strata) if alone.any() else strata


def drawn(wanted: Sequence[tuple[Scores, Reportable]], strata: NDArray[np.int64], weights: Weights) -> list[Drawn]:
    """Return reported values with their draws, each of scores of its own; `weights` were drawn within `strata`."""
    spreads = [spread(scores, strata, one) for scores, one in wanted]
    linear = [number for number, (_, one) in enumerate(wanted) if isinstance(one, Linear)]
    moved: dict[int, NDArray[np.floating]] = {}
    if linear:
        together = weights @ np.stack([spreads[number].moved for number in linear], axis=1).astype(np.float32)
        moved = {number: together[:, column] for column, number in enumerate(linear)}
    values = [value_of(scores, one) for scores, one in wanted]
    for number, (scores, one) in enumerate(wanted):
        if isinstance(one, OfSums):
            moved[number] = of_sums(weights @ terms_of(scores, one), one) - values[number]
    return [Drawn(value, moved[number], spreads[number]) for number, value in enumerate(values)]


def spread(scores: Scores, strata: NDArray[np.int64], one: Reportable) -> Spread:
    """Return how far a reported value spreads."""
    if isinstance(one, Linear):
        moved, there = deviations(scores, one.factors), ~np.isnan(scores[:, one.factors != 0])
    else:
        moved, there = influences(terms_of(scores, one), strata, one), counting_items(scores, one)[:, None]
    return Spread(moved, freedom_of(moved, strata, there))


def deviations(scores: Scores, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each item adds to a weighted sum by lying off its columns' means, shape (items,); 0 without a score.

    An item that is drawn k times adds it k times. So a draw is the value and the deviations of all that was
    drawn: exactly so where all items of a column's strata have a score, and elsewhere with the number of scores held
    fast, as it is of the value itself.
    """
    counting = scores[:, factors != 0]
    there = ~np.isnan(counting)
    apart = np.where(there, counting - column_means(counting), 0)
    apart[np.abs(apart) <= ROUNDING] = 0
    return apart @ (factors[factors != 0] / np.maximum(1, there.sum(axis=0)))


def influences(terms: NDArray[np.float64], strata: NDArray[np.int64], one: OfSums) -> NDArray[np.float64]:
    """Return how far a function of sums moves when an item is drawn once more in the place of its stratum's average,
    shape (items,); NaN where it is undefined then.
    """
    apart = np.empty_like(terms)
    for stratum in np.unique(strata):
        items = strata == stratum
        apart[items] = terms[items] - terms[items].mean(axis=0)
    apart[np.abs(apart) <= ROUNDING] = 0
    moved = of_sums(terms.sum(axis=0) + apart, one) - of_sums(terms.sum(axis=0), one)
    return np.where(apart.any(axis=1), moved, 0)


def freedom_of(moved: NDArray[np.float64], strata: NDArray[np.int64], there: NDArray[np.bool_]) -> Freedom | None:
    """Return the freedom of a value that items move so far; `there`: which have scores in each column that counts.

    A stratum has as many items as have scores in the column where fewest have. Strata in one of which a group has a
    single item count as one, since items of the same group stand elsewhere; None for a column of a single item.
    """
    within = (np.unique(strata)[:, None] == strata).astype(np.float64)
    counts = within @ there  # of each stratum and column
    if not there.any(axis=0).all():
        return None
    of_stratum = within.argmax(axis=0)
    variances = within @ (moved - (within @ moved / within.sum(axis=1))[of_stratum]) ** 2
    if (counts == 1).any():
        blocks = joined(counts)
        counts, variances = blocks @ counts, blocks @ variances
        if (counts == 1).any():
            return None
    counting = counts.any(axis=1)
    fewest = np.where(counts > 0, counts, np.inf).min(axis=1)[counting]
    variances = variances[counting]
    return satterthwaite(variances if np.isfinite(variances).all() else np.ones(len(variances)), fewest)


def joined(counts: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return which strata count as one, shape (blocks, strata), where a column has a single item in one of them."""
    block_of = np.arange(len(counts))
    for column in counts[:, (counts == 1).any(axis=0)].T:
        together = np.isin(block_of, block_of[column > 0])
        block_of[together] = block_of[together].min()
    return (np.unique(block_of)[:, None] == block_of).astype(np.float64)
