"""A step whose shards say in which process they were made, and two of which cannot be made in another one."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from multiprocessing import parent_process
from typing import Any

from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Makes
from gamut.project.errors import UserError
from gamut.tables.columns import Row, make_id, table_schema

SHARDS = [f"w-{number:05d}" for number in range(5)]
SCHEMA = table_schema("id process:int64 seed:int64")


def by_shard(params: Any) -> ByShard:
    def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
        if parent_process() is not None and params.far == shard:
            os._exit(1)
        if params.refused == shard:
            raise UserError(f"{shard}: no such thing")
        number = int(shard[-5:])
        yield [[{"id": make_id("w", 5000 * number), "process": os.getpid(), "seed": params.seed}]]

    return ByShard(SHARDS, make)


STEP = Makes(
    "far",
    module=__name__,
    by_shard=by_shard,
    tables={"far": SCHEMA},
    parameters={"seed": int, "far": str, "refused": str},
)
