"""Reported values of scores: weighted sums of column means, and functions of sums over items.

A column holds the scores of a group's items in one setting in one measure, such as the alignment of a track.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Linear, OfSums, Resampled, Scale, Summed
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics import inference
from gamut.evaluation.scoring.statistics.inference import LEVEL, Draws, Floats, Inferred, Movement
from gamut.evaluation.scoring.statistics.ranks import DRAWS

Scores = NDArray[np.float64]
"""Scores of items, shape (items, columns); NaN where there is none."""


def value_of(scores: Scores, one: Summed) -> float:
    """Return a value of scores. NaN if a column that counts has no scores, or the value is undefined."""
    if isinstance(one, Linear):
        return float(weigh_means(column_means(scores), one.factors))
    if not counting_items(scores, one).any():
        return np.nan
    return float(value_of_sums(terms_of(scores, one).sum(axis=0), one))


def weigh_means(means: Floats, factors: Floats) -> Floats:
    """Return the weighted sum. `means`: shape (..., columns). NaN if a column that counts has no mean."""
    counting = factors != 0
    return means[..., counting] @ factors[counting]


def column_means(scores: Scores) -> Floats:
    """Return the means over items with a score, shape (columns,); NaN if none has one."""
    there = ~np.isnan(scores)
    with np.errstate(invalid="ignore"):
        return np.where(there, scores, 0).sum(axis=0) / there.sum(axis=0)


def item_contributions(scores: Scores, factors: Floats) -> Floats:
    """Return what each item adds to a weighted sum of column means, shape (items,); 0 without a score."""
    counting = scores[:, factors != 0]
    there = ~np.isnan(counting)
    found: Floats = np.where(there, counting, 0) @ (factors[factors != 0] / np.maximum(1, there.sum(0)))
    return found


def terms_of(scores: Scores, one: OfSums) -> Floats:
    """Return what each item adds to every sum, shape (items, k); 0 for an item that does not count."""
    terms = np.asarray(one.terms(scores), np.float64)
    return np.where(counting_items(scores, one)[:, None], terms, 0)


def counting_items(scores: Scores, one: Summed) -> NDArray[np.bool_]:
    there = ~np.isnan(scores)
    if isinstance(one, Linear):
        return np.any(there[:, one.factors != 0], axis=1)
    return np.all(~np.isnan(one.terms(scores)), axis=1) & np.any(there, axis=1)


def value_of_sums(sums: Floats, one: OfSums) -> Floats:
    with np.errstate(all="ignore"):
        found = np.asarray(one.value(sums), np.float64)
    return np.where(np.isfinite(found), found, np.nan)


def least_scores(scores: Bounds, one: Summed) -> Scores:
    """Return the scores that give the lowest reported value: the highest for columns that count negatively."""
    if isinstance(one, OfSums):
        return scores.low
    return np.where(one.factors < 0, scores.high, scores.low)


def paired_difference(first: Scores, second: Scores, one: Summed) -> tuple[Scores, Summed]:
    """Return scores and a value of them that is the second contestant's minus the first's, over what both have."""
    if isinstance(one, Linear):
        return second - first, one
    columns = first.shape[1]
    both = ~(np.isnan(first) | np.isnan(second))

    def terms(scores: Scores) -> Floats:
        return np.concatenate([one.terms(scores[:, :columns]), one.terms(scores[:, columns:])], axis=1)

    def value(sums: Floats) -> Floats:
        half = sums.shape[-1] // 2
        found: Floats = one.value(sums[..., half:]) - one.value(sums[..., :half])
        return found

    side_by_side = np.concatenate([np.where(both, first, np.nan), np.where(both, second, np.nan)], axis=1)
    return side_by_side, OfSums(terms, value, parts=2 * one.parts)


ROUNDING = 1e-9
"""Scores that are no further from their mean are equal to it."""


def infer_value(scores: Scores, strata: NDArray[np.int64], one: Summed, ends: Scale | None) -> Inferred | None:
    """Return a value with its uncertainty. None if that is unknown."""
    return infer_from_movement(value_of(scores, one), movement(scores, strata, one), strata, one, ends)


def infer_from_movement(
    value: float, moves: Movement, strata: NDArray[np.int64], one: Summed, ends: Scale | None
) -> Inferred | None:
    """Return the same. `moves`: how items move the value. None if it, or its uncertainty, is undefined."""
    error = None if np.isnan(value) else inference.standard_error(moves, strata)
    if error is None:
        return None
    if not isinstance(one, Linear):
        return Inferred(value, error, int(moves.scored.sum(axis=0).min()), ends)
    return Inferred(value, error, inference.effective_items(moves.weight[moves.scored.any(axis=1)]), ends)


def movement(scores: Scores, strata: NDArray[np.int64], one: Summed) -> Movement:
    """Return how items move a value. An item that adds nothing to any of a function's sums does not count."""
    there: NDArray[np.bool_]
    if isinstance(one, Linear):
        there = ~np.isnan(scores[:, one.factors != 0])
        each = np.abs(one.factors[one.factors != 0]) / np.maximum(1, there.sum(axis=0))
        return Movement(deviations(scores, one.factors), there @ each, there)
    terms, counting = terms_of(scores, one), counting_items(scores, one)[:, None]
    telling = np.any(terms.reshape(len(terms), one.parts, -1), axis=2)
    there = np.where(telling.any(axis=0), telling, counting)
    return Movement(influences(terms, strata, one), np.any(there, axis=1).astype(np.float64), there)


