"""Stages that ask, for commands that look at their tables and replies: one asks thrice a record, one paints."""

from __future__ import annotations

from collections.abc import Generator
from typing import Any

import pyarrow as pa

from stages.asking.making import Painting
from stages.asking.requests import Paint
from stages.asking.visiting import Answer
from stages.tables.columns import ASKED, IMAGE, Row
from tests.fakes import ECHO

S0, S1 = "w-part01-00000", "w-part01-00001"
PICTURES = pa.schema([pa.field("id", pa.string()), pa.field("image", IMAGE), *ASKED])


def rounds(record: Row) -> Generator[Any, list[Answer], list[Row]]:
    """Two questions at once, then a third from both answers."""
    first = yield [ECHO.about({"word": f"{record['word']}{side}"}) for side in "ab"]
    last = yield [ECHO.about({"word": "+".join(answer.value.word for answer in first if answer.value)})]
    words = [(answer.value.word if answer.value else None, answer) for answer in [*first, *last]]
    return [{"id": record["id"], "word": word, **answer.columns()} for word, answer in words]


def paint(record: Row) -> Generator[Any, list[Answer], list[Row]]:
    def convert(data: bytes) -> bytes:
        if not data.startswith(b"\xff\xd8"):
            raise ValueError("is not a picture")
        return data

    [answer] = yield [Painting(Paint(record["word"], 64, 64, 0), convert)]
    image = {"bytes": answer.value, "path": None} if answer.value else None
    return [{"id": record["id"], "image": image, **answer.columns()}]
