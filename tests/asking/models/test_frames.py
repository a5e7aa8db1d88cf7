"""Requests and replies between two processes: what arrives is what was sent."""

from __future__ import annotations

import asyncio
from dataclasses import asdict

import orjson
import pytest

from stages.asking.models import frames
from stages.asking.requests import (
    Chat,
    Create,
    Detect,
    Embed,
    Message,
    Paint,
    Picture,
    Read,
    Reply,
    Request,
    fingerprint,
)

SEEN = Picture(b"\xff\xd8\x00 not text", "image/png")
ASKED: tuple[Request, ...] = (
    Chat("x", (Message("user", ("a", SEEN)), Message("assistant", ("b",))), {"type": "object", "z": [1]}, 3, 1, "w-1"),
    Paint("an owl", 64, 96, seed=5, sample=2),
    Create(("make it", SEEN, "红"), ("text", "image"), 64, 64, seed=7),
    Embed("a text"),
    Embed(SEEN),
    Read(SEEN),
    Detect(SEEN, ("a dog", "a cat")),
)


async def sent(*messages: bytes) -> list[object]:
    reader = asyncio.StreamReader()
    reader.feed_data(b"".join(messages))
    reader.feed_eof()
    return [await frames.received(reader) for _ in range(len(messages) + 1)]


@pytest.mark.parametrize("request_", ASKED, ids=lambda request: type(request).__name__)
def test_a_request_arrives_as_it_was_sent(request_: Request) -> None:
    assert fingerprint(request_, {"id": "x"})  # a picture knows its digest now, which does not travel
    [arrived, end] = asyncio.run(sent(frames.framed([1, frames.written(request_)])))
    assert end is None and isinstance(arrived, list) and arrived[0] == 1
    assert frames.read(arrived[1]) == request_
    assert fingerprint(frames.read(arrived[1]), {}) == fingerprint(request_, {})


def test_a_reply_arrives_as_it_was_sent() -> None:
    reply = Reply(bytes(range(256)), "length", 12, 34, 0.5)
    [arrived, _] = asyncio.run(sent(frames.framed(asdict(reply))))
    assert isinstance(arrived, dict) and frames.reply(arrived) == reply


def test_what_is_cut_off_is_an_end() -> None:
    whole = frames.framed({"a": 1})
    assert asyncio.run(sent(whole, whole[:-1])) == [{"a": 1}, None, None]
    assert whole == b"\0\0\0\0\0\0\0\x07" + orjson.dumps({"a": 1})
