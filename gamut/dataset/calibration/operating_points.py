"""Precision and recall at every threshold on scores 0..10, from labelled rows, with bounds that hold.

What a filter looks for are its positives: for one that rejects the rows that should be rejected, found when
score < threshold; for a characteristic the rows that belong, found when score >= threshold.

What was drawn is counted in arrays of shape (…, strata, 4, 11): by stratum, by what is said of it (`KINDS`) and by
score; what stands in front, if anything, are samples of their own.

A cell is what one stratum has on one side of a threshold. Labels were drawn at random within a stratum; so, given how
many of them fell into a cell, they are a simple random sample of it, whose share has exact bounds (Clopper and Pearson
1934). All bounds of m cells hold together when each fails with a chance of a m-th (Bonferroni), and then so does what
follows from them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.dataset.calibration.labels import BAD, DISPUTED, GOOD

Floats = NDArray[np.float64]
TAIL = 0.025
"""Chance that a lower bound lies above the truth, and that an upper one lies below: 95 % between them."""
THRESHOLDS = range(11)


class CellCounts(NamedTuple):
    """Labels of one kind in every cell: how many are `sure` and how many `open`, which nobody knows, `of` how many rows
    that were drawn, and how many `rows` these were drawn from. Arrays that broadcast to (…, strata, thresholds).
    """

    sure: Floats
    open: Floats
    of: Floats
    rows: Floats


def least_share(found: Floats, of: Floats, tail: Floats | float = TAIL) -> Floats:
    """Return the share, 0..1, at which `found` or more `of` so many labels come by a chance of `tail`; 0 for none."""
    from scipy.special import betaincinv  # scipy takes longer to import than a stage to start

    some = found > 0
    share = betaincinv(np.where(some, found, 1.0), np.where(some, of - found + 1, 1.0), tail)
    return np.where(some, share, 0.0)


def greatest_share(found: Floats, of: Floats, tail: Floats | float = TAIL) -> Floats:
    """Return the share, 0..1, at which `found` or fewer `of` so many labels come by a chance of `tail`; 1 for all."""
    return 1 - least_share(of - found, of, tail)


def share_of(part: CellCounts, rest: CellCounts, cells: Floats) -> tuple[Floats, Floats]:
    """Return the lower and upper bound, 0..1, shape (…, thresholds), of the share that `part` has of `part` and `rest`.

    `cells` is for how many bounds the chance of an error has to suffice. What is open is no part in the lower
    bound, and no rest in the upper. Of a single stratum the share is itself one of a simple random sample: of those
    labels that are of the part or the rest, whatever else was drawn.
    """
    if part.sure.shape[-2] == 1:
        low = least_share(part.sure, part.sure + rest.sure + rest.open)
        high = greatest_share(part.sure + part.open, part.sure + part.open + rest.sure)
        return low[..., 0, :], high[..., 0, :]
    tail = TAIL / np.maximum(cells, 1)
    least = [(one.rows * least_share(one.sure, one.of, tail)).sum(axis=-2) for one in (part, rest)]
    most = [(one.rows * greatest_share(one.sure + one.open, one.of, tail)).sum(axis=-2) for one in (part, rest)]
    return ratio(least[0], least[0] + most[1], 0.0), ratio(most[0], most[0] + least[1], 1.0)


def ratio(part: Floats, whole: Floats, otherwise: float) -> Floats:
    return np.divide(part, whole, out=np.full(np.broadcast(part, whole).shape, otherwise), where=whole > 0)


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
    found, missed = counts_by_side(counts, rejects)
    positive, negative = (BAD, GOOD) if rejects else (GOOD, BAD)
    right, missing, wrong = found[..., positive, :], missed[..., positive, :], found[..., negative, :]
    of_found, of_missed = found.sum(axis=-2), missed.sum(axis=-2)
    if strata.scores is None:
        rows_found = rows_missed = strata.rows[:, None]
        of_found = of_missed = of_found + of_missed
        cells = cells_found = np.array(2.0 * len(strata.rows))
    else:
        rows_found, rows_missed = counts_by_side(strata.scores, rejects)
        cells_found = (rows_found > 0).sum(axis=0).astype(np.float64)
        cells = cells_found + (rows_missed > 0).sum(axis=0)
    open_found, open_missed = (side[..., DISPUTED:, :].sum(axis=-2) for side in (found, missed))
    of_right = CellCounts(right, open_found, of_found, rows_found)
    of_wrong = CellCounts(wrong, open_found, of_found, rows_found)
    of_missing = CellCounts(missing, open_missed, of_missed, rows_missed)
    weights = weights_of(counts, strata)[..., None]
    hits, misses, alarms = ((weights * one).sum(axis=-2) for one in (right, missing, wrong))
    return Points(
        right.sum(axis=-2),
        missing.sum(axis=-2),
        wrong.sum(axis=-2),
        *widen_to(ratio(hits, hits + alarms, np.nan), *share_of(of_right, of_wrong, cells_found)),
        *widen_to(ratio(hits, hits + misses, np.nan), *share_of(of_right, of_missing, cells)),
    )


def counts_by_side(counts: Floats, rejects: bool) -> tuple[Floats, Floats]:
    """Return how many are found and how many not at each threshold, from how many have each score (last axis)."""
    below = counts.cumsum(axis=-1) - counts
    others = counts.sum(axis=-1, keepdims=True) - below
    return (below, others) if rejects else (others, below)


def weights_of(counts: Floats, strata: Strata) -> Floats:
    """Return for how many rows a label that nobody disputes stands, shape (…, strata); 0 in a stratum without."""
    return ratio(np.broadcast_to(strata.rows, counts.shape[:-2]), counts[..., :DISPUTED, :].sum(axis=(-2, -1)), 0.0)


def widen_to(value: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a value with its bounds, moved out to it where other weights have put it beyond them."""
    return value, np.fmin(low, value), np.fmax(high, value)
