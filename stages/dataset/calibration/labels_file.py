"""A person's labels: a CSV file with the columns id, filter, label and weight.

The label is 1 where the row is good, belongs or matches and should pass, 0 where it should not, empty where nobody has
said yet. `weight` says for how many rows a row stands: without it labels of a stratified sample would pass for labels
of all rows. `stratum` says which side of which threshold it was drawn from. Files of earlier versions are without it,
for each score was a stratum: there, rows of the same weight are one. `about` stands for the row as it was drawn.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from stages.dataset.calibration.filters import FILTERS
from stages.dataset.calibration.labels import ALL, BAD, GOOD, Label
from stages.dataset.calibration.people import TASK, Joined, Key, Rows, joined
from stages.dataset.calibration.samples import below, reaching, threshold_of
from stages.dataset.shared.joins import SOURCE_ROWS
from stages.project.csv_forms import form_rows, refuse
from stages.project.decisions import decided
from stages.project.errors import UserError, nearest
from stages.tables.columns import place
from stages.tables.reading import shard_names, shard_rows

COLUMNS = ("id", "filter", "label")
ABSENT = " (calibrate.labels in params.yaml): put it there, or say null"


def people_said(
    path: Path,
    look_up: Callable[[Iterable[str]], set[str]],
    now: Callable[[Iterable[Key]], Mapping[Key, str]],
) -> Joined:
    """Return what a labels file and people's logs say of the rows that it holds; a UserError with one line per mistake.
    `look_up` tells which ids there are, `now` what stands for rows as they are shown now.
    """
    rows = read_labels(path, look_up)
    return joined(rows, path, decided(TASK), now(rows))


def read_labels(path: Path, look_up: Callable[[Iterable[str]], set[str]]) -> Rows:
    """Return the rows that a labels file holds, with their labels; `look_up` tells which ids there are. A UserError
    with one line per mistake.
    """
    rows = list(form_rows(path, COLUMNS, ABSENT))
    if rows and "weight" not in rows[0][1]:
        raise UserError(
            f"{path}: no column weight, which says for how many rows a labelled one stands: if they were all as likely "
            "to be drawn, or all are labelled, put 1 into each row"
        )
    known = look_up({row["id"] for _, row in rows})
    drawn: dict[tuple[str, str], Label] = {}
    first: dict[tuple[str, str], tuple[int, str]] = {}
    samples: dict[str, int | None] = {}
    mistakes: list[tuple[int, str]] = []
    for line, row in rows:
        try:
            label = label_of(row, known)
            earlier, said = first.setdefault((row["filter"], row["id"]), (line, row["label"]))
            if earlier != line:
                how = "contradicts" if {said, row["label"]} == {"0", "1"} else "repeats"
                raise ValueError(f"{how} line {earlier}, which labels {row['id']} for {row['filter']}")
            if samples.setdefault(row["filter"], threshold := threshold_of(label.stratum)) != threshold:
                raise ValueError(f"stratum {label.stratum!r}: other rows of {row['filter']} are of another sample")
        except ValueError as mistake:
            mistakes.append((line, str(mistake)))
            continue
        drawn[row["filter"], row["id"]] = label
    refuse(path, mistakes)
    return drawn


def known_ids(ids: Iterable[str]) -> set[str]:
    shards = set(shard_names(SOURCE_ROWS))
    wanted: dict[str, set[str]] = {}
    for row_id in well_formed(ids):
        if (shard := place(row_id)[0]) in shards:
            wanted.setdefault(shard, set()).add(row_id)
    return {row["id"] for shard in wanted for row in shard_rows(SOURCE_ROWS, shard, ["id"], wanted[shard])}


def well_formed(ids: Iterable[str]) -> set[str]:
    """Return those of the ids that can be a row's."""
    return {row_id for row_id in ids if re.fullmatch(r".+-[0-9]{8}", row_id)}


def label_of(row: Mapping[str, str], known: set[str]) -> Label:
    """Return what a row says; a ValueError says what is wrong with it."""
    names = [filter_.name for filter_ in FILTERS]
    if row["filter"] not in names:
        raise ValueError(f"there is no filter {row['filter']!r}{nearest(row['filter'], names)}")
    if row["id"] not in known:
        raise ValueError(f"there is no row {row['id']!r} in {SOURCE_ROWS}")
    if row["label"] not in ("0", "1", ""):
        raise ValueError(f"label {row['label']!r}: 1 (it should pass) or 0 (it should not) is wanted")
    if not re.fullmatch(r"[0-9]{1,9}(\.[0-9]+)?", row["weight"]) or float(row["weight"]) < 1:
        raise ValueError(f"weight {row['weight']!r}: a number of 1 or more is wanted, for a row stands for itself")
    weight, stratum = float(row["weight"]), row.get("stratum")
    if stratum is None:
        stratum = ALL if weight == 1 else f"weight {weight:g}"
    elif threshold_of(stratum) is None:
        raise ValueError(f"stratum {stratum!r}: one such as {below(6)!r} or {reaching(6)!r} is wanted")
    if not re.fullmatch(r"(p[0-9a-f]{16})?", about := row.get("about", "")):
        raise ValueError(f"about {about!r}: put back what was drawn, or leave it empty")
    return Label({"0": BAD, "1": GOOD, "": None}[row["label"]], stratum, weight, about)
