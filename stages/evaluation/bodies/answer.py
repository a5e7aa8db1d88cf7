"""One contestant answers every item of the edition, on each side on which it is put to the test.

A folder of pictures that were made elsewhere answers too: as `<item>.png`, or `<side>/<item>.png` for a contestant on
several sides.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Mapping, Sequence
from functools import partial
from typing import Any, get_args

from stages.asking.job import Job
from stages.asking.making import Painting
from stages.asking.outcomes import Conversation
from stages.asking.requests import Paint, seed_of
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.parameters import Language, Params
from stages.evaluation.running.answers import SCHEMA, answer_row, rows_to_answer
from stages.project.model_kinds import RoleModel
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.images import as_made


def run(benchmark: Benchmark[Any, Any]) -> None:
    """Run the stage of this benchmark as a command; the contestant is its argument."""
    main(f"{benchmark.name}.answer", partial(answer, benchmark), benchmark.params, *sys.argv[1:])


def answer(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> None:
    """Ask one contestant for its answers; a class that is not asked has no rows."""
    items = {str(item.id): item for item in benchmark.items(params)}
    sides = sides_of(benchmark, params, contestant)
    shards = rows_to_answer(list(items), sides)
    for row in (row for rows in shards.values() for row in rows):
        row["record"] = f"{row['side']}/{row['item']}" if len(sides) > 1 else row["item"]
    own_budget = params.contestants[contestant].max_failures
    job = Job(
        f"{benchmark.name}.answer@{contestant}",
        RoleModel("painter", contestant, params.contestants[contestant].model),
        shards=list(shards),
        records=lambda shard: iter(shards[shard]),
        total=sum(map(len, shards.values())),
        visit=paint(benchmark, params, items),
        schema=SCHEMA,
        folder=benchmark.answers / contestant,
        max_failures=benchmark.block(params).answer.max_failures if own_budget is None else own_budget,
    )
    ask(job)


def sides_of(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> list[str]:
    """Return the sides on which a contestant is put to the test; of those that are languages, the ones it names."""
    block = params.contestants[contestant]
    if block.class_ not in benchmark.classes:
        return []
    unnamed = set() if block.languages is None else {*get_args(Language)} - {*block.languages}
    return [side for side in benchmark.sides(benchmark.block(params)) if side not in unnamed]


def paint(benchmark: Benchmark[Any, Any], params: Params, items: Mapping[str, Item]) -> Visit:
    """Return the visit to one item on one side. The picture is kept as it came: judges see what the contestant made."""
    size = benchmark.block(params).answer

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        prompt = benchmark.prompt(items[record["item"]], record["side"])
        seed = seed_of(f"{record['side']}/{record['item']}", params.seed)
        [made] = yield [Painting(Paint(prompt, size.width, size.height, seed, record["sample"]), as_made)]
        return [answer_row(record, None if made.value is None else [made.value], made)]

    return visit
