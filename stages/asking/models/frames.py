"""Requests and replies as they go between two processes of this machine: JSON, each behind its length.

Bytes are in base64. What comes in is read into nothing but requests and replies: no other process's word is run.
"""

from __future__ import annotations

import asyncio
import base64
import struct
from collections.abc import Mapping
from dataclasses import asdict
from typing import Any

import orjson

from stages.asking.requests import Chat, Create, Detect, Embed, Message, Paint, Part, Picture, Read, Reply, Request

LENGTH = struct.Struct(">Q")


def framed(message: Any) -> bytes:
    """Return a message behind its length."""
    body = orjson.dumps(message, default=in_base64)
    return LENGTH.pack(len(body)) + body


def in_base64(value: Any) -> str:
    """Return bytes as JSON can hold them."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    raise TypeError(type(value).__name__)


async def received(reader: asyncio.StreamReader) -> Any:
    """Return the next message; None when the other side has ended."""
    try:
        (length,) = LENGTH.unpack(await reader.readexactly(LENGTH.size))
        return orjson.loads(await reader.readexactly(length))
    except (asyncio.IncompleteReadError, ConnectionError):
        return None


def written(request: Request) -> list[Any]:
    """Return a request as a message: its kind and its fields."""
    return [type(request).__name__, asdict(request)]


def read(message: list[Any]) -> Request:
    """Return the request that was `written`."""
    kind, fields = message
    match kind:
        case "Chat":
            turns = tuple(Message(turn["role"], parts(turn["parts"])) for turn in fields["messages"])
            return Chat(**fields | {"messages": turns})
        case "Paint":
            return Paint(**fields)
        case "Create":
            return Create(**fields | {"parts": parts(fields["parts"]), "modalities": tuple(fields["modalities"])})
        case "Embed":
            return Embed(part(fields["item"]))
        case "Detect":
            return Detect(picture(fields["picture"]), tuple(fields["labels"]))
    assert kind == "Read"
    return Read(picture(fields["picture"]))


def parts(messages: list[Any]) -> tuple[Part, ...]:
    """Return texts and pictures."""
    return tuple(map(part, messages))


def part(message: str | Mapping[str, str]) -> Part:
    """Return a text or a picture."""
    return message if isinstance(message, str) else picture(message)


def picture(message: Mapping[str, str]) -> Picture:
    """Return a picture."""
    return Picture(base64.b64decode(message["data"]), message["media_type"])


def reply(message: Mapping[str, Any]) -> Reply:
    """Return the reply that was sent as its fields."""
    return Reply(**{**message, "content": base64.b64decode(message["content"])})
