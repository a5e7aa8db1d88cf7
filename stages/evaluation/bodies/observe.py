"""One observer that is no judge (a detector, a reader, an embedder) looks at every answer of one contestant."""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from functools import partial
from typing import Any

from stages.asking.job import Job
from stages.asking.limits import NOT_REACHED
from stages.asking.models.opening import identity_of
from stages.asking.outcomes import Conversation
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from stages.evaluation.defining.parameters import STAGE_OF, Params
from stages.evaluation.defining.pictures import required, stand_ins
from stages.evaluation.running.answers import Shown, answer_of, answered
from stages.evaluation.running.judging import observed
from stages.evaluation.running.observations import SCHEMA
from stages.evaluation.running.spec import of_seen
from stages.project.roles import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import shard_names


def observe(benchmark: AnyBenchmark, role: str, params: Params, contestant: str, observer: str) -> None:
    folder, block = benchmark.answers / contestant, benchmark.block(params)
    played, shards = RoleModel(role, observer, params.models[observer]), shard_names(folder)
    concerned = looked_at(benchmark, params, role)
    job = Job(
        f"{benchmark.name}.{STAGE_OF[role]}@{contestant}-{observer}",
        played,
        shards=shards,
        records=lambda shard: filter(concerned, answered(benchmark, contestant, shard)),
        total=sum(1 for shard in shards for _ in filter(concerned, answered(benchmark, contestant, shard))),
        visit=look(benchmark, params, role, identity_of(played), answer_of(folder)),
        schema=SCHEMA,
        folder=benchmark.observations / contestant / role / observer,
        max_failures=block.judge.max_failures,
        counted=NOT_REACHED,
    )
    ask(job)


def looked_at(benchmark: AnyBenchmark, params: Params, role: str) -> Callable[[Row], bool]:
    items = {str(item.id): item for item in benchmark.items(params)}

    def concerned(record: Row) -> bool:
        return any(one.role == role for one in benchmark.sightings(items[record["item"]], record["side"]))

    return concerned


def look(benchmark: AnyBenchmark, params: Params, role: str, observer: Mapping[str, Any], shown: Shown) -> Visit:
    """Return the visit to one answer: all that is to be found in it in a role; `observer` is an identity."""
    items, pictures = {str(item.id): item for item in benchmark.items(params)}, benchmark.pictures(params)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = items[record["item"]]
        sightings = [one for one in benchmark.sightings(item, record["side"]) if one.role == role]
        put = benchmark.put(item, record["side"], stand_ins(item))
        about = record | {"answer": put.asked_for(shown(record))}
        rows = yield from observed(about, sightings, required(pictures, item), benchmark.measures)
        specs = of_seen(sightings, item, observer)
        return [row | {"spec": specs[row["question"], row["part"]]} for row in rows]

    return visit


if __name__ == "__main__":
    benchmark, role = benchmark_of(sys.argv[1]), sys.argv[2]
    run = partial(observe, benchmark, role)
    main(f"{benchmark.name}.{STAGE_OF[role]}", run, benchmark.params, *sys.argv[3:])
