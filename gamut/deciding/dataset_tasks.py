"""What people decide about the dataset: accept or reject selected pictures with their captions, and say whether drawn
rows should pass filters, filter by filter.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from gamut.asking.requests import stored_picture
from gamut.dataset.calibration import labels
from gamut.dataset.calibration.filters import FILTERS, ShownRow, rows_shown
from gamut.dataset.shared import reviewed
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import ORIGINAL
from gamut.deciding.cards import Card, Place, Task, add_repeats, choices_of, rows_by_ids, shuffle
from gamut.evaluation.labelling.shown import ShownPart
from gamut.pipeline.asks import Filter
from gamut.project.csv_forms import form_rows, refuse_lines
from gamut.project.errors import UserError, nearest_choice
from gamut.project.plain_text import amount
from gamut.tables.columns import grouped, place
from gamut.tables.reading import read_rows, slice_rows

PICTURE = "Picture"
ASKED = "Should this picture be in the dataset? It must be sound, and all its captions must be true."


def review_pictures(seed: int) -> Task:
    """Return the task of reviewing pictures. The seed draws the order, the same for everybody: the first pictures are a
    sample of all, and two reviewers see the same ones.
    """
    rows = read_rows(table_of("select"), ["id", "kept", "reason"])
    # pictures that reviewers rejected stay, so that they can change their decision
    ids = [row["id"] for row in rows if row["kept"] or row["reason"] == reviewed.EXCLUDED]
    if not ids:
        raise UserError("datasets/select: no picture is selected")
    return Task(
        name=reviewed.TASK,
        title=f"The dataset: {amount(len(ids), 'selected picture')}",
        places=[(row_id, 0) for row_id in shuffle(ids, f"{seed}:{reviewed.TASK}")],
        cards=picture_cards,
        abouts=picture_digests,
        afterwards=["`dvc repro` leaves out what more people reject than accept"],
    )


def picture_digests(ids: Collection[str]) -> Iterator[tuple[str, str]]:
    rows = rows_by_ids(table_of("synthesize"), ids, ["id", *reviewed.ABOUT])
    return ((row["id"], reviewed.digest_of(row)) for row in rows)


def picture_cards(ids: Collection[str]) -> Iterator[Card]:
    for row in rows_by_ids(table_of("synthesize"), ids, ["id", *reviewed.ABOUT, "image"]):
        shown, given = [ShownPart("", stored_picture(row["image"]["bytes"]))], list(captions_of(row["id"]))
        about, choices = reviewed.digest_of(row), choices_of(reviewed.DECISIONS)
        yield Card(row["id"], about, ASKED, shown, choices, given=given, frame=PICTURE, given_is_judged=True)


def captions_of(row_id: str) -> Iterator[ShownPart]:
    """Yield a picture's captions by name, a kept original one last; one row group of each table is read."""
    for row in slice_rows(table_of("annotate"), *place(row_id), ["id", "description", "caption", "status"]):
        if row["id"] == row_id and row["status"] == "ok":
            yield ShownPart(row["description"], row["caption"])
    for row in slice_rows(table_of("originals"), *place(row_id), ["id", "caption", "kept"]):
        if row["id"] == row_id and row["kept"]:
            yield ShownPart(ORIGINAL, row["caption"])


PASS_WORDS = {"1": "yes, it should pass", "0": "no, it should not"}


def label_filters(path: Path, seed: int, reviewer: str) -> Task:
    places: list[Place] = []
    for name, rows in drawn_rows(path).items():
        lots = f"{seed}:{reviewer}:{name}"
        places += add_repeats([f"{name}/{row}" for row in shuffle(rows, lots)], lots)
    return Task(
        name=labels.TASK,
        title=f"What filters should pass: {amount(len(places), 'question')}",
        places=places,
        cards=filter_cards,
        abouts=lambda ids: ((f"{of.name}/{one.row['id']}", one.about) for of, one in shown_by_filter(ids)),
        afterwards=[f"Name {path} at calibrate.labels in params.yaml, then `dvc repro calibrate` reads the labels"],
        fewer=f"For fewer questions, move {path} away, then `gamut calibrate --sample N` draws N rows per filter",
    )


def drawn_rows(path: Path) -> dict[str, list[str]]:
    known = {filter_.name: list[str]() for filter_ in FILTERS}
    mistakes = []
    for line, row in form_rows(path, ("id", "filter"), ": `gamut calibrate --sample 50` draws rows to be labelled"):
        if row["filter"] not in known:
            mistakes.append((line, f"there is no filter {row['filter']!r}{nearest_choice(row['filter'], known)}"))
        elif not labels.well_formed_ids([row["id"]]):
            mistakes.append((line, f"{row['id']!r} is not the id of a row"))
        else:
            known[row["filter"]].append(row["id"])
    refuse_lines(path, mistakes)
    return {name: list(dict.fromkeys(rows)) for name, rows in known.items() if rows}


def filter_cards(ids: Collection[str]) -> Iterator[Card]:
    """Yield the cards of some questions, `<filter>/<row>`; rows without a picture have no card."""
    for filter_, (row, about, text) in shown_by_filter(ids, ["image"]):
        if row["image"] is not None:  # None if it was painted again and failed
            shown = [ShownPart("", stored_picture(row["image"]["bytes"]))]
            given = [ShownPart(filter_.beside.capitalize(), text)] if text else []
            name, choices = f"{filter_.name}/{row['id']}", choices_of(["1", "0"], PASS_WORDS)
            yield Card(name, about, filter_.asks, shown, choices, given=given, frame=PICTURE)


def shown_by_filter(ids: Collection[str], columns: Sequence[str] = ()) -> Iterator[tuple[Filter, ShownRow]]:
    rows = grouped((name, row) for name, _, row in (one.partition("/") for one in ids))
    asked = (filter_ for filter_ in FILTERS if filter_.name in rows)
    return ((filter_, one) for filter_ in asked for one in rows_shown(filter_, rows[filter_.name], columns))
