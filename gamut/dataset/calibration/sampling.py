"""Draw rows to be labelled, and count the drawn rows by stratum and fold.

Half of the rows are below today's threshold, half reach it. So both sides have enough labels: below, to know how much
is rejected rightly; above, where most rows are, to know how much is missed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from heapq import nsmallest
from pathlib import Path
from typing import NamedTuple

import numpy as np
import pyarrow.compute as pc

from gamut.dataset.calibration.filters import FILTERS, abouts_now
from gamut.dataset.calibration.labels import ALL, BLANK, KINDS, Label, stratum_below, stratum_from, threshold_of
from gamut.dataset.calibration.operating_points import THRESHOLDS, Floats, Strata
from gamut.dataset.shared.source_blocks import Build
from gamut.pipeline.asks import Filter
from gamut.project.errors import UserError
from gamut.project.files import write_csv
from gamut.tables.columns import grouped, place
from gamut.tables.reading import read_columns, read_rows

SAMPLE = Path("datasets/labels/sample.csv")
FOLDS = 5
"""Parts of the labels: each judges what all others choose."""
UNLIKELY = 1e-6
"""Chance that a random sample is taken for one that is not random."""
ROUNDING = 0.0005
"""The largest difference between a weight in a file and the exact weight."""


def write_sample(count: int, params: Build) -> dict[str, int]:
    """Write SAMPLE: up to `count` scored rows of every filter, without their scores, to be labelled by a person.

    Return how many rows each filter has in it. UserError if the file exists: it may hold labels.
    """
    require_no_sample()
    rows_by_filter = {filter_: draw_rows(filter_, filter_.threshold(params), count, params.seed) for filter_ in FILTERS}
    about = abouts_now((filter_.name, row_id) for filter_, found in rows_by_filter.items() for row_id in found)
    rows = []
    for filter_, found in rows_by_filter.items():
        for row_id, (stratum, weight) in sorted(found.items()):  # an order that does not tell the scores
            where = filter_.pictures / f"{place(row_id)[0]}.parquet"
            shown = about.get((filter_.name, row_id))
            rows.append((row_id, filter_.name, where, stratum, f"{weight:.6f}", shown, ""))
    require_no_sample()  # drawing may take minutes
    write_csv(SAMPLE, ("id", "filter", "place", "stratum", "weight", "about", "label"), rows)
    return {filter_.name: len(found) for filter_, found in rows_by_filter.items()}


def require_no_sample() -> None:
    if SAMPLE.exists():
        raise UserError(f"{SAMPLE} exists and may hold labels: rename it first")


def draw_rows(filter_: Filter, threshold: int, count: int, seed: int) -> dict[str, tuple[str, float]]:
    """Return the ids of `count` scored rows, drawn at random, each with its stratum and the number of rows that it
    stands for. Half are below the threshold; if one side has too few rows, the other side gives the rest.
    """
    names = (stratum_below(threshold), stratum_from(threshold))
    lots: dict[str, list[tuple[bytes, str]]] = {name: [] for name in names}
    sizes = dict.fromkeys(names, 0)
    for row in read_rows(filter_.table, ["id", "status", filter_.column]):
        if row["status"] == "ok":
            name = names[row[filter_.column] >= threshold]
            lots[name].append((lot_of(filter_.name, row["id"], seed), row["id"]))
            sizes[name] += 1
            if len(lots[name]) >= 2 * count:  # no more than these are ever needed
                lots[name] = nsmallest(count, lots[name])
    taken = split_count(count, *sizes.values())
    return {
        row_id: (name, sizes[name] / number)
        for name, number in zip(names, taken, strict=True)
        for _, row_id in nsmallest(number, lots[name])
    }


def lot_of(name: str, row_id: str, seed: int) -> bytes:
    """Return a row's lot: from each side, the rows with the lowest lots are drawn."""
    return hashlib.sha256(f"{seed}:{name}:{row_id}".encode()).digest()


