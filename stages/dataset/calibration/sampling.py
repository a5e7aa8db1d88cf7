"""Rows drawn to be labelled: half of them from below the threshold of today, half from what reaches it.

So there are labels enough on both sides: below, to know how much is rejected rightly; above, where most rows are, to
know how much is overlooked.
"""

from __future__ import annotations

import hashlib
from heapq import nsmallest
from pathlib import Path

from stages.dataset.calibration.filters import FILTERS, Filter
from stages.dataset.calibration.samples import below, reaching
from stages.dataset.shared.parameters import Params
from stages.project.errors import UserError
from stages.project.files import write_csv
from stages.tables.columns import place
from stages.tables.reading import read_rows

SAMPLE = Path("datasets/labels/sample.csv")


def write_sample(count: int, params: Params) -> dict[str, int]:
    """Write SAMPLE: up to `count` scored rows of every filter, without their scores, to be labelled by a person.

    Returns how many rows each filter has there. A UserError when the file exists: somebody may have labelled it.
    """
    require_no_sample()
    drawn = {filter_: draw(filter_, filter_.threshold(params), count, params.seed) for filter_ in FILTERS}
    rows = (
        (row_id, filter_.name, f"{filter_.pictures}/{place(row_id)[0]}.parquet", stratum, f"{weight:.6f}", "")
        for filter_, found in drawn.items()
        for row_id, (stratum, weight) in sorted(found.items())  # an order that does not tell the scores
    )
    require_no_sample()  # drawing may take minutes
    write_csv(SAMPLE, ("id", "filter", "place", "stratum", "weight", "label"), rows)
    return {filter_.name: len(found) for filter_, found in drawn.items()}


def require_no_sample() -> None:
    """Raise UserError when there is a sample."""
    if SAMPLE.exists():
        raise UserError(f"{SAMPLE} exists and may hold labels: move it to another name first")


def draw(filter_: Filter, threshold: int, count: int, seed: int) -> dict[str, tuple[str, float]]:
    """Return ids of `count` scored rows, drawn at random; each with its stratum and the number of rows that it stands
    for. Half are below the threshold; where one side has fewer rows, the rest is drawn from the other.
    """
    names = (below(threshold), reaching(threshold))
    lots: dict[str, list[tuple[bytes, str]]] = {name: [] for name in names}
    sizes = dict.fromkeys(names, 0)
    for row in read_rows(filter_.table, ["id", "status", filter_.column]):
        if row["status"] == "ok":
            name = names[row[filter_.column] >= threshold]
            lots[name].append((hashlib.sha256(f"{seed}:{filter_.name}:{row['id']}".encode()).digest(), row["id"]))
            sizes[name] += 1
            if len(lots[name]) >= 2 * count:  # no more than these are ever needed
                lots[name] = nsmallest(count, lots[name])
    taken = shared_out(count, *sizes.values())
    return {
        row_id: (name, sizes[name] / number)
        for name, number in zip(names, taken, strict=True)
        for _, row_id in nsmallest(number, lots[name])
    }


def shared_out(count: int, first: int, second: int) -> tuple[int, int]:
    """Return how many of `count` to take from two sides with so many rows: half of each, all of one that has fewer."""
    of_first = min(first, max(count // 2, count - second))
    return of_first, min(second, count - of_first)
