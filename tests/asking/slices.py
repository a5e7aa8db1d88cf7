"""Slices of records as the runner takes them, and what became of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import orjson

from stages.tables.columns import Row
from stages.tables.reading import Slice, read_rows, sliced
from tests import fakes
from tests.fakes import records

WAVE = "w-part01"
S0, S1 = f"{WAVE}-00000", f"{WAVE}-00001"
TABLE = Path("table")


def one_slice(count: int) -> list[Slice]:
    return [(S0, 0, records(count))]


def two_shards(size: int = 120) -> Iterator[Slice]:
    yield from sliced(S0, records(size))
    yield from sliced(S1, records(size, start=5000))


def rows() -> list[Row]:
    return list(read_rows(TABLE))


def kept(shard: str = S0, number: int = 0) -> list[str]:
    """Words of all replies that the store holds for a slice."""
    return sorted(orjson.loads(r.content)["word"] for r in fakes.store().slice(shard, number).replies.values())
