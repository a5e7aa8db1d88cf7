"""The slots of an edition under construction, each to become an item, and the tables of the stages that fill them.

A stage asks about the slots of which nothing failed in the stages before it; what failed keeps its status and reason in
the table of the stage where it did, and a proposal has the first. Tables are `datasets/<benchmark>/<stage>/<edition>`.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import pyarrow as pa

from stages.asking.as_shown import picture_as_shown
from stages.asking.job import Job
from stages.asking.outcomes import Conversation, Outcome
from stages.asking.requests import Picture, seed_of
from stages.asking.run import ask
from stages.asking.visiting import Answer
from stages.evaluation.curating.parameters import Params
from stages.evaluation.curating.proposals import IMAGES
from stages.project.csv_forms import form_rows, refuse
from stages.project.inputs import regular, stays_within
from stages.project.roles import RoleModel
from stages.tables.columns import ASKED, Row, place
from stages.tables.images import as_made
from stages.tables.reading import read_rows, shard_names, shard_rows
from stages.tables.writing import TableWriter

COLUMNS = ("slot", "name", "file", "origin", "licence")
MADE = "made for this edition"
"""The licence of what a model made."""


@dataclass(frozen=True)
class Given:
    """A conversation that nobody has: its value is there."""

    value: Any

    def next(self, replies: object) -> Outcome:
        return Outcome("ok", self.value)


@dataclass(frozen=True)
class Own:
    """A picture's bytes as they are, where it comes from, and its licence."""

    data: bytes
    origin: str
    licence: str


class OwnPictures(dict[tuple[str, str], Own]):
    """A person's pictures by slot and name."""

    def image(self, slot: str, name: str, made: bytes, origin: str) -> Row:
        """Return a person's picture, or the one that was made, as a proposal has it; its licence is in its origin."""
        one = self.get((slot, name), Own(made, origin, MADE))
        said = f"{one.origin}; licence: {one.licence}"
        return {"name": name, "role": role_of(name), "origin": said, "image": {"bytes": one.data, "path": None}}

    def unused(self, rows: Iterable[Row]) -> list[str]:
        used = {(row["id"], image["name"]) for row in rows for image in row["images"] or ()}
        return [f"{slot}: {name}" for slot, name in sorted(self.keys() - used)]


def role_of(name: str) -> str:
    """Return the role of a picture: `input` of input_1."""
    return name.rpartition("_")[0]


def read_own_pictures(folder: str, edition: str, role: str) -> OwnPictures:
    """Read the pictures of a role; a UserError names the lines of those that cannot be used."""
    path, found = Path(folder, edition, "pictures.csv"), OwnPictures()
    mistakes = []
    for line, row in form_rows(path, COLUMNS, "") if path.exists() else ():
        file, place = path.parent / row["file"], (row["slot"], row["name"])
        if not all(row[name] for name in COLUMNS):
            mistakes.append((line, f"wanted are all of {', '.join(COLUMNS)}"))
        elif not file.is_file() or not stays_within(path.parent, file):
            mistakes.append((line, f"{row['file']!r} is no file below {path.parent}"))
        elif place in found:
            mistakes.append((line, f"{row['slot']} has a picture {row['name']!r} already"))
        elif role_of(row["name"]) == role:
            try:
                found[place] = Own(as_made(regular(file).read_bytes()), row["origin"], row["licence"])
            except ValueError as error:
                mistakes.append((line, f"{row['file']} {error}"))
    refuse(path, mistakes)
    return found


PICTURES = IMAGES.type
"""The type of a column `images`."""


def seed_for(params: Params, edition: str, what: str = "") -> int:
    """Return the seed of an edition, or of something in it: editions of one seed have different cases."""
    return seed_of(f"{edition} {what}", params.seed)


@dataclass(frozen=True)
class Slots:
    """The slots of an edition. `columns`: own columns of each stage's table, by stage, with their types."""

    benchmark: str
    edition: str
    columns: Mapping[str, Mapping[str, Any]]
    max_failures: int | float

    def path(self, stage: str) -> Path:
        return Path("datasets", self.benchmark, stage, self.edition)

    def schema(self, stage: str) -> pa.Schema:
        own = [pa.field(name, kind) for name, kind in self.columns[stage].items()]
        return pa.schema([pa.field("id", pa.string()), *own, *ASKED])

    def put_each(
        self,
        stage: str,
        played: RoleModel,
        rows: Sequence[Row],
        conversation: Callable[[Row], Conversation],
        made: Callable[[Row, Any], Row],
        own: OwnPictures | None = None,
    ) -> None:
        """Have a conversation about each row, and write the stage's table: of a row the table's columns, and what is
        `made` of the conversation's value. Which of a person's `own` pictures are in no row is told.
        """
        shards = {shard: list(some) for shard, some in groupby(rows, key=lambda row: place(row["id"])[0])}

        def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
            [answer] = yield [conversation(record)]
            row = {name: record.get(name) for name in ("id", *self.columns[stage])} | answer.columns()
            row["model"] = answer.model if answer.trace else None  # of what was given nobody was asked
            return [row | (made(record, answer.value) if answer.outcome.status == "ok" else {})]

        job = Job(
            f"{self.benchmark}.{stage}@{self.edition}",
            played,
            shards=list(shards),
            records=lambda shard: iter(shards[shard]),
            total=len(rows),
            visit=visit,
            schema=self.schema(stage),
            folder=self.path(stage),
            max_failures=self.max_failures,
        )
        ask(job)
        for unused in own.unused(read_rows(self.path(stage), ["id", "images.list.element.name"])) if own else ():
            print(f"{job.stage}: {unused}: there is no such picture, a person's own is not used")

    def write(self, stage: str, rows: Sequence[Row]) -> None:
        with TableWriter(self.path(stage), self.schema(stage)) as table:
            for (shard, _), some in groupby(rows, key=lambda row: place(row["id"])):
                table.write(shard, list(some))
        whole = sum(row["status"] == "ok" for row in rows)
        print(f"{self.benchmark}.{stage}@{self.edition}: {whole:,} of {len(rows):,} are ok")

    def rows(self, stage: str) -> list[Row]:
        names = ["id", *(name for name, kind in self.columns[stage].items() if kind != PICTURES), "status", "reason"]
        return list(read_rows(self.path(stage), names))

    def joined(self, *stages: str) -> list[Row]:
        slots: dict[str, Row] = {row["id"]: row for row in self.rows(stages[0])}
        for stage in stages[1:]:
            for row in self.rows(stage):
                if slots[row["id"]]["status"] == "ok":
                    slots[row["id"]] |= row
        return list(slots.values())

    def usable(self, *stages: str) -> list[Row]:
        return [row for row in self.joined(*stages) if row["status"] == "ok"]

    def images(self, slot: str, *stages: str) -> list[Row]:
        shard = place(slot)[0]
        tables = [self.path(stage) for stage in stages if shard in shard_names(self.path(stage))]
        rows = (row for table in tables for row in shard_rows(table, shard, ["id", "images"], {slot}))
        return [image for row in rows for image in row["images"] or ()]

    def pictures(self, slot: str, stage: str) -> dict[str, Picture]:
        found = {image["name"]: image["image"]["bytes"] for image in self.images(slot, stage)}
        return {name: picture_as_shown(data) for name, data in found.items()}
