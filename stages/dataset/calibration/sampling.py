"""Rows drawn to be labelled: half of them from below the threshold of today, half from what reaches it.

So there are labels enough on both sides: below, to know how much is rejected rightly; above, where most rows are, to
know how much is overlooked.
"""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Mapping
from heapq import nsmallest
from pathlib import Path

from stages.dataset.calibration.filters import FILTERS, Filter
from stages.dataset.calibration.labels import Label
from stages.dataset.calibration.samples import UNLIKELY, below, reaching, threshold_of
from stages.dataset.calibration.shown import abouts_now
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
    about = abouts_now((filter_.name, row_id) for filter_, found in drawn.items() for row_id in found)
    rows = (
        [
            row_id,
            filter_.name,
            path_of(filter_, row_id),
            stratum,
            f"{weight:.6f}",
            about.get((filter_.name, row_id)),
            "",
        ]
        for filter_, found in drawn.items()
        for row_id, (stratum, weight) in sorted(found.items())  # an order that does not tell the scores
    )
    require_no_sample()  # drawing may take minutes
    write_csv(SAMPLE, ("id", "filter", "place", "stratum", "weight", "about", "label"), rows)
    return {filter_.name: len(found) for filter_, found in drawn.items()}


def path_of(filter_: Filter, row_id: str) -> Path:
    return filter_.pictures / f"{place(row_id)[0]}.parquet"


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
            lots[name].append((lot_of(filter_.name, row["id"], seed), row["id"]))
            sizes[name] += 1
            if len(lots[name]) >= 2 * count:  # no more than these are ever needed
                lots[name] = nsmallest(count, lots[name])
    taken = shared_out(count, *sizes.values())
    return {
        row_id: (name, sizes[name] / number)
        for name, number in zip(names, taken, strict=True)
        for _, row_id in nsmallest(number, lots[name])
    }


def lot_of(name: str, row_id: str, seed: int) -> bytes:
    """Return the lot of a row: of each side those with the lowest are drawn."""
    return hashlib.sha256(f"{seed}:{name}:{row_id}".encode()).digest()


def are_drawn(name: str, rows: Mapping[str, Label], seed: int) -> bool:
    """Return whether rows of a filter may be those that `draw` took, with the weights that it gave: on each side all
    have the same weight, and the highest lot is as low as it is where so many are taken of so many.

    The n-th lowest of N lots, as shares of the highest possible, has the distribution Beta(n, N - n + 1). So it takes
    no table, which may have changed since. Rows that were drawn fail by a chance of UNLIKELY. One that was put in
    instead passes by the chance that its own lot is low, which is one in as many rows as each stands for; and that rows
    were taken away is not to be seen.
    """
    from scipy.special import betaincinv  # scipy takes longer to import than a stage to start

    sides: dict[str, list[tuple[float, float]]] = defaultdict(list)
    for row_id, label in rows.items():
        sides[label.stratum].append((int.from_bytes(lot_of(name, row_id, seed)) / 2**256, label.weight))
    for stratum, found in sides.items():
        highest, weight = max(found)
        of = len(found) * weight
        low, high = betaincinv(len(found), of - len(found) + 1, [UNLIKELY / 2, 1 - UNLIKELY / 2])
        if threshold_of(stratum) is None or len({weight for _, weight in found}) > 1 or not low <= highest <= high:
            return False
    return True


def shared_out(count: int, first: int, second: int) -> tuple[int, int]:
    """Return how many of `count` to take from two sides with so many rows: half of each, all of one that has fewer."""
    of_first = min(first, max(count // 2, count - second))
    return of_first, min(second, count - of_first)
