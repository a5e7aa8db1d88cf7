"""Bodies on their way: few at once, first come first served, and none kept once it is sent."""

from __future__ import annotations

import asyncio
import gc
import resource
from collections.abc import Sequence
from typing import Any

import pytest

from stages.asking.models import http, protocol, sending
from stages.asking.models.sending import Body, Room, encoded_size
from stages.asking.requests import Chat, Create, Embed, Message, Paint, Picture, Reply, Request
from stages.project.model_kinds import OpenAIModel
from stages.project.settings import Endpoint
from tests import fakes
from tests.stub_server import Act, stub_server


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


def test_a_large_one_is_not_passed_by_small_ones() -> None:
    assert [step for step in in_turn(10, 6, 6, 1) if step.startswith("in")] == ["in 0", "in 1", "in 2"]


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


def test_only_pictures_are_counted() -> None:
    picture = Picture(b"x" * 300)
    create = Create((picture, "and", picture), ("image",), 64, 64, 0)
    sizes = [encoded_size(one) for one in (chat(1, 300), Create((picture, "p"), ("image",), 64, 64, 0), create)]
    assert sizes == [400, 400, 800]  # four bytes for three
    assert [encoded_size(one) for one in (Embed("text"), Paint("p", 64, 64, 0))] == [0, 0]


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


def asked(monkeypatch: pytest.MonkeyPatch, requests: Sequence[Request], script: Sequence[Act] = ()) -> tuple[Any, int]:
    """Ask all at once, with room for one body; return the replies and the most bodies that were laid out at once."""
    laid_out, most = list[Any](), 0
    posted = protocol.posted

    def counted(request: Request, model: OpenAIModel) -> protocol.Post:
        nonlocal most
        gc.collect()
        most = max(most, sum(len(body._value) > 1000 for body in gc.get_objects() if isinstance(body, Body)) + 1)
        laid_out.append(request)
        return posted(request, model)

    monkeypatch.setattr(protocol, "posted", counted)
    monkeypatch.setattr(http, "BACKOFF", 0.001)
    with stub_server(lambda request: Reply(str(request).encode()[-60:]), script=script, latency=0.02) as stub:
        client = http.HttpModel("judge (x)", "x", OpenAIModel(kind="openai", id="x"), Endpoint(url=stub.url))
        client._room = Room(5000)
        replies = fakes.answers(client, *requests)
        bodies = {call.digest for call in stub.log}
    assert len(bodies) == len(requests) and len(laid_out) == len(requests) + len(script)
    return replies, most


def test_bodies_are_laid_out_one_after_the_other(monkeypatch: pytest.MonkeyPatch) -> None:
    replies, most = asked(monkeypatch, [chat(number) for number in range(6)])
    assert {reply.finish for reply in replies} == {"stop"} and most == 1


def test_another_attempt_sends_the_same_body(monkeypatch: pytest.MonkeyPatch) -> None:
    replies, _ = asked(monkeypatch, [chat(1)], [500, 429])
    assert replies[0].finish == "stop"


def test_garbage_is_looked_for_less_often_but_never_more():
    before = gc.get_threshold()
    try:
        for old, new in ((700, sending.OBJECTS_BETWEEN_LOOKS), (50_000, 50_000)):
            gc.set_threshold(old, 10, 10)
            sending.look_for_garbage_less_often()
            assert gc.get_threshold() == (new, 10, 10)
    finally:
        gc.set_threshold(*before)


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
