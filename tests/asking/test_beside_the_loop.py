"""Pictures are decoded and tables written beside the event loop: it stays free, order and bytes stay the same."""

from __future__ import annotations

import asyncio
import random
import threading
import time
from collections.abc import Callable, Generator
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.making import Painting
from gamut.asking.requests import Paint, Reply, Request
from gamut.asking.visiting import Answer, Visit
from gamut.tables.columns import Row
from gamut.tables.writing import TableWriter
from tests.asking.slices import PICTURES, TABLE, one_slice, rows, two_shards
from tests.fakes import Fake, ask_all, contents, jpeg

pytestmark = pytest.mark.usefixtures("project")
PICTURE = jpeg("red", (64, 64))


def painting(convert: Callable[[bytes], bytes]) -> Visit:
    def visit(record: Row) -> Generator[Any, list[Answer], list[Row]]:
        [answer] = yield [Painting(Paint(record["word"], 64, 64, 0), convert)]
        image = {"bytes": answer.value, "path": None} if answer.value else None
        return [{"id": record["id"], "image": image, **answer.columns()}]

    return visit


class Ticking(Fake):
    """Paints at once, with a task beside it: work that waits for `turn` ends only while the loop goes round."""

    def __init__(self) -> None:
        super().__init__(lambda request: Reply(PICTURE))
        self.begun, self.passed = threading.Event(), threading.Event()
        self.ticks: asyncio.Task[None] | None = None

    async def answer(self, request: Request) -> Reply:
        self.ticks = self.ticks or asyncio.create_task(self.tick())
        return await super().answer(request)

    async def tick(self) -> None:
        while True:
            await asyncio.sleep(0)
            if self.begun.is_set():
                self.begun.clear()
                self.passed.set()

    def turn(self) -> bool:
        self.passed.clear()
        self.begun.set()
        return self.passed.wait(10)

    async def close(self) -> None:
        assert self.ticks is not None
        self.ticks.cancel()


def test_the_loop_is_free_while_a_picture_is_decoded_and_a_table_is_written(monkeypatch: pytest.MonkeyPatch) -> None:
    model, write = Ticking(), TableWriter.write
    turns: list[bool] = []

    def waiting(data: bytes) -> bytes:
        turns.append(model.turn())
        return data

    def write_waiting(table: TableWriter, shard: str, some: Any) -> None:
        turns.append(model.turn())
        write(table, shard, some)

    monkeypatch.setattr(TableWriter, "write", write_waiting)
    ask_all(model, one_slice(1), TABLE, painting(waiting), PICTURES)
    assert turns == [True, True] and [row["status"] for row in rows()] == ["ok"]


def test_the_time_that_pictures_take_changes_no_byte() -> None:
    def at_random(data: bytes) -> bytes:
        time.sleep(random.random() / 100)
        return data

    ask_all(Fake(lambda request: Reply(PICTURE)), two_shards(), TABLE, painting(bytes), PICTURES)
    ask_all(Fake(lambda request: Reply(PICTURE), 16), two_shards(), Path("other"), painting(at_random), PICTURES)
    assert contents(Path("other")) == contents(TABLE)


def test_what_cannot_be_decoded_fails_alone_and_a_table_that_cannot_be_written_ends_the_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def never_the_third(data: bytes) -> bytes:
        if data.endswith(b"3"):
            raise ValueError("cannot be decoded (it is the third)")
        return data

    before = threading.enumerate()
    model = Fake(lambda request: Reply(PICTURE + b"3" * (request.prompt == "word3")))  # type: ignore[union-attr]
    visit = painting(never_the_third)
    ask_all(model, one_slice(5), TABLE, visit, PICTURES, max_failures=1)
    said = [row["status"] for row in rows()]
    assert said.count("parse_error") == 1 and said.count("ok") == 4
    assert [row["reason"] for row in rows() if row["reason"]] == ["the image cannot be decoded (it is the third)"]

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(TableWriter, "write", full)
    with pytest.raises(OSError, match="No space left"):
        ask_all(model, one_slice(5), Path("other"), visit, PICTURES, max_failures=1)
    left = [one.name for one in threading.enumerate() if one not in before and one.name.startswith("ThreadPool")]
    assert not Path("other").exists() and left == []
