"""Streams of events that nobody asked for, and halves of characters."""

from __future__ import annotations

import json
from typing import Any

import pytest

from stages.asking.models import protocol
from stages.asking.parts import Created, bundled
from stages.asking.requests import Chat, Create, Message, Reply
from stages.project.model_kinds import OpenAIModel

MODEL = OpenAIModel(kind="openai", id="org/model")
CHAT, TELL = Chat("q", (Message("user", ("hello",)),), {}, seed=1), Create(("hello",), ("text",), 0, 0, 1)


def stream(*chunks: Any, end: str = "data: [DONE]\n\n", comment: str = "") -> bytes:
    return (comment + "".join(f"data: {json.dumps(chunk)}\n\n" for chunk in chunks) + end).encode()


def piece(ended: str | None = None, index: int = 0, **delta: Any) -> dict[str, Any]:
    return {"choices": [{"index": index, "delta": delta, "finish_reason": ended}]}


USAGE = {"choices": [], "usage": {"prompt_tokens": 3, "completion_tokens": 2}}


@pytest.mark.parametrize(("comment", "end"), [(": PROCESSING\n\n", "data: [DONE]\n\n"), ("event: message\n", "")])
def test_a_stream_is_read(comment: str, end: str) -> None:
    data = stream(piece(role="assistant", content=""), piece(content='{"a"'), piece("stop", content=": 1}"), USAGE)
    assert protocol.read(CHAT, MODEL, data) == Reply(b'{"a": 1}', "stop", 3, 2)
    data = stream(piece(content='{"a"'), piece(content=": 1}"), piece("stop"), end=end, comment=comment)
    assert protocol.read(CHAT, MODEL, data) == Reply(b'{"a": 1}')


def test_thinking_endings_and_choices_of_a_stream_stay_apart() -> None:
    thought = stream(piece(reasoning_content="Let "), piece(reasoning_content="me"), piece("length", content="x"))
    assert protocol.read(CHAT, MODEL, thought) == Reply(b"x", "length")
    assert protocol.read(CHAT, MODEL, stream(piece("content_filter"))).finish == "refused"
    two = stream(piece("stop", 1, content="b"), piece("stop", 0, content="a"))
    assert protocol.read(CHAT, MODEL, two) == Reply(b"a")


def test_what_broke_off_is_no_reply() -> None:
    for data in (stream(piece(content="half"), end=""), b"data: {", stream([5]), stream(5), stream()):
        with pytest.raises(ValueError, match=r"^a stream of events that is no whole completion: "):
            protocol.read(CHAT, MODEL, data)
    with pytest.raises(ValueError, match=r"^unreadable: "):
        protocol.read(CHAT, MODEL, stream({"type": "picture"}))
    with pytest.raises(protocol.ErrorInside, match=r"^the server says: no more"):
        protocol.read(CHAT, MODEL, stream(piece(content="half"), {"error": {"code": 429, "message": "no more"}}))


def test_words_of_hosts_count_only_where_nothing_was_written() -> None:
    written = {"choices": [{"message": "I write of a rate limit, of NSFW, of content policy", "code": 429}]}
    with pytest.raises(ValueError, match=r"^unreadable: "):
        protocol.read(CHAT, MODEL, json.dumps(written).encode())


@pytest.mark.parametrize(
    ("sent", "read"),
    [
        ("a\ud83d", "a\ufffd"),
        ("a\ud83d\ude00", "a\U0001f600"),
        ("\ude00\ud83d", "\ufffd\ufffd"),
    ],
)
def test_half_a_character_is_no_end_of_a_reply(sent: str, read: str) -> None:
    """What Node cuts by UTF-16 units; json.dumps escapes it as such a gateway does."""
    data = json.dumps({"choices": [{"message": {"content": sent}}]}).encode()
    assert protocol.read(CHAT, MODEL, data) == Reply(read.encode())
    assert protocol.read(TELL, MODEL, data) == Reply(bundled(Created((read,)).parts))
    halves = stream(*(piece(content=half) for half in sent), piece("stop"))
    assert protocol.read(CHAT, MODEL, halves) == Reply(read.encode())
