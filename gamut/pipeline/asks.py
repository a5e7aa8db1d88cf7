"""A step that asks: what it asks about each record, which role's model it asks, and its scores, to which thresholds
apply.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa

from gamut.asking.questions import Question
from gamut.asking.requests import seed_of, stored_picture
from gamut.asking.visiting import Visit
from gamut.pipeline.keys import notes_here
from gamut.pipeline.shards import files_of, kept_notes
from gamut.pipeline.steps import Step, may_be_left_out
from gamut.project.locks import writer_in_turn
from gamut.project.model_kinds import built_folders
from gamut.project.parameters import AskingParameters, Shared
from gamut.project.roles import ABLE
from gamut.project.validation import Strict
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.pool import Note
from gamut.tables.writing import begin_table, end_table, new_folder, shards_in

if TYPE_CHECKING:
    from gamut.asking.job import Job
    from gamut.asking.models.opening import Opening


class Work(NamedTuple):
    """The requests of a step: a shard's records in order of id, their number, and the visit to each. `open` opens
    the model, if the parameters alone do not suffice.
    """

    shards: Sequence[str]
    records: Callable[[str], Iterator[Row]]
    count: Callable[[str], int]
    visit: Visit
    open: Opening | None = None

    @property
    def total(self) -> int:
        return sum(map(self.count, self.shards))


class Filter(NamedTuple):
    """A score of 0..10 in a `column`. Rows pass if their score reaches `parameter`, a dotted key of params.yaml
    (`lowest` is its default). `asks` is the yes-or-no question to people who label it.

    A filter finds rows to reject, below the threshold; a characteristic finds rows that it `belongs` to. `beside` is
    the text that people are also shown, the picture's `prompt` or the source's `caption`. The table of `step` has the
    score; the table `of` has the judged pictures.
    """

    name: str
    asks: str
    parameter: str
    column: str
    belongs: bool
    lowest: int | None
    beside: str = ""
    step: str = ""
    of: str = ""

    @property
    def table(self) -> Path:
        return Path("datasets", self.step)

    @property
    def pictures(self) -> Path:
        return Path("datasets", self.of)

    def threshold(self, params: Any) -> int:
        block, _, key = self.parameter.partition(".")
        return int(getattr(getattr(params, block), key))


def filters_by(
    block: str,
    asks: Mapping[str, str],
    column: str = "score_{}",
    belongs: bool = False,
    lowest: int | None = None,
    beside: str = "",
) -> tuple[Filter, ...]:
    """Return filters whose thresholds are in a block of params.yaml, from the question of each to people."""
    return tuple(
        Filter(name, of_people, f"{block}.{name}", column.format(name), belongs, lowest, beside)
        for name, of_people in asks.items()
    )


class Requests(NamedTuple):
    """The requests that `gamut estimate` expects of a step: their number, the question (or several in turn), the number
    of words in each field (without a question, only the fields), and the words of a reply. Each shows a `picture`
    of this kind. Its first `shared` characters, before the picture, are those of the request before.
    """

    number: float
    question: Question | Sequence[Question]
    fields: Mapping[str, float]
    words: float
    picture: str = ""
    shared: float = 0


@dataclass(frozen=True, kw_only=True)
class Asks(Step):
    """A step that asks. Its `work` is what it asks, from the step's parameters. The column `where` of a table names its
    pictures, such as admit.admitted; "" means all painted pictures. Its `filters` are scores with thresholds, which are
    called `fault` in reasons. For `gamut estimate`, `requests` returns the expected requests from the flow of rows.
    After all were asked, `run` is called.
    """

    role: str
    schema: pa.Schema
    work: Callable[[Any], Work]
    base: type[Strict] = Shared
    question: Question | None = None
    where: str | None = None
    filters: Sequence[Filter] = ()
    fault: str = ""
    requests: Callable[[Any, Any], Iterable[Requests]] | None = None

    def __post_init__(self) -> None:
        if not self.parameters:
            object.__setattr__(self, "parameters", {self.name: AskingParameters})
        object.__setattr__(self, "tables", {self.name: self.schema})
        object.__setattr__(self, "fault", self.fault or self.name)
        of = "source_rows" if self.where is None else "synthesize"
        object.__setattr__(self, "filters", tuple(one._replace(step=self.name, of=of) for one in self.filters))

    def dependencies(self) -> list[str]:
        world = [f"datasets/world/roles/{self.role}"] if "sandbox" in ABLE[self.role] else []
        return [*world, *super().dependencies()]

    def keys(self) -> list[str]:
        own = [key for key, type_ in self.parameters.items() if not may_be_left_out(type_)]
        of_role = [f"roles.{self.role}", f"models.${{roles.{self.role}}}"]
        return [*self.tracked] if self.tracked is not None else ["seed", *own, *of_role]

    def carry_out(self, params: Any) -> None:
        from gamut.asking import run  # long to import, and seldom wanted

        with writer_in_turn(self.name):  # waits for another tree that asks the same, and keeps what that finished
            work = self.work(params)
            player = None if params.slug_of(self.role) is None else params.role_model(self.role)
            model = player and run.identity_for(player, work.open)
            # no dvc.lock of ours records which weights a stage had built by then
            built = player and any(built_folders(one.model) for one in player.players)
            notes = notes_here(self, work.shards, model=model)
            kept = kept_notes(self, notes, None if built else lambda _: None, model)
            left = work._replace(shards=[shard for shard in work.shards if shard not in kept])
            files = files_of(kept, kept, self.table)
            begin_table(self.table, files)
            job = job_of(
                self.name,
                player or (params.role_model(self.role) if left.total else None),
                left,
                self.schema,
                new_folder(self.table) / self.name,
                getattr(params, next(iter(self.parameters))).max_failures,
                finished=notes and partial(run.note_shard, notes),
                kept=[*kept],
                failed=run.failures_of(files),
            )
            run.ask_in_turn(job)
            for shard in shards_in(job.folder):
                kept[shard.path.stem] = Note([shard])
                if notes:
                    run.note_shard(notes, shard, failed=True)
            end_table(self.table, files_of(kept, work.shards, self.table))
        self.finish(params)


def job_of(
    name: str,
    role_model: Any,
    work: Work,
    schema: pa.Schema,
    folder: Path,
    max_failures: int | float,
    **named: Any,
) -> Job:
    from gamut.asking.job import Job

    shards, records, _, visit, opening = work
    whole: dict[str, Any] = ({"open": opening} if opening else {}) | named
    return Job(name, role_model, shards, records, work.total, visit, schema, folder, max_failures, **whole)


def schema_of(columns: Mapping[str, str]) -> pa.Schema:
    """Return a schema in which columns score_NAME are whole numbers, and all others are text."""
    kinds = (f"{name}:int8" if name.startswith("score_") else name for name in columns)
    return table_schema(f"id {' '.join(kinds)}", *ASKED)


def about_picture(question: Question, seed: int, columns: Mapping[str, str], fields: Sequence[str] = ()) -> Visit:
    """Ask one question about a record's picture and some of its `fields`. `columns` maps columns of the table to keys
    of the reply.
    """

    def visit(record: Row) -> Any:
        picture, texts = stored_picture(record["image"]["bytes"]), {name: record[name] for name in fields}
        [answer] = yield [question.about(texts, [picture], seed_of(record["id"], seed))]
        reply = answer.value
        values = {} if reply is None else {name: getattr(reply, asked) for name, asked in columns.items()}
        return [{"id": record["id"], **answer.columns(), **values}]

    return visit
