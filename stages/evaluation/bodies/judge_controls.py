"""One judge looks at degraded twins of one contestant's pictures: how far it can be trusted shows in what it says."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from stages.asking.job import Job
from stages.asking.outcomes import Conversation
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.bodies.judge import look_at_picture, painted
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.running.controls import CONTROLS, DEGRADATIONS, degraded, mismatches
from stages.evaluation.running.observations import SCHEMA
from stages.project.model_kinds import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import manifest, shard_names

CONTROL_SCHEMA = SCHEMA.insert(1, pa.field("control", pa.string()))


def run(benchmark: Benchmark[Any, Any]) -> None:
    """Run the stage of this benchmark as a command; contestant and judge are its arguments."""
    main(f"{benchmark.name}.judge_controls", partial(judge_controls, benchmark), benchmark.params, *sys.argv[1:])


def judge_controls(benchmark: Benchmark[Any, Any], params: Params, contestant: str, judge: str) -> None:
    """Ask one judge about every control of one contestant's pictures."""
    answers = benchmark.answers / contestant
    controls = {f"{control}-{shard}": (control, shard) for control in CONTROLS for shard in shard_names(answers)}
    job = Job(
        f"{benchmark.name}.judge_controls@{contestant}-{judge}",
        RoleModel("judge", judge, params.models[judge]),
        shards=list(controls),
        records=lambda shard: controlled(benchmark, contestant, *controls[shard]),
        total=len(CONTROLS) * int(manifest(answers)["statuses"].get("ok", 0)),
        visit=look_at_control(benchmark, params),
        schema=CONTROL_SCHEMA,
        folder=benchmark.controls / contestant / judge,
        max_failures=benchmark.block(params).judge.max_failures,
    )
    ask(job)


def controlled(benchmark: Benchmark[Any, Any], contestant: str, control: str, shard: str) -> Iterator[Row]:
    """Yield the pictures of one shard's answers, degraded in one way; their ids begin with the control's name."""
    if control in DEGRADATIONS:
        twins = ((row, degraded(control, row["picture"])) for row in painted(benchmark, contestant, shard))
    else:
        rows = {row["id"]: row for row in painted(benchmark, contestant, shard)}
        twins = ((rows[one], rows[other]["picture"]) for one, other in mismatches(list(rows)).items())
    for row, picture in twins:
        names = {"id": f"{control}-{row['id']}", "control": control, "record": f"{control}/{row['record']}"}
        yield row | names | {"picture": picture}


def look_at_control(benchmark: Benchmark[Any, Any], params: Params) -> Visit:
    """Return the visit to one control: what is asked of a picture, as often as of the picture itself."""
    look = look_at_picture(benchmark, params)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        rows = yield from look(record)
        return [row | {"control": record["control"]} for row in rows]

    return visit
