"""Reported values of scores: weighted sums of column means, and functions of sums over items.

A column holds the scores of a group's items on one side in one measure, such as the alignment of a track.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Linear, OfSums, Summed
from stages.evaluation.scoring.scores import Bounds

Scores = NDArray[np.float64]
"""Scores of items, shape (items, columns); NaN where there is none."""


def values(scores: Scores, reported: Mapping[str, Summed]) -> dict[str, float]:
    """Return the reported values; those that lack a column's scores, or are undefined, are left out."""
    found = {name: value_of(scores, one) for name, one in reported.items()}
    return {name: value for name, value in found.items() if not np.isnan(value)}


def value_of(scores: Scores, one: Summed) -> float:
    """Return a reported value; NaN where a column that counts has no scores, or it is undefined."""
    if isinstance(one, Linear):
        return float(combined(column_means(scores), one.factors))
    if not counting_items(scores, one).any():
        return np.nan
    return float(of_sums(terms_of(scores, one).sum(axis=0), one))


def combined(means: NDArray[np.float64], factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return a reported value from column means, shape (..., columns); NaN where a column that counts has none."""
    counting = factors != 0
    return means[..., counting] @ factors[counting]


def column_means(scores: Scores) -> NDArray[np.float64]:
    """Return the mean of every column over the items that have a score, shape (columns,); NaN where none has."""
    there = ~np.isnan(scores)
    with np.errstate(invalid="ignore"):
        return np.where(there, scores, 0).sum(axis=0) / there.sum(axis=0)


def added_by_items(scores: Scores, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each item adds to a weighted sum of column means, shape (items,); 0 without a score."""
    counting = scores[:, factors != 0]
    there = ~np.isnan(counting)
    found: NDArray[np.float64] = np.where(there, counting, 0) @ (factors[factors != 0] / np.maximum(1, there.sum(0)))
    return found


def terms_of(scores: Scores, one: OfSums) -> NDArray[np.float64]:
    """Return what each item adds to every sum, shape (items, k): all 0 of an item that does not count."""
    terms = np.asarray(one.terms(scores), np.float64)
    return np.where(counting_items(scores, one)[:, None], terms, 0)


def counting_items(scores: Scores, one: Summed) -> NDArray[np.bool_]:
    there = ~np.isnan(scores)
    if isinstance(one, Linear):
        return np.any(there[:, one.factors != 0], axis=1)
    return np.all(~np.isnan(one.terms(scores)), axis=1) & np.any(there, axis=1)


def of_sums(sums: NDArray[np.float64], one: OfSums) -> NDArray[np.float64]:
    """Return the values that follow from sums (..., k), NaN where one is undefined or without end."""
    with np.errstate(all="ignore"):
        found = np.asarray(one.value(sums), np.float64)
    return np.where(np.isfinite(found), found, np.nan)


def least(scores: Bounds, one: Summed) -> Scores:
    """Return the scores that give the least of a reported value: a weighted sum is least where what counts negatively
    is highest. A function of sums may go either way: it is of the lowest scores.
    """
    if isinstance(one, OfSums):
        return scores.low
    return np.where(one.factors < 0, scores.high, scores.low)


def difference(first: Scores, second: Scores, one: Summed) -> tuple[Scores, Summed]:
    """Return scores and what to report of them, so that it is the second's value less the first's, over the scores that
    both have: of a weighted sum that of the differences, of a function of sums another of both matrices side by side.
    """
    if isinstance(one, Linear):
        return second - first, one
    columns = first.shape[1]
    both = ~(np.isnan(first) | np.isnan(second))

    def terms(scores: Scores) -> NDArray[np.float64]:
        return np.concatenate([one.terms(scores[:, :columns]), one.terms(scores[:, columns:])], axis=1)

    def value(sums: NDArray[np.float64]) -> NDArray[np.float64]:
        half = sums.shape[-1] // 2
        found: NDArray[np.float64] = one.value(sums[..., half:]) - one.value(sums[..., :half])
        return found

    side_by_side = np.concatenate([np.where(both, first, np.nan), np.where(both, second, np.nan)], axis=1)
    return side_by_side, OfSums(terms, value, parts=2 * one.parts)
