"""What a cell asks whoever looks at a contestant's answers: about these and, of some contestants, about their controls,
which lie in a table beside.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from functools import partial
from itertools import chain
from pathlib import Path

import pyarrow as pa

from stages.asking.job import Job
from stages.asking.limits import NOT_REACHED
from stages.asking.outcomes import Conversation
from stages.asking.requests import Part
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.defining.benchmark import AnyBenchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import required
from stages.evaluation.running.answers import Shown, answer_of, answered
from stages.evaluation.running.controls import drawn_controls, sources_of, twin
from stages.evaluation.running.observations import SCHEMA
from stages.evaluation.running.rewritings import rewritings_for
from stages.project.pipeline import controls_in
from stages.project.roles import RoleModel
from stages.tables.columns import Row, place
from stages.tables.reading import shard_names

CONTROL_SCHEMA = SCHEMA.insert(1, pa.field("control", pa.string()))


def ask_about_answers(
    benchmark: AnyBenchmark,
    params: Params,
    stage: str,
    played: RoleModel,
    contestant: str,
    at: str,
    visit: Visit,
    concerned: Callable[[Row], bool],
    in_part: bool = False,
) -> None:
    """Have somebody look at a contestant's answers, with `in_part` also at those with some of what was asked for.
    `stage`: without its cell; `at`: where what comes of it lies (`Benchmark.said`).
    """
    shards = shard_names(benchmark.answers / contestant)

    def records(shard: str) -> list[Row]:
        return [*filter(concerned, answered(benchmark, contestant, shard, in_part))]

    name, folder = f"{benchmark.name}.{stage}@{contestant}-{played.slug}", benchmark.said(contestant, at)
    most = benchmark.block(params).judge.max_failures
    ask_by_shard(name, played, shards, records, visit, SCHEMA, folder, most)


def ask_about_controls(
    benchmark: AnyBenchmark,
    params: Params,
    stage: str,
    played: RoleModel,
    contestant: str,
    at: str,
    visit: Visit,
    concerned: Callable[[Row], bool],
) -> None:
    drawn = control_shards(benchmark, params, contestant)
    shards = {shard: [*filter(concerned, rows)] for shard, rows in drawn.items()}
    name = controls_in(f"{benchmark.name}.{stage}@{contestant}-{played.slug}")
    folder, most = benchmark.said_of_controls(contestant, at), benchmark.block(params).judge.max_failures
    ask_by_shard(name, played, list(shards), shards.__getitem__, of_control(visit), CONTROL_SCHEMA, folder, most)


def ask_by_shard(
    name: str,
    played: RoleModel,
    shards: Sequence[str],
    records: Callable[[str], Sequence[Row]],
    visit: Visit,
    schema: pa.Schema,
    folder: Path,
    most: int | float,
) -> None:
    """Ask about the records of each shard and write a table; `most`: how many may not be reached, count or share."""
    total = sum(len(records(shard)) for shard in shards)
    rows = (shards, lambda shard: iter(records(shard)), total)
    ask(Job(name, played, *rows, visit, schema, folder, most, counted=NOT_REACHED))


def control_shards(benchmark: AnyBenchmark, params: Params, contestant: str) -> dict[str, list[Row]]:
    """Return the controls of one contestant's answers, by shard; `shown`: the record of the answer that is spoilt. All
    sides of an item lie in one work slice, so that equal requests are asked once.
    """
    folder = benchmark.answers / contestant
    answers = chain.from_iterable(answered(benchmark, contestant, shard) for shard in shard_names(folder))
    drawn = drawn_controls(benchmark, benchmark.block(params), benchmark.items(params), answers, params.seed)
    shards: dict[str, list[Row]] = {}
    for kind, of, shown in drawn:
        names = {"id": f"{kind}-{of['id']}", "control": kind, "record": f"{kind}/{of['record']}", "shown": shown}
        digits = place(of["id"])[0].rpartition("-")[2]
        shards.setdefault(f"{kind}-{digits}", []).append(of | names)
    in_edition = partial(sorted, key=lambda row: (row["id"].rpartition("-")[2], row["id"]))
    return {shard: in_edition(rows) for shard, rows in shards.items()}


def control_of(benchmark: AnyBenchmark, params: Params, contestant: str) -> Shown:
    answer, pictures = answer_of(benchmark.answers / contestant), benchmark.pictures(params)
    items = {str(item.id): item for item in benchmark.items(params)}
    block, rewriting_of = benchmark.block(params), rewritings_for(benchmark, params, contestant)

    def shown(record: Row) -> Sequence[Part]:
        made = record["shown"]
        item, rewriting = items[made["item"]], rewriting_of(made["item"], made["side"])
        sources = sources_of(benchmark, block, item, made["side"], required(pictures, item), rewriting)
        return twin(record["control"], answer(made), sources)

    return shown


def of_control(look: Visit) -> Visit:
    """Return the visit to one control: what is asked of an answer, as often as of the answer itself."""

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        rows = yield from look(record)
        return [row | {"control": record["control"]} for row in rows]

    return visit
