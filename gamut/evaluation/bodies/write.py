"""One writer adds what the items of the edition lack for a measured setting."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence
from functools import partial
from itertools import groupby

from gamut.asking.job import job_of_rows
from gamut.asking.models.opening import identity_of
from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.requests import seed_of
from gamut.asking.run import ask
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from gamut.evaluation.defining.cells import record_of
from gamut.evaluation.defining.parameters import Params
from gamut.project.roles import RoleModel
from gamut.project.stage import main
from gamut.tables.columns import ASKED, Row, make_id, place, table_schema

SCHEMA = table_schema("id item reply", *ASKED)
"""`reply`: as JSON."""


def write(benchmark: AnyBenchmark, params: Params, writer: str) -> None:
    """Ask the writer for each item. It is not asked if a picture of the item is missing or altered."""
    block, writing, pictures = benchmark.block(params), benchmark.writing, benchmark.pictures(params)
    assert writing is not None  # else the stage does not exist
    frozen = benchmark.frozen_items(params)
    items, lacking = {str(item.id): item for item in frozen}, writing.lacking(block, frozen)
    records = [{"id": make_id("item", n), "item": id} for n, id in enumerate(items) if id in lacking]
    shards = {shard: list(rows) for shard, rows in groupby(records, key=lambda row: place(row["id"])[0])}
    player = RoleModel("writer", writer, params.models[writer])

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        item = items[record["item"]]
        try:
            given = pictures.of(item)
        except LookupError as error:
            unasked = Answer(Outcome("invalid_input", reason=error.args[0]), identity_of(player)["id"], ())
            return [{**record, "reply": None, **unasked.columns()}]
        asked = writing.asked(block, item, given, seed_of(record["item"], params.seed))
        assert asked is not None
        [answer] = yield [asked]
        reply = None if answer.value is None else answer.value.model_dump_json()
        return [{**record, "reply": reply, **answer.columns()}]

    stage, folder = f"{benchmark.name}.write@{writer}", benchmark.written / writer
    ask(job_of_rows(stage, player, shards, visit, SCHEMA, folder, block.answer.max_failures))


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    run, record = partial(write, benchmark), record_of(benchmark, "write")
    main(f"{benchmark.name}.write", run, benchmark.params, *sys.argv[2:], record=record)
