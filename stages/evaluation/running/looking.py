"""What whoever is no judge is to find in an answer, in one role."""

from __future__ import annotations

from collections.abc import Callable, Generator, Mapping, Sequence
from typing import Any

from stages.asking.outcomes import Conversation
from stages.asking.visiting import Answer, Visit
from stages.evaluation.defining.benchmark import AnyBenchmark
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import required, stand_ins
from stages.evaluation.running.answers import Shown
from stages.evaluation.running.judging import observed
from stages.evaluation.running.spec import code_of_values, of_seen
from stages.tables.columns import Row


def looked_at(benchmark: AnyBenchmark, params: Params, role: str) -> Callable[[Row], bool]:
    items = {str(item.id): item for item in benchmark.items(params)}

    def concerned(record: Row) -> bool:
        return any(one.role == role for one in benchmark.sightings(items[record["item"]], record["side"]))

    return concerned


def look(benchmark: AnyBenchmark, params: Params, role: str, observer: Mapping[str, Any], shown: Shown) -> Visit:
    """Return the visit to one answer: all that is to be found in it in a role; `observer` is an identity."""
    items, pictures = {str(item.id): item for item in benchmark.items(params)}, benchmark.pictures(params)
    code = code_of_values(benchmark)

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = items[record["item"]]
        sightings = [one for one in benchmark.sightings(item, record["side"]) if one.role == role]
        put = benchmark.put(benchmark.block(params), item, record["side"], stand_ins(item))
        about = record | {"answer": put.asked_for(shown(record))}
        rows = yield from observed(about, sightings, required(pictures, item), benchmark.measures)
        specs = of_seen(sightings, item, observer, code)
        return [row | {"spec": specs[row["question"], row["part"]]} for row in rows]

    return visit
