"""One judge looks at controls, made of one contestant's answers: how far it can be trusted shows in what it says."""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import pyarrow as pa

from stages.asking.job import Job
from stages.asking.limits import NOT_REACHED
from stages.asking.outcomes import Conversation
from stages.asking.requests import Part, Picture
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.bodies.judge import look_at_answer
from stages.evaluation.defining.benchmark import Benchmark, benchmark_of
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import required, stand_ins
from stages.evaluation.running.answers import Shown, answer_of, answered
from stages.evaluation.running.controls import REFERENCE, applies, made_of, mismatches, twin
from stages.evaluation.running.observations import SCHEMA
from stages.evaluation.running.rewritings import reworded, rewritings_for
from stages.project.roles import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_shard, shard_names

CONTROL_SCHEMA = SCHEMA.insert(1, pa.field("control", pa.string()))


def judge_controls(benchmark: Benchmark[Any, Any], params: Params, contestant: str, judge: str) -> None:
    """Ask one judge about every control of one contestant's answers."""
    twins = twins_of(benchmark, params, contestant)
    played = RoleModel("judge", judge, params.models[judge])
    job = Job(
        f"{benchmark.name}.judge_controls@{contestant}-{judge}",
        played,
        shards=list(twins),
        records=lambda shard: controlled(benchmark, contestant, *twins[shard]),
        total=sum(len(spoilt) for _, _, spoilt in twins.values()),
        visit=of_control(
            look_at_answer(benchmark, params, played, control_of(benchmark, params, contestant), is_right)
        ),
        schema=CONTROL_SCHEMA,
        folder=benchmark.controls / contestant / judge,
        max_failures=benchmark.block(params).judge.max_failures,
        counted=NOT_REACHED,
    )
    ask(job)


Twins = Mapping[str, tuple[str, str, Mapping[str, str]]]
"""Controls by the shard that they make: their kind, the shard of the answers, and which of these are spoilt (`wanted`).
"""


def twins_of(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> Twins:
    """Return all controls that are made of one contestant's answers."""
    items = {str(item.id): item for item in benchmark.items(params)}
    return {
        f"{control}-{shard}": (control, shard, wanted(benchmark, items, contestant, control, shard))
        for control in made_of(benchmark)
        for shard in shard_names(benchmark.answers / contestant)
    }


def controlled(
    benchmark: Benchmark[Any, Any], contestant: str, control: str, shard: str, spoilt: Mapping[str, str]
) -> Iterator[Row]:
    """Yield the twins of one shard's answers under a control; their ids begin with the control's name, and `shown` is
    the record of the answer that is `spoilt` (`wanted`).
    """
    rows = {row["id"]: row for row in answered(benchmark, contestant, shard)}
    for one, other in sorted(spoilt.items()):
        names = {"id": f"{control}-{one}", "control": control, "record": f"{control}/{rows[one]['record']}"}
        yield rows[one] | names | {"shown": rows[other]}


def wanted(
    benchmark: Benchmark[Any, Any], items: Mapping[str, Item], contestant: str, control: str, shard: str
) -> dict[str, str]:
    """Return the ids of a shard's answers that have a twin under a control, each with the id of the answer that is
    spoilt: its own, or another item's of the same kind.
    """
    found: list[str] = []
    alike: dict[tuple[bool, ...], list[str]] = {}
    columns = ["id", "item", "side", "status", "parts.list.element.text"]  # what there is, without its bytes
    for row in read_shard(benchmark.answers / contestant, shard, columns):
        if row["status"] == "ok":
            item, side = items[row["item"]], row["side"]
            shown = stand_ins(item)
            put, right = benchmark.put(item, side, shown), benchmark.reference(item, side, shown)
            texts = [isinstance(part, str) for part in put.asked_for(kinds_of(row["parts"]))]
            if applies(control, texts.count(False), put, right):
                found.append(row["id"])
                alike.setdefault(tuple(sorted({*texts})), []).append(row["id"])
    if control != "mismatched":
        return {id: id for id in found}
    return {one: other for ids in alike.values() for one, other in mismatches(ids).items()}


def kinds_of(parts: Sequence[Row]) -> list[Part]:
    """Return what stands for an answer's parts where only what they are matters."""
    return [Picture(b"") if part["text"] is None else part["text"] for part in parts]


def control_of(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> Shown:
    """Return what makes the control that a record is about of the contestant's answer."""
    answer, pictures = answer_of(benchmark.answers / contestant), benchmark.pictures(params)
    items = {str(item.id): item for item in benchmark.items(params)}
    rewriting_of = rewritings_for(benchmark, params, contestant)

    def shown(record: Row) -> Sequence[Part]:
        made, control, item, side = answer(record["shown"]), record["control"], items[record["item"]], record["side"]
        if control == "mismatched":
            return made
        seen = required(pictures, item)
        put = benchmark.put(reworded(item, rewriting_of(record["item"], side)), side, seen)
        return twin(control, made, put, benchmark.reference(item, side, seen))

    return shown


def is_right(record: Row) -> bool:
    """Return whether a control shows a right answer, which may be a copy: there a judge shows what it sees itself."""
    return bool(record["control"] == REFERENCE)


def of_control(look: Visit) -> Visit:
    """Return the visit to one control: what is asked of an answer, as often as of the answer itself."""

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        rows = yield from look(record)
        return [row | {"control": record["control"]} for row in rows]

    return visit


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    main(f"{benchmark.name}.judge_controls", partial(judge_controls, benchmark), benchmark.params, *sys.argv[2:])
