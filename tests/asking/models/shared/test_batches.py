"""Requests that wait together are one batch; what goes wrong in it reaches whoever asked, and nobody waits for ever."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Sequence
from typing import Any

from gamut.asking.models.batches import BatchedModel, Generate
from gamut.asking.requests import Paint, Reply, Request
from tests.fakes import IDENTITY


def paint(number: int) -> Paint:
    return Paint(str(number), 64, 64, seed=number)


def echo(requests: Sequence[Request]) -> list[Reply]:
    return [Reply(request.prompt.encode()) for request in requests if isinstance(request, Paint)]


def put(generate: Generate, count: int, batch: int = 4) -> list[Any]:
    async def all_of_them() -> list[Any]:
        model = BatchedModel(IDENTITY, batch, generate)
        try:
            asked = (model.answer(paint(number)) for number in range(count))
            return await asyncio.wait_for(asyncio.gather(*asked, return_exceptions=True), 10)
        finally:
            await model.close()

    return asyncio.run(all_of_them())


def test_what_waits_together_is_one_batch_in_order() -> None:
    sizes: list[int] = []

    def generate(requests: Sequence[Request]) -> list[Reply]:
        sizes.append(len(requests))
        return echo(requests)

    assert [reply.content for reply in put(generate, 10)] == [str(number).encode() for number in range(10)]
    assert sizes == [4, 4, 2]


def test_an_error_reaches_all_of_its_batch_and_no_other() -> None:
    def generate(requests: Sequence[Request]) -> list[Reply]:
        if paint(1) in requests:
            raise OSError("broken")
        return echo(requests)

    found = put(generate, 6)
    assert [str(error) for error in found[:4]] == ["broken"] * 4
    assert [reply.content for reply in found[4:]] == [b"4", b"5"]


def test_a_wrong_number_of_replies_is_given_to_nobody() -> None:
    found = put(lambda requests: [Reply(b"x")], 2)
    assert [type(error) for error in found] == [ValueError, ValueError]


def test_what_is_given_up_is_not_asked() -> None:
    asked: list[Request] = []
    running, going_on = threading.Event(), threading.Event()

    def generate(requests: Sequence[Request]) -> list[Reply]:
        asked.extend(requests)
        running.set()
        assert going_on.wait(10)
        return echo(requests)

    async def work() -> list[Reply]:
        model = BatchedModel(IDENTITY, 1, generate)
        first, abandoned, last = (asyncio.create_task(model.answer(paint(number))) for number in range(3))
        await asyncio.to_thread(running.wait, 10)
        abandoned.cancel()
        going_on.set()
        replies = [await first, await last]
        await model.close()
        return replies

    assert [reply.content for reply in asyncio.run(work())] == [b"0", b"2"]
    assert asked == [paint(0), paint(2)]
