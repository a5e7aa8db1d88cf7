"""Precision and recall at every threshold on scores 0..10, from labelled rows, with bounds that hold.

Positives are the rows that a filter looks for. A filter that rejects looks for rows to reject (score < threshold), a
characteristic for rows that belong (score >= threshold).

Drawn rows are counted in arrays of shape (…, strata, 4, 11): by stratum, by verdict (`KINDS`) and by score. Leading
axes, if any, are separate samples.

A cell is the part of one stratum on one side of a threshold. Labels were drawn at random within a stratum. So, given
how many fell into a cell, they are a simple random sample of it, and its share has exact bounds (Clopper and Pearson
1934). The bounds of m cells hold together if each fails with 1/m of the allowed chance (Bonferroni), and so does
everything that follows from them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.dataset.calibration.labels import BAD, DISPUTED, GOOD

Floats = NDArray[np.float64]
TAIL = 0.025
"""Chance that a lower bound lies above the truth, and the same for an upper bound below it: 95 % between them."""
THRESHOLDS = range(11)


class CellCounts(NamedTuple):
    """Labels of one kind in every cell: how many are `sure` and how many are `open` (unknown), `of` how many drawn
    rows, and the number of `rows` that they were drawn from. Arrays that broadcast to (…, strata, thresholds).
    """

    sure: Floats
    open: Floats
    of: Floats
    rows: Floats


def least_share(found: Floats, of: Floats, tail: Floats | float = TAIL) -> Floats:
    """Return the share, 0..1, at which `found` or more `of` so many labels have the chance `tail`; 0 for none."""
    from scipy.special import betaincinv  # scipy takes longer to import than a stage to start

    some = found > 0
    share = betaincinv(np.where(some, found, 1.0), np.where(some, of - found + 1, 1.0), tail)
    return np.where(some, share, 0.0)


def greatest_share(found: Floats, of: Floats, tail: Floats | float = TAIL) -> Floats:
    """Return the share, 0..1, at which `found` or fewer `of` so many labels have the chance `tail`; 1 for all."""
    return 1 - least_share(of - found, of, tail)


def share_of(part: CellCounts, rest: CellCounts, cells: Floats) -> tuple[Floats, Floats]:
    """Return the lower and upper bound, 0..1, shape (…, thresholds), of the share of `part` in `part` and `rest`.

    `cells` is the number of bounds that share the chance of an error. Open labels count as rest in the lower bound and
    as part in the upper. With a single stratum, the labels of part and rest are a simple random sample themselves, so
    the bounds of the share are exact.
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
    """What labels were drawn from: the number of rows of each stratum, shape (strata,), and of each score, shape
    (strata, 11). `scores` is None if unknown, because scores or the rows of a table have changed.
    """

    rows: Floats
    scores: Floats | None = None


class Points(NamedTuple):
    """What thresholds 0..10 find, in arrays of shape (…, 11): numbers of rows found rightly, missed, and found wrongly;
    precision and recall (NaN if undefined) with 95 % bounds, 0..1.
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

    Values weight each label by the rows that it stands for, without disputed and blank ones. Bounds come from cells
    (`share_of`) with the number of rows that have these scores. If it is unknown, a cell may hold up to its whole
    stratum.
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
    """Return how many rows an undisputed label stands for, shape (…, strata); 0 in a stratum without such labels."""
    return ratio(np.broadcast_to(strata.rows, counts.shape[:-2]), counts[..., :DISPUTED, :].sum(axis=(-2, -1)), 0.0)


def widen_to(value: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats, Floats]:
    """Return a value with its bounds, which are widened to the value if its weights have put it outside them."""
    return value, np.fmin(low, value), np.fmax(high, value)
