"""The dataset's selected pictures with their captions, to be accepted or rejected."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby

from gamut.asking.requests import Picture
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import ORIGINAL
from gamut.dataset.shared.reviewed import ABOUT, DECISIONS, EXCLUDED, TASK, digest_of
from gamut.deciding.cards import Card, Task, choices_of, shuffled
from gamut.evaluation.labelling.sheets import Shown
from gamut.project.errors import UserError
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, place
from gamut.tables.reading import read_rows, shard_rows, slice_rows

ASKED = "Does it belong into the dataset: a sound picture, of which its captions are true?"


def reviewing(seed: int) -> Task:
    """Return what a reviewer decides about the pictures, in an order drawn by the seed, the same for everybody: the
    first ones are a sample of all, and two reviewers meet in it.
    """
    rows = read_rows(table_of("select"), ["id", "kept", "reason"])
    ids = [row["id"] for row in rows if row["kept"] or row["reason"] == EXCLUDED]  # who rejected it may think again
    if not ids:
        raise UserError("datasets/select: no picture is selected")
    return Task(
        name=TASK,
        title=f"The dataset: {amount(len(ids), 'selected picture')}",
        places=[(row_id, 0) for row_id in shuffled(ids, f"{seed}:{TASK}")],
        cards=cards,
        abouts=abouts,
        afterwards=["`dvc repro` leaves out what more people reject than accept"],
    )


def rows_of(ids: Collection[str], *columns: str) -> Iterator[Row]:
    for shard, of_shard in groupby(sorted(ids, key=place), lambda row_id: place(row_id)[0]):
        yield from shard_rows(table_of("synthesize"), shard, ["id", *ABOUT, *columns], set(of_shard))


def abouts(ids: Collection[str]) -> Iterator[tuple[str, str]]:
    return ((row["id"], digest_of(row)) for row in rows_of(ids))


def cards(ids: Collection[str]) -> Iterator[Card]:
    for row in rows_of(ids, "image"):
        shown = [Shown("", Picture(row["image"]["bytes"])), *captions_of(row["id"])]
        yield Card(row["id"], digest_of(row), ASKED, shown, choices_of(DECISIONS))


def captions_of(row_id: str) -> Iterator[Shown]:
    """Yield the captions of a picture under their names, those that were written for it and then a kept original one;
    one row group of each table is read.
    """
    for row in slice_rows(table_of("annotate"), *place(row_id), ["id", "description", "caption", "status"]):
        if row["id"] == row_id and row["status"] == "ok":
            yield Shown(row["description"], row["caption"])
    for row in slice_rows(table_of("originals"), *place(row_id), ["id", "caption", "kept"]):
        if row["id"] == row_id and row["kept"]:
            yield Shown(ORIGINAL, row["caption"])
