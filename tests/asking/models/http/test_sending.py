"""Bodies on their way: few at once, first come first served, and none kept once it is sent."""

from __future__ import annotations

import asyncio
import resource
from typing import Any

import pytest

from gamut.asking.models.http import client as http
from gamut.asking.models.http import sending
from gamut.asking.models.http.sending import Body, Room
from gamut.asking.requests import Chat, Message, Picture, Reply
from gamut.project.model_kinds import OpenAIModel
from gamut.project.settings import Endpoint
from tests import fakes
from tests.stub_server import stub_server


def chat(number: int, size: int = 3000) -> Chat:
    return Chat("x", (Message("user", ("?", Picture(bytes([number]) * size))),), {"type": "object"}, 0)


def in_turn(most: int, *sizes: int) -> list[str]:
    """What happens when bodies of these sizes want room at once, and each gives it back after its turns."""
    said: list[str] = []

    async def one(number: int, size: int) -> None:
        async with room.for_body(size) as sent:
            said.append(f"in {number}")
            await asyncio.sleep(0.001)
            said.append(f"out {number}")
            sent()
            sent()  # once is enough

    async def all_of_them() -> None:
        await asyncio.gather(*(one(number, size) for number, size in enumerate(sizes)))

    room = Room(most)
    asyncio.run(all_of_them())
    assert room.held == 0
    return said


def test_as_many_as_fit_are_on_their_way() -> None:
    assert in_turn(10, 5, 5, 5)[:3] == ["in 0", "in 1", "out 0"]


def test_one_that_is_larger_than_all_room_goes_alone() -> None:
    assert in_turn(10, 99, 1) == ["in 0", "out 0", "in 1", "out 1"]


def test_what_has_no_picture_waits_for_nobody() -> None:
    assert in_turn(10, 99, 0)[:2] == ["in 0", "in 1"]


def test_whoever_gives_up_gives_its_room_back() -> None:
    async def given_up() -> int:
        room = Room(10)
        async with room.for_body(10):
            waiting = asyncio.create_task(room.for_body(10).__aenter__())
            await asyncio.sleep(0)
            waiting.cancel()
            await asyncio.gather(waiting, return_exceptions=True)
        async with asyncio.timeout(1), room.for_body(10):
            return room.held

    assert asyncio.run(given_up()) == 10


class Writer:
    """Notes the sizes of what is written."""

    def __init__(self) -> None:
        self.sizes: list[int] = []
        self.data = b""

    async def write(self, piece: bytes) -> None:
        self.sizes.append(len(piece))
        self.data += piece


def test_a_body_is_written_piece_by_piece_and_let_go() -> None:
    data, ended = bytes(range(256)) * 600, list[int]()
    body, writer = Body(data, lambda: ended.append(1)), Writer()
    assert body.size == len(data) == 153_600
    asyncio.run(body.write_with_length(writer, body.size))  # type: ignore[arg-type]
    assert writer.sizes == [65_536, 65_536, 22_528] and writer.data == data
    assert (body.decode(), ended) == ("", [1])


def test_bodies_are_laid_out_one_after_the_other_and_again_for_another_attempt(monkeypatch: pytest.MonkeyPatch) -> None:
    """With room for one body: of those that are laid out one at most is not yet sent."""
    laid_out, most = list[Body](), 0

    class Noted(Body):
        def __init__(self, *arguments: Any) -> None:
            nonlocal most
            super().__init__(*arguments)
            laid_out.append(self)
            most = max(most, sum(len(body._value) > 1000 for body in laid_out))

    monkeypatch.setattr(http, "Body", Noted)
    monkeypatch.setattr(http, "BACKOFF", 0.001)
    requests = [chat(number) for number in range(6)]
    with stub_server(lambda request: Reply(b"{}"), script=[500, 429], latency=0.02) as stub:
        client = http.HttpModel("judge (x)", "x", OpenAIModel(kind="openai", id="x"), Endpoint(url=stub.url))
        client._room = Room(5000)
        replies = fakes.answers(client, *requests)
        assert len({call.digest for call in stub.log}) == 6 and len(laid_out) == 8
    assert {reply.finish for reply in replies} == {"stop"} and most == 1


def test_many_connections_may_be_open_at_once():
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(soft, 900), hard))
        sending.allow_open_files(300)  # 300 connections and 512 files besides are 812
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(soft, 900)
        sending.allow_open_files(500)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == min(1012, hard)
        sending.allow_open_files(10**9)
        assert resource.getrlimit(resource.RLIMIT_NOFILE)[0] == hard
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
