"""How completions end: refusals by whatever name, replies cut off or broken off, and answers where thinking belongs."""

from __future__ import annotations

import sys
from typing import Any

import orjson
import pytest

from gamut.asking.models.http import protocol
from gamut.asking.models.http.host_words import read_complaint
from gamut.asking.models.http.protocol import ErrorInside
from gamut.asking.models.http.wire_replies import CUT_AT_ONCE, BrokenOff, Empty, Misplaced
from gamut.asking.parts import unbundle
from gamut.asking.requests import Chat, Create, Embed, Message, Paint, Reply, Request
from gamut.project.model_kinds import OpenAIModel

CHAT = Chat("quality", (Message("user", ("rubric",)),), {"type": "object"}, seed=7)
PAINT = Paint("a red cube", 64, 64, seed=3)
TOLD = Create(("a riddle",), ("text",), 0, 0, seed=3)
BOTH = Create(("a riddle",), ("text", "image"), 64, 64, seed=3)
CHATTING = OpenAIModel(kind="openai", id="org/model", pictures_from="chat")
USAGE = {"prompt_tokens": 11, "completion_tokens": 0, "total_tokens": 11}
ALL = pytest.mark.parametrize("request_", [CHAT, PAINT, BOTH])


def read(request: Request, *choices: Any, **body: Any) -> Reply:
    return protocol.read_reply(request, CHATTING, orjson.dumps({"choices": choices, "usage": USAGE} | body))


def choice(ended: Any, **message: Any) -> dict[str, Any]:
    return {"index": 0, "finish_reason": ended, "message": {"role": "assistant", **message}}


@ALL
@pytest.mark.parametrize(
    "ended", ["refusal", "guardrail_intervened", "RECITATION", "content_filter: PROHIBITED_CONTENT"]
)
def test_what_a_host_withholds_is_refused_with_a_message_or_without(request_: Request, ended: str):
    for withheld in ({"finish_reason": ended, "index": 0}, choice(ended), choice(ended, content=None)):
        assert read(request_, withheld) == Reply(ended.encode(), "refused", 11)
    assert read(request_, choice(ended, content='{"sc')) == Reply(b'{"sc', "refused", 11), "half of it is no answer"


@ALL
def test_what_was_read_and_answered_with_nothing_is_told_from_an_outage(request_: Request):
    for choices in ([], [{"index": 0}], [{"index": 0, "finish_reason": "stop", "message": None}]):
        with pytest.raises(Empty, match=r"no answer and no reason.*, though the request was read"):
            read(request_, *choices)
        with pytest.raises(ValueError, match=r"^unreadable"):
            read(request_, *choices, usage=None)
        with pytest.raises(ValueError, match=r"^the server says: overloaded$"):
            read(request_, *choices, error={"message": "overloaded"})


@ALL
@pytest.mark.parametrize(
    "choices",
    [
        [{"text": '{"score": 3}', "finish_reason": "stop"}],  # of another endpoint
        [{"delta": {"content": "x"}, "finish_reason": None}],  # of a stream
        [{"message": "three", "finish_reason": "stop"}],
        "three",
    ],
)
def test_what_holds_an_answer_in_another_form_is_a_failure_and_no_refusal(request_: Request, choices: Any):
    with pytest.raises(ValueError, match=r"^unreadable") as error:
        read(request_, choices=choices)
    assert not isinstance(error.value, Empty)


@ALL
def test_what_a_server_breaks_off_is_no_answer_whatever_it_has(request_: Request):
    with pytest.raises(BrokenOff, match=r"^the server ended it with 'abort'$"):
        read(request_, choice("abort", content='{"sc'))
    with pytest.raises(ErrorInside, match=r"^the server says: no worker$"):
        read(request_, {"finish_reason": "error", "error": {"message": "no worker"}})


