"""Slices of records as the runner takes them, visits to them, and what became of them."""

from __future__ import annotations

from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from gamut.asking.making import Painting
from gamut.asking.requests import Paint
from gamut.asking.visiting import Answer
from gamut.tables.columns import ASKED, IMAGE, Row
from gamut.tables.reading import Slice, cut_into_slices, read_rows
from tests import fakes
from tests.fakes import AGAIN, ECHO, records

WAVE = "w-part01"
S0, S1 = f"{WAVE}-00000", f"{WAVE}-00001"
TABLE = Path("table")


def one_slice(count: int) -> list[Slice]:
    return [(S0, 0, records(count))]


def two_shards(size: int = 120) -> Iterator[Slice]:
    yield from cut_into_slices(S0, records(size))
    yield from cut_into_slices(S1, records(size, start=5000))


def rows() -> list[Row]:
    return list(read_rows(TABLE))


def kept(shard: str = S0, number: int = 0) -> list[str]:
    """Words of all replies that the store holds for a slice."""
    return sorted(orjson.loads(r.content)["word"] for r in fakes.store().slice(shard, number).replies.values())


def rounds(record: Row) -> Generator[Any, list[Answer], list[Row]]:
    """Two questions at once, then a third from both answers, as captions and chain-of-thought are asked."""
    first = yield [ECHO.about({"word": f"{record['word']}{side}"}) for side in "ab"]
    words = "+".join(answer.value.word for answer in first if answer.value)
    last = yield [AGAIN.about({"word": words})]
    return [
        {"id": record["id"], "word": answer.value.word if answer.value else None, **answer.columns()}
        for answer in [*first, *last]
    ]


PICTURES = pa.schema([pa.field("id", pa.string()), pa.field("image", IMAGE), *ASKED])


def paint(record: Row) -> Generator[Any, list[Answer], list[Row]]:
    def convert(data: bytes) -> bytes:
        if not data.startswith(b"\xff\xd8"):
            raise ValueError("is not a picture")
        return data

    [answer] = yield [Painting(Paint(record["word"], 64, 64, 0), convert)]
    image = {"bytes": answer.value, "path": None} if answer.value else None
    return [{"id": record["id"], "image": image, **answer.columns()}]
