"""A person's labels: a CSV file with the columns id, filter and label, and samples drawn to be labelled.

The label is 1 where the row is good, belongs or matches and should pass, 0 where it should not. A column `weight`, if
there is one, says for how many rows a labelled one stands: samples have it, for they are stratified by score.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from heapq import nsmallest
from pathlib import Path

from stages.dataset.calibration.filters import FILTERS, Filter
from stages.dataset.calibration.labels import Label, Labels
from stages.dataset.shared.joins import SOURCE_ROWS
from stages.project.csv_forms import form_rows, refuse
from stages.project.errors import UserError, nearest
from stages.project.files import write_csv
from stages.tables.columns import place
from stages.tables.reading import read_rows, shard_names, shard_rows

SAMPLE = Path("datasets/labels/sample.csv")
COLUMNS = ("id", "filter", "label")
ABSENT = " (calibrate.labels in params.yaml): put it there, or say null"


@dataclass(frozen=True)
class LabelsFile:
    """What a file says: labels by shard, then filter and id; and how many of its rows have no label yet."""

    labels: Mapping[str, Labels]
    empty: int


def read_labels(path: Path, look_up: Callable[[Iterable[str]], set[str]]) -> LabelsFile:
    """Read and check a labels file; `look_up` tells which ids there are. A UserError with one line per mistake."""
    rows = list(form_rows(path, COLUMNS, ABSENT))
    known = look_up({row["id"] for _, row in rows})
    labels: dict[str, dict[str, dict[str, Label]]] = {}
    first: dict[tuple[str, str], tuple[int, str]] = {}
    mistakes: list[tuple[int, str]] = []
    empty = 0
    for line, row in rows:
        try:
            label = label_of(row, known)
            if label is None:
                empty += 1
                continue
            earlier, said = first.setdefault((row["id"], row["filter"]), (line, row["label"]))
            if earlier != line:
                how = "repeats" if said == row["label"] else "contradicts"
                raise ValueError(f"{how} line {earlier}, which labels {row['id']} for {row['filter']}")
        except ValueError as mistake:
            mistakes.append((line, str(mistake)))
            continue
        labels.setdefault(place(row["id"])[0], {}).setdefault(row["filter"], {})[row["id"]] = label
    refuse(path, mistakes)
    return LabelsFile(labels, empty)


def known_ids(ids: Iterable[str]) -> set[str]:
    """Return those of the ids that the build has."""
    shards = set(shard_names(SOURCE_ROWS))
    wanted: dict[str, set[str]] = {}
    for row_id in well_formed(ids):
        if (shard := place(row_id)[0]) in shards:
            wanted.setdefault(shard, set()).add(row_id)
    return {row["id"] for shard in wanted for row in shard_rows(SOURCE_ROWS, shard, ["id"], wanted[shard])}


def well_formed(ids: Iterable[str]) -> set[str]:
    """Return those of the ids that can be a row's."""
    return {row_id for row_id in ids if re.fullmatch(r".+-[0-9]{8}", row_id)}


def label_of(row: Mapping[str, str], known: set[str]) -> Label | None:
    """Return a row's label, None when it has none yet; a ValueError says what is wrong with the row."""
    names = [filter_.name for filter_ in FILTERS]
    if row["filter"] not in names:
        raise ValueError(f"there is no filter {row['filter']!r}{nearest(row['filter'], names)}")
    if row["id"] not in known:
        raise ValueError(f"there is no row {row['id']!r} in {SOURCE_ROWS}")
    if row["label"] not in ("0", "1", ""):
        raise ValueError(f"label {row['label']!r}: 1 (it should pass) or 0 (it should not) is wanted")
    weight = row.get("weight") or "1"
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", weight) or not float(weight):
        raise ValueError(f"weight {weight!r}: a number above 0 is wanted")
    return Label(row["label"] == "1", float(weight)) if row["label"] else None


def write_sample(count: int, seed: int) -> dict[str, int]:
    """Write SAMPLE: up to `count` scored rows of every filter, without their scores, to be labelled by a person.

    Returns how many rows each filter has there. A UserError when the file exists: somebody may have labelled it.
    """
    require_no_sample()
    drawn = {filter_: draw(filter_, count, seed) for filter_ in FILTERS}
    rows = (
        (row_id, filter_.name, f"{filter_.pictures}/{place(row_id)[0]}.parquet", f"{weight:.3f}", "")
        for filter_, weights in drawn.items()
        for row_id, weight in sorted(weights.items())  # an order that does not tell the scores
    )
    require_no_sample()  # drawing may take minutes
    write_csv(SAMPLE, ("id", "filter", "place", "weight", "label"), rows)
    return {filter_.name: len(weights) for filter_, weights in drawn.items()}


def require_no_sample() -> None:
    """Raise UserError when there is a sample."""
    if SAMPLE.exists():
        raise UserError(f"{SAMPLE} exists and may hold labels: move it to another name first")


def draw(filter_: Filter, count: int, seed: int) -> dict[str, float]:
    """Return ids of `count` scored rows, as many of each score as there are, drawn at random; each with the rows
    it stands for.
    """
    lots: dict[int, list[tuple[bytes, str]]] = {}
    sizes: dict[int, int] = {}
    for row in read_rows(filter_.table, ["id", "status", filter_.column]):
        if row["status"] == "ok":
            score, lot = row[filter_.column], hashlib.sha256(f"{seed}:{filter_.name}:{row['id']}".encode()).digest()
            sizes[score] = sizes.get(score, 0) + 1
            of_score = lots.setdefault(score, [])
            of_score.append((lot, row["id"]))
            if len(of_score) >= 2 * count:  # no more than these are ever needed
                of_score[:] = nsmallest(count, of_score)
    turns = ((turn, lot, score, row_id) for score in lots for turn, (lot, row_id) in enumerate(sorted(lots[score])))
    chosen = [(score, row_id) for _, _, score, row_id in nsmallest(count, turns)]
    taken = [score for score, _ in chosen]
    return {row_id: sizes[score] / taken.count(score) for score, row_id in chosen}
