"""Precision and recall at every threshold on scores 0..10, from labelled rows, with bounds that hold.

What a filter looks for are its positives: for one that rejects the rows that should be rejected, found when
score < threshold; for a characteristic the rows that belong, found when score >= threshold.

What was drawn is counted in arrays of shape (…, strata, 4, 11): by stratum, by what is said of it (`KINDS`) and by
score; what stands in front, if anything, are samples of their own.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from stages.dataset.calibration.bounds import Counted, Floats, ratio, share_of
from stages.dataset.calibration.labels import BAD, DISPUTED, GOOD

THRESHOLDS = range(11)


class Strata(NamedTuple):
    """What labels were drawn from: how many rows each stratum has, shape (strata,), and how many of each score, shape
    (strata, 11); None where that is not known, because scores are others now or a table has other rows.
    """

    rows: Floats
    scores: Floats | None = None


class Points(NamedTuple):
    """What thresholds 0..10 find, each an array of shape (…, 11): rows that are rightly found, missed and falsely
    found; precision and recall, NaN where undefined, with bounds 0..1 that hold with 95 %.
    """

    found: Floats
    missed: Floats
    false_alarms: Floats
    precision: Floats
    precision_low: Floats
    precision_high: Floats
    recall: Floats
    recall_low: Floats
    recall_high: Floats


def points_of(counts: Floats, strata: Strata, rejects: bool) -> Points:
    """Return what is known of all thresholds.

    Values are of labels by the rows that each stands for, without disputed and blank ones; bounds of cells
    (`share_of`), of as many rows as have these scores, or, where that is not known, of any number that its stratum may
    have there.
    """
    found, missed = sides(counts, rejects)
    positive, negative = (BAD, GOOD) if rejects else (GOOD, BAD)
    right, missing, wrong = found[..., positive, :], missed[..., positive, :], found[..., negative, :]
    of_found, of_missed = found.sum(axis=-2), missed.sum(axis=-2)
    if strata.scores is None:
        rows_found = rows_missed = strata.rows[:, None]
        of_found = of_missed = of_found + of_missed
        cells = cells_found = np.array(2.0 * len(strata.rows))
    else:
        rows_found, rows_missed = sides(strata.scores, rejects)
        cells_found = (rows_found > 0).sum(axis=0).astype(np.float64)
        cells = cells_found + (rows_missed > 0).sum(axis=0)
    open_found, open_missed = (side[..., DISPUTED:, :].sum(axis=-2) for side in (found, missed))
    of_right = Counted(right, open_found, of_found, rows_found)
    of_wrong = Counted(wrong, open_found, of_found, rows_found)
    of_missing = Counted(missing, open_missed, of_missed, rows_missed)
    weights = weights_of(counts, strata)[..., None]
    hits, misses, alarms = ((weights * one).sum(axis=-2) for one in (right, missing, wrong))
    return Points(
        right.sum(axis=-2),
        missing.sum(axis=-2),
        wrong.sum(axis=-2),
        *around(ratio(hits, hits + alarms, np.nan), *share_of(of_right, of_wrong, cells_found)),
        *around(ratio(hits, hits + misses, np.nan), *share_of(of_right, of_missing, cells)),
    )


def sides(counts: Floats, rejects: bool) -> tuple[Floats, Floats]:
    """Return how many are found and how many are not at each threshold, from how many have each score (last axis)."""
    below = counts.cumsum(axis=-1) - counts
    others = counts.sum(axis=-1, keepdims=True) - below
    return (below, others) if rejects else (others, below)


def weights_of(counts: Floats, strata: Strata) -> Floats:
    """Return for how many rows a label that nobody disputes stands, shape (…, strata); 0 in a stratum without."""
    return ratio(np.broadcast_to(strata.rows, counts.shape[:-2]), counts[..., :DISPUTED, :].sum(axis=(-2, -1)), 0.0)


def around(value: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a value with its bounds, moved out to it where other weights have put it beyond them."""
    return value, np.fmin(low, value), np.fmax(high, value)


def average_precision(counts: Floats, strata: Strata, rejects: bool) -> float | None:
    """Return the mean of the precisions at every score, weighted by the gain in recall; None without positives."""
    weights = (weights_of(counts, strata)[:, None, None] * counts[:, :DISPUTED]).sum(axis=0)
    negatives, positives = weights[::-1] if rejects else weights[:, ::-1]  # found first: in front
    found, false_alarms = positives.cumsum(), negatives.cumsum()
    gains = positives > 0
    if not gains.any():
        return None
    precision = found[gains] / (found + false_alarms)[gains]
    return float((positives[gains] * precision).sum() / found[-1])