@pytest.mark.parametrize("ended", ["length", "MAX_TOKENS"])
def test_what_is_cut_off_is_truncated(ended: str):
    assert read(CHAT, choice(ended, content='{"sc')) == Reply(b'{"sc', "length", 11)
    assert read(TOLD, choice(ended, content="Bec")) == Reply(b"Bec", "length", 11)
    for nothing in (choice(ended, content=None, reasoning="Let me see"), {"finish_reason": ended}):
        assert read(CHAT, nothing) == Reply(CUT_AT_ONCE.encode(), "length", 11)


def test_an_answer_where_thinking_belongs_is_told_apart_from_thinking_without_an_answer():
    with pytest.raises(Misplaced, match=r'^the reply stands where thinking belongs: \{"score": 3\}$'):
        read(CHAT, choice("stop", content="\n", reasoning='{"score": 3}'))
    assert read(CHAT, choice("stop", content=None, reasoning="Let me see")) == Reply(b"", "stop", 11)
    assert read(CHAT, choice("stop", content="{}", reasoning='{"score": 3}')) == Reply(b"{}", "stop", 11)


def test_thinking_never_reaches_who_reads_the_answer():
    kind = "thinking"
    parts = [{"type": kind, "text": "hm"}, {"type": kind, kind: [{"text": "hm"}]}, {"type": "text", "text": "{}"}]
    assert read(CHAT, choice("stop", content=parts, reasoning="hm")).content == b"{}"
    told = unbundle(read(TOLD, choice("stop", content=parts, reasoning="well")).content)
    assert told.parts == ("{}",) and told.thinking == "well\n\nhm\n\nhm"


@pytest.mark.parametrize(
    ("usage", "tokens"),
    [
        ({"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 103}, (9, 94)),  # Gemini thought 93 tokens
        ({"prompt_tokens": 9, "completion_tokens": 94, "total_tokens": 103}, (9, 94)),
        (
            {"prompt_tokens": 9, "completion_tokens": 94, "completion_tokens_details": {"reasoning_tokens": 93}},
            (9, 94),
        ),  # OpenAI's, which have them in already
        ({"input_tokens": 9, "output_tokens": 4, "total_tokens": 13}, (9, 4)),
        ({"completion_tokens": 4, "total_tokens": 13}, (0, 4)),  # what was read is not told, so the total says nothing
        ({"prompt_tokens": 9, "completion_tokens": 4, "total_tokens": "many"}, (9, 4)),
    ],
)
def test_what_was_thought_is_counted_as_written(usage: dict[str, Any], tokens: tuple[int, int]):
    reply = read(CHAT, choice("stop", content="{}"), usage=usage)
    assert (reply.input_tokens, reply.output_tokens) == tokens


def nested(levels: int) -> str:
    return "[" * levels + "]" * levels


@pytest.mark.skipif(sys.version_info >= (3, 12), reason="from 3.12 on all levels that are read are spelt out as well")
def test_what_is_nested_too_deeply_is_unreadable():
    body = f'{{"choices": [{{"message": {{"content": "x", "refusal": {nested(1000)}}}}}]}}'
    with pytest.raises(ValueError, match=r"^unreadable: RecursionError"):
        protocol.read_reply(TOLD, CHATTING, body.encode())


def test_what_is_nested_deeper_than_any_python_reads_is_no_json():
    with pytest.raises(ValueError, match=r"^no JSON"):
        protocol.read_reply(TOLD, CHATTING, nested(100_000).encode())


def test_a_number_larger_than_any_float_is_no_embedding():
    with pytest.raises(ValueError, match=r"^unreadable: OverflowError"):
        protocol.read_reply(Embed("x"), CHATTING, b'{"data": [{"embedding": [1' + b"0" * 400 + b"]}]}")


def test_a_complaint_that_is_nested_too_deeply_is_told_as_it_came():
    said = f'{{"error": {{"message": "overloaded", "code": {nested(100_000)}}}}}'
    found = read_complaint(said.encode())
    assert (found.message, found.names, found.status) == (said, frozenset(), 0)
    lists = f'{{"error": {{"message": "overloaded", "details": {nested(1_000)}}}}}'
    assert read_complaint(lists.encode()).message == "overloaded"
