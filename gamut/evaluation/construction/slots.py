"""The slots of an edition under construction, each of which becomes an item, and the steps that fill them.

A stage runs its steps in order. Each step writes a table, `datasets/<benchmark>/<stage>/<edition>/<step>`. A step asks
only about slots that did not fail before. A failed slot keeps its status and reason in the table of the step where it
failed, and the proposal has the first one.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar

import orjson
import pyarrow as pa

from gamut.asking.as_shown import picture_as_shown
from gamut.asking.job import job_of_rows
from gamut.asking.making import Painting
from gamut.asking.models.opening import identity_of, open_when_asked
from gamut.asking.outcomes import Conversation
from gamut.asking.requests import Paint, Picture, seed_of
from gamut.asking.run import ask
from gamut.asking.seeing import Computing
from gamut.asking.visiting import Answer
from gamut.evaluation.construction.own_pictures import OwnPictures, read_own_pictures
from gamut.evaluation.construction.parameters import Params
from gamut.evaluation.construction.proposals import IMAGES
from gamut.project.roles import RoleModel
from gamut.tables.columns import ASKED, Row, make_id, place
from gamut.tables.images import require_picture
from gamut.tables.reading import read_rows, shard_names, shard_rows
from gamut.tables.writing import TableWriter

TEXT, TEXTS = pa.string(), pa.list_(pa.string())
PICTURES = IMAGES.type
ReadParams = TypeVar("ReadParams", bound=Params)


class Step(NamedTuple):
    """What a stage does between two tables. `columns`: its table's own, with their types."""

    run: Callable[[Slots[Any]], None]
    columns: Mapping[str, Any]

    @property
    def name(self) -> str:
        return self.run.__name__


class Stage(NamedTuple):
    """Steps that run in one process, and the `figures` that it writes into the metric file `metrics`. The stage without
    steps writes the proposal. `parameters`: keys of the benchmark in `stages/editions/params.yaml`. `shared`: keys of
    params.yaml. `asks`: parameters that name a model, and roles. `data`: what else it reads.
    """

    name: str
    steps: Sequence[Step] = ()
    asks: Sequence[str] = ()
    parameters: Sequence[str] = ()
    shared: Sequence[str] = ()
    data: Sequence[str] = ()
    figures: Callable[[Slots[Any]], Mapping[str, float]] | None = None
    metrics: str | None = None
    remark: str = ""


class Construction(NamedTuple):
    """How a benchmark's items are proposed: the parameters that it reads, and its stages in order."""

    benchmark: str
    params: type[Params]
    stages: Sequence[Stage]


