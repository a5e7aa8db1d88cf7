"""The dataset's selected pictures with their captions, to be accepted or rejected."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby

from stages.asking.requests import Picture
from stages.dataset.shared.joins import SELECTED, SYNTHESIZED, english_captions
from stages.dataset.shared.reviewed import ABOUT, DECISIONS, EXCLUDED, TASK, digest_of
from stages.deciding.cards import Card, Shown, Task, choices_of
from stages.deciding.order import shuffled
from stages.project.errors import UserError
from stages.project.plain_text import amount
from stages.tables.columns import place
from stages.tables.reading import read_rows, shard_rows

ASKED = "Does it belong into the dataset: a sound picture, of which its captions are true?"


def reviewing(seed: int) -> Task:
    """Return what a reviewer decides about the pictures, in an order drawn by the seed, the same for everybody: the
    first ones are a sample of all, and two reviewers meet in it.
    """
    rows = read_rows(SELECTED, ["id", "kept", "reason"])
    ids = [row["id"] for row in rows if row["kept"] or row["reason"] == EXCLUDED]  # who rejected it may think again
    if not ids:
        raise UserError(f"{SELECTED}: no picture is selected")
    return Task(
        name=TASK,
        title=f"The dataset: {amount(len(ids), 'selected picture')}",
        places=[(row_id, 0) for row_id in shuffled(ids, f"{seed}:{TASK}")],
        cards=cards,
        afterwards=["`dvc repro` leaves out what more people reject than accept"],
    )


def cards(ids: Collection[str]) -> Iterator[Card]:
    """Yield the cards of some pictures, in order of id."""
    for shard, of_shard in groupby(sorted(ids, key=place), lambda row_id: place(row_id)[0]):
        captions = english_captions(shard)
        for row in shard_rows(SYNTHESIZED, shard, ["id", "image", *ABOUT], set(of_shard)):
            texts = [Shown(one["description"], one["caption"]) for one in captions.get(row["id"], ())]
            shown = [Shown("", Picture(row["image"]["bytes"])), *texts]
            yield Card(row["id"], digest_of(row), ASKED, shown, choices_of(DECISIONS))
