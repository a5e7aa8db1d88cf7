"""How far reported values move with the items that they are of: the one ground of intervals, tests and ranks.

A weighted sum of column means moves by what an item adds to it; a function of sums by what it would be if an item stood
once more in the place of its stratum's average (Efron and Stein 1981, "The jackknife estimate of variance").
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Linear, OfSums, Scale, Summed
from stages.evaluation.scoring.statistics.inference import Inferred, as_many_equal
from stages.evaluation.scoring.statistics.standard_error import Movement, drawn_within, standard_error
from stages.evaluation.scoring.values import Scores, column_means, counting_items, of_sums, terms_of, value_of

ROUNDING = 1e-9
"""Scores that lie no further from their mean are equal to it."""


def inferred(scores: Scores, strata: NDArray[np.int64], one: Summed, ends: Scale | None) -> Inferred | None:
    """Return a reported value with its standard error; None where it cannot be told how far it varies."""
    return with_error(value_of(scores, one), movement(scores, strata, one), strata, one, ends)


def with_error(
    value: float, moves: Movement, strata: NDArray[np.int64], one: Summed, ends: Scale | None
) -> Inferred | None:
    """Return a value that items move so with its standard error; None where it is undefined, or how far it varies."""
    error = None if np.isnan(value) else standard_error(moves, strata)
    if error is None:
        return None
    if not isinstance(one, Linear):
        return Inferred(value, error, int(moves.there.sum(axis=0).min()), ends)
    return Inferred(value, error, as_many_equal(moves.weight[moves.there.any(axis=1)]), ends)


def movement(scores: Scores, strata: NDArray[np.int64], one: Summed) -> Movement:
    """Return how items move a reported value.

    An item that adds nothing to any of a function's sums tells nothing of it, such as one without a denominator of a
    ratio: of two that do, nobody knows how far a third would lie off.
    """
    there: NDArray[np.bool_]
    if isinstance(one, Linear):
        there = ~np.isnan(scores[:, one.factors != 0])
        each = np.abs(one.factors[one.factors != 0]) / np.maximum(1, there.sum(axis=0))
        return Movement(deviations(scores, one.factors), there @ each, there)
    terms, counting = terms_of(scores, one), counting_items(scores, one)[:, None]
    telling = np.any(terms.reshape(len(terms), one.parts, -1), axis=2)
    there = np.where(telling.any(axis=0), telling, counting)
    return Movement(influences(terms, strata, one), np.any(there, axis=1).astype(np.float64), there)


def deviations(scores: Scores, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each item adds to a weighted sum by lying off its columns' means, shape (items,); 0 without a score.

    How many scores a column has is held fast, as it is of the value itself.
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
    within = drawn_within(strata)
    for stratum in np.unique(within):
        items = within == stratum
        apart[items] = terms[items] - terms[items].mean(axis=0)
    apart[np.abs(apart) <= ROUNDING] = 0
    moved = of_sums(terms.sum(axis=0) + apart, one) - of_sums(terms.sum(axis=0), one)
    return np.where(apart.any(axis=1), moved, 0)


def within_strata(moves: Movement, strata: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return how items move a value around the means of their strata, shape (items,); 0 where they do not count: what
    draws multiply.
    """
    counting = moves.there.any(axis=1) & np.isfinite(moves.moved)
    within = np.unique(drawn_within(strata), return_inverse=True)[1]
    moved = np.where(counting, moves.moved, 0)
    means = np.bincount(within, moved) / np.maximum(1, np.bincount(within, counting))
    found: NDArray[np.float64] = np.where(counting, moved - means[within], 0)
    return np.where(np.abs(found) <= ROUNDING * np.abs(found).max(initial=0), 0, found)