@dataclass(frozen=True)
class Slots(Generic[ReadParams]):
    """The slots of an edition, as seen by a `step` of its construction."""

    construction: Construction
    params: ReadParams
    edition: str
    step: str = ""

    @property
    def propose(self) -> Any:
        return self.params.propose

    def path(self, step: str) -> Path:
        stage = next(one.name for one in self.construction.stages if step in [its.name for its in one.steps])
        return Path("datasets", self.construction.benchmark, stage, self.edition, step)

    def metrics(self, name: str) -> Path:
        return Path("metrics", "editions", self.construction.benchmark, self.edition, f"{name}.json")

    def columns(self, step: str) -> Mapping[str, Any]:
        return next(its.columns for one in self.construction.stages for its in one.steps if its.name == step)

    @property
    def label(self) -> str:
        """The name under which replies are kept and reported."""
        return f"{self.construction.benchmark}.{self.step}@{self.edition}"

    @property
    def schema(self) -> pa.Schema:
        own = [pa.field(name, kind) for name, kind in self.columns(self.step).items()]
        return pa.schema([pa.field("id", pa.string()), *own, *ASKED])

    def seed(self, what: str = "") -> int:
        """Return the seed of the edition, or of a part of it. Editions with one seed have different cases."""
        return seed_of(f"{self.edition} {what}", self.params.seed)

    def player(self, who: str) -> RoleModel:
        return self.params.player(who) if who in self.params.propose.ROLES else self.params.role_model(who)

    def ask(
        self,
        who: str,
        rows: Sequence[Row],
        conversation: Callable[[Row], Conversation],
        columns_from: Callable[[Row, Any], Row],
        own_pictures: OwnPictures | None = None,
        texts: Sequence[str] = (),
    ) -> None:
        """Have a conversation about each row, and write the step's table: the row's columns, and those from the value
        of the conversation. Prints which of the person's own pictures no row uses. `texts`: all texts that are
        embedded.
        """
        shards = {shard: list(some) for shard, some in groupby(rows, key=lambda row: place(row["id"])[0])}
        names = ("id", *self.columns(self.step))

        def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
            [answer] = yield [conversation(record)]
            row = {name: record.get(name) for name in names} | answer.columns()
            row["model"] = answer.model if answer.trace else None  # no model was asked for a given value
            return [row | (columns_from(record, answer.value) if answer.outcome.status == "ok" else {})]

        job = job_of_rows(
            self.label,
            self.player(who),
            shards,
            visit=visit,
            schema=self.schema,
            folder=self.path(self.step),
            max_failures=self.propose.max_failures,
            open=partial(open_when_asked, texts=lambda: texts),
        )
        ask(job)
        names_there = read_rows(job.folder, ["id", "images.list.element.name"])
        for unused in own_pictures.unused(names_there) if own_pictures else ():
            print(f"{job.stage}: your own picture {unused} is not used: no item has it")

    def own_pictures(self, role: str) -> OwnPictures:
        return read_own_pictures(self.propose.pictures, self.edition, role)

    def picture_conversation(
        self, own_pictures: OwnPictures, place: tuple[str, str], prompt: str, seed: int
    ) -> Conversation:
        """Return the conversation about a picture: one of the person's own, or a painted one."""
        if place in own_pictures:
            return Computing(lambda: own_pictures[place].data)
        return Painting(Paint(prompt, self.propose.width, self.propose.height, seed), require_picture)

    def paint(self, rows: Sequence[Row], own_pictures: OwnPictures, seed: Callable[[Row], int]) -> None:
        """Have the author paint each row's `described` as its `name`, unless the person gave that picture."""
        painted_by = identity_of(self.player("author"))["id"]

        def conversation(row: Row) -> Conversation:
            return self.picture_conversation(own_pictures, (row["id"], row["name"]), row["described"], seed(row))

        def painted(row: Row, data: bytes) -> Row:
            origin = f"painted by {painted_by}: {row['described']}"
            return {"images": [own_pictures.image(row["id"], row["name"], data, origin)]}

        self.ask("author", rows, conversation, painted, own_pictures)

    def write(self, rows: Sequence[Row]) -> None:
        with TableWriter(self.path(self.step), self.schema) as table:
            for (shard, _), some in groupby(rows, key=lambda row: place(row["id"])):
                table.write(shard, list(some))
        whole = sum(row["status"] == "ok" for row in rows)
        print(f"{self.label}: {whole:,} of {len(rows):,} are ok")

    def rows(self, step: str) -> list[Row]:
        own = self.columns(step).items()
        names = ["id", *(name for name, kind in own if kind != PICTURES), "status", "reason"]
        return list(read_rows(self.path(step), names))

    def joined(self, *steps: str) -> list[Row]:
        slots: dict[str, Row] = {row["id"]: row for row in self.rows(steps[0])}
        for step in steps[1:]:
            for row in self.rows(step):
                if slots[row["id"]]["status"] == "ok":
                    slots[row["id"]] |= row
        return list(slots.values())

    def usable(self, *steps: str) -> list[Row]:
        return [row for row in self.joined(*steps) if row["status"] == "ok"]

    def images(self, slot: str, *steps: str) -> list[Row]:
        shard = place(slot)[0]
        tables = [self.path(step) for step in steps if shard in shard_names(self.path(step))]
        rows = (row for table in tables for row in shard_rows(table, shard, ["id", "images"], {slot}))
        return [image for row in rows for image in row["images"] or ()]

    def proposed_row(self, row: Row, texts: Sequence[str], *pictured: str) -> Row:
        """Return a row as proposed: each of these texts, "" for a missing one, and the steps' pictures."""
        kept = {name: row[name] for name in ("id", "status", "reason")} | {name: row.get(name) or "" for name in texts}
        return kept | {"images": self.images(row["id"], *pictured) if row["status"] == "ok" else []}

    def pictures(self, slot: str, step: str) -> dict[str, Picture]:
        found = {image["name"]: image["image"]["bytes"] for image in self.images(slot, step)}
        return {name: picture_as_shown(data) for name, data in found.items()}


def drawn_case_row(wave: str, number: int, pictures: Mapping[str, bytes] | None = None, **columns: Any) -> Row:
    row_id = make_id(wave, number)
    images = [OwnPictures().image(row_id, name, data, "drawn by rule") for name, data in (pictures or {}).items()]
    return {"id": row_id, "status": "ok", **columns, "images": images}


def pack_case(case: Mapping[str, Any]) -> str:
    """Return an item's further keys as text for the table's column `case`."""
    return orjson.dumps(case).decode()


def unpack_case(row: Row) -> dict[str, Any]:
    found: dict[str, Any] = orjson.loads(row["case"])
    return found


def digest_of(data: bytes) -> str:
    """Return a digest that identifies the picture of a case in its proof: two cases may have the same words."""
    return hashlib.sha256(data).hexdigest()[:16]