def deviations(scores: Scores, factors: Floats) -> Floats:
    """Return what each item adds to a weighted sum by its distance from its columns' means, shape (items,)."""
    counting = scores[:, factors != 0]
    there = ~np.isnan(counting)
    apart = np.where(there, counting - column_means(counting), 0)
    apart[np.abs(apart) <= ROUNDING] = 0
    return apart @ (factors[factors != 0] / np.maximum(1, there.sum(axis=0)))


def influences(terms: Floats, strata: NDArray[np.int64], one: OfSums) -> Floats:
    """Return how far a function of sums moves if an item is drawn again in place of its stratum's average, shape
    (items,); NaN if it is then undefined.
    """
    apart = np.empty_like(terms)
    within = inference.sampling_strata(strata)
    for stratum in np.unique(within):
        items = within == stratum
        apart[items] = terms[items] - terms[items].mean(axis=0)
    apart[np.abs(apart) <= ROUNDING] = 0
    moved = value_of_sums(terms.sum(axis=0) + apart, one) - value_of_sums(terms.sum(axis=0), one)
    return np.where(apart.any(axis=1), moved, 0)


def movement_within_strata(moves: Movement, strata: NDArray[np.int64]) -> Floats:
    """Return how items move a value around the means of strata, shape (items,); 0 for items that do not count."""
    counting = moves.scored.any(axis=1) & np.isfinite(moves.moved)
    within = np.unique(inference.sampling_strata(strata), return_inverse=True)[1]
    moved = np.where(counting, moves.moved, 0)
    means = np.bincount(within, moved) / np.maximum(1, np.bincount(within, counting))
    found: Floats = np.where(counting, moved - means[within], 0)
    return np.where(np.abs(found) <= ROUNDING * np.abs(found).max(initial=0), 0, found)


STREAMS = 2, 3
"""Two contestants use separate random streams: equal scores do not make them one contestant."""


@lru_cache(maxsize=1)  # boards of several metrics and judges are of the same items
def bootstrap_weights(items: int, seed: int) -> Floats:
    """Shape (items, DRAWS), exponential."""
    drawn = np.random.default_rng([seed, 1]).standard_exponential((items, DRAWS))
    drawn.setflags(write=False)
    return drawn


def resample_value(scores: Scores, one: Resampled, seed: int, stream: int = STREAMS[0]) -> Draws | None:
    """Return a value of scores at their lowest with its draws, inside its interval. None if it is undefined."""
    own = scores[:, one.counted]
    value = np.nan if np.isnan(own).all() else float(one.value(own))
    if np.isnan(value):
        return None
    low, high = one.draws(own, bootstrap_weights(len(own), seed), np.random.default_rng([seed, stream]))
    return inference.clip_to_interval(Draws(value, low, high, one.ends), LEVEL)


def count_items(scores: Scores, one: Resampled) -> int:
    return int((~np.isnan(scores[:, one.counted])).any(axis=1).sum())
