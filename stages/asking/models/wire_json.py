"""JSON as servers of the OpenAI wire format write it: with half characters, with NaN, or piece by piece as a stream."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

import orjson

END = b"[DONE]"
"""The last event of a stream."""


def parsed(data: bytes) -> Any:
    """Read JSON, also with NaN or a byte order mark; half a character is U+FFFD. ValueError when it is none."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return with_whole_characters(json.loads(data))
        except RecursionError:
            raise ValueError("too deeply nested") from None


def with_whole_characters(value: Any) -> Any:
    # Two halves of a character become the character, and one alone U+FFFD.
    text = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return json.loads(text)


def is_stream(data: bytes) -> bool:
    """Return whether a body is a stream of events, which was not asked for: some servers answer in no other way."""
    return data.lstrip()[:6].startswith((b"data:", b"event:", b"id:", b"retry:", b":"))


def completion_of(data: bytes) -> Any:
    """Return the chat completion that a stream of events adds up to, or what it says instead. ValueError, TypeError,
    AttributeError or RecursionError when it is none; a choice without an end has broken off, and is none.
    """
    body: dict[str, Any] = {"choices": []}
    other: Any = None
    choices: dict[int, dict[str, Any]] = {}
    events = (line[5:].strip() for line in data.splitlines() if line.startswith(b"data:"))
    for chunk in (json.loads(event) for event in events if event != END):
        if chunk.get("error"):
            return {"error": chunk["error"]}
        other = other if "choices" in chunk else chunk
        body |= {"usage": chunk["usage"]} if chunk.get("usage") else {}
        for piece in chunk.get("choices") or []:
            choice = choices.setdefault(piece.get("index", 0), {"message": {}, "finish_reason": None})
            choice |= {"finish_reason": piece["finish_reason"]} if piece.get("finish_reason") else {}
            add(choice["message"], piece.get("delta") or piece.get("message") or {})
    if not choices and other:
        return other
    if not choices or any(choice["finish_reason"] is None for choice in choices.values()):
        raise ValueError("the stream of events broke off")
    return with_whole_characters(body | {"choices": [choices[index] for index in sorted(choices)]})


def add(message: dict[str, Any], delta: Mapping[str, Any]) -> None:
    for key, value in delta.items():
        grows = isinstance(value, str | list) and key != "role" and isinstance(message.get(key), type(value))
        if value is not None:
            message[key] = message[key] + value if grows else value
