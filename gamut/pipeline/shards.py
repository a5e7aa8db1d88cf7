"""What a step makes of every shard by itself: only of shards that are not finished yet, several at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa

from gamut.tables.columns import Row
from gamut.tables.writing import TableWriter


class ByShard(NamedTuple):
    """`make`: yields for each work slice of a shard the rows of each of the step's tables, in their order; pictures
    as a `pa.Table`, which is not taken apart. `parameters`: what of the step's parameters counts for a shard, where
    that is less than all of them.
    """

    shards: Sequence[str]
    make: Callable[[str], Iterator[Sequence[Sequence[Row] | pa.Table]]]
    parameters: Callable[[str], Any] | None = None


def make_shards(step: str, work: ByShard, tables: Mapping[Path, pa.Schema]) -> None:
    """Write a step's tables."""
    with ExitStack() as stack:
        writers = [stack.enter_context(TableWriter(*table)) for table in tables.items()]
        for shard in work.shards:
            for groups in work.make(shard):
                for writer, rows in zip(writers, groups, strict=True):
                    writer.write(shard, rows)


def values_of_shards(step: str, shards: Sequence[str], value: Callable[[str], Any]) -> list[Any]:
    """Return a value of each shard, which JSON can hold."""
    return [value(shard) for shard in shards]