def may_be_drawn(name: str, rows: Mapping[str, Label], seed: int) -> bool:
    """Return whether `draw_rows` may have drawn these rows of a filter with these weights.

    On each side all weights must be equal, and the highest lot must be as low as expected. The n-th lowest of N lots,
    as shares of the highest possible, has the distribution Beta(n, N - n + 1), so the table, which may have changed, is
    not needed. Rows that were drawn fail with the chance UNLIKELY. A row put in instead passes only if its own lot is
    low; removed rows cannot be detected.
    """
    from scipy.special import betaincinv  # scipy takes longer to import than a stage to start

    lots = ((label, int.from_bytes(lot_of(name, row_id, seed)) / 2**256) for row_id, label in rows.items())
    sides = grouped((label.stratum, (lot, label.weight)) for label, lot in lots)
    for stratum, found in sides.items():
        highest, weight = max(found)
        of = len(found) * weight
        low, high = betaincinv(len(found), of - len(found) + 1, [UNLIKELY / 2, 1 - UNLIKELY / 2])
        if threshold_of(stratum) is None or len({weight for _, weight in found}) > 1 or not low <= highest <= high:
            return False
    return True


def split_count(count: int, first: int, second: int) -> tuple[int, int]:
    """Return how many of `count` rows to take from each of two sides of these sizes: half, or all of a smaller side."""
    of_first = min(first, max(count // 2, count - second))
    return of_first, min(second, count - of_first)


class DrawnRow(NamedTuple):
    """A row that was drawn to be labelled, and its score now."""

    row_id: str
    label: Label
    score: int


class Sample(NamedTuple):
    """The drawn rows of one filter: their strata, and counts by fold, shape (FOLDS, strata, 4, 11)."""

    strata: Strata
    folds: Floats

    @property
    def counts(self) -> Floats:
        return self.folds.sum(axis=0)


def sample_of(rows: Sequence[DrawnRow], table: Callable[[], Floats], seed: int) -> Sample:
    """Count the drawn rows of one filter; `table` returns how many of all its rows have each score, shape (11,)."""
    names, strata = strata_of(rows, table)
    folds = np.zeros((FOLDS, len(names), len(KINDS), len(THRESHOLDS)))
    for one, fold in deal_into_folds(rows, seed):
        said = BLANK if one.label.verdict is None else one.label.verdict
        folds[fold, names.index(one.label.stratum), said, one.score] += 1
    return Sample(strata, folds)


def strata_of(drawn: Sequence[DrawnRow], table: Callable[[], Floats]) -> tuple[list[str], Strata]:
    """Return the names of the strata that have rows, and what is known of them. The strata of `drawn` are ALL, or the
    two sides of one threshold.

    The score counts of the table are used only if every drawn row still has a score of its side, and each side of the
    table has as many rows as the weights say.
    """
    threshold = threshold_of(drawn[0].label.stratum) if drawn else None
    if threshold is None:
        return [ALL] * bool(drawn), Strata(np.array([float(len(drawn))] * bool(drawn)))
    names = [stratum_below(threshold), stratum_from(threshold)]
    scores = np.arange(len(THRESHOLDS))
    there = np.array([scores < threshold, scores >= threshold]) * table()
    of_side = [[one for one in drawn if one.label.stratum == name] for name in names]
    weighed = np.array([sum(one.label.weight for one in side) for side in of_side])
    numbers = np.array([len(side) for side in of_side])
    in_place = all((one.score >= threshold) == upper for upper, side in enumerate(of_side) for one in side)
    known = in_place and (abs(weighed - there.sum(axis=1)) <= ROUNDING * numbers + 1e-6).all()
    rows = there.sum(axis=1) if known else np.where(numbers > 0, weighed, there.sum(axis=1))
    kept = rows > 0  # also a side from which nothing was drawn
    names = [name for name, has_rows in zip(names, kept, strict=True) if has_rows]
    return names, Strata(rows[kept], there[kept] if known else None)


def deal_into_folds(rows: Iterable[DrawnRow], seed: int) -> Iterator[tuple[DrawnRow, int]]:
    """Yield rows, each with its fold; the rows of every stratum are dealt evenly, in random order."""
    lots = ((hashlib.sha256(f"{seed}:{one.row_id}".encode()).digest(), one) for one in rows)
    for _, of_stratum in sorted(grouped((drawn[1].label.stratum, drawn) for drawn in lots).items()):
        for number, (_, one) in enumerate(sorted(of_stratum)):
            yield one, number % FOLDS


def count_scores(filter_: Filter, shard: str) -> list[int]:
    """Return how many rows of one shard have each score, 0..10."""
    rows = read_columns(filter_.table, shard, ["status", filter_.column])
    scores = rows.filter(pc.equal(rows["status"], "ok"))[filter_.column]
    return list(np.bincount(scores.to_numpy(), minlength=len(THRESHOLDS)).tolist())
