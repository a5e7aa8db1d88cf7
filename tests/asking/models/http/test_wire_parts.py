"""Answers of texts, pictures and thinking, wherever servers put them in replies; streams; halves of characters."""

from __future__ import annotations

import base64
import json
import time
from typing import Any

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.asking.models.http import protocol, wire_parts, wire_replies
from gamut.asking.parts import BUNDLE, Created, bundle, unbundle
from gamut.asking.requests import Chat, Create, Message, Picture, Reply
from gamut.project.model_kinds import OpenAIModel

BOTH = Create(("Draw and tell.",), ("text", "image"), 64, 64, seed=1)
EDIT = Create((Picture(b"\xff\xd8jpeg"), "blue"), ("image",), 64, 64, seed=1)
CHATTING = OpenAIModel(kind="openai", id="org/model", pictures_from="chat")
PAINTING = OpenAIModel(kind="openai", id="org/model")
RED, BLUE = b"\x89PNG red\xff\xfe\xfb", b"\x89PNG blue"


def url(picture: bytes) -> str:
    return f"data:image/png;base64,{base64.b64encode(picture).decode()}"


def image(picture: bytes = RED) -> dict[str, Any]:
    return {"type": "image_url", "image_url": {"url": url(picture)}}


def text(words: Any) -> dict[str, Any]:
    return {"type": "text", "text": words}


def read(*messages: Any, ended: str = "stop", request: Create = BOTH, model: OpenAIModel = CHATTING) -> Reply:
    choices = [{"message": message, "finish_reason": ended} for message in messages]
    usage = {"prompt_tokens": 11, "completion_tokens": 5}
    return protocol.read_reply(request, model, orjson.dumps({"choices": choices, "usage": usage}))


def answer(*messages: Any) -> Created:
    reply = read(*messages)
    assert (reply.finish, reply.input_tokens, reply.output_tokens) == ("stop", 11, 5), reply
    return unbundle(reply.content)


IN_ORDER = Created(("Red:", RED, "then blue:", BLUE, "done"))


@pytest.mark.parametrize(
    "message",
    [
        {"content": [text("Red:"), image(RED), text("then blue:"), image(BLUE), text("done")]},
        {"content": ["Red:", image(RED), text("then "), text("blue:"), text(""), image(BLUE), "done"]},
        {"content": f"Red:![red]({url(RED)})then blue:![]({url(BLUE)})done"},
        {"content": "Red:<image>then blue:<image>done", "images": [image(RED), image(BLUE)]},
        {"content": "Red:<image>then blue:<image>done", "images": [url(RED), {"image_url": url(BLUE)}]},
        {"content": [text("Red:<image>then "), text("blue:<image>done")], "images": [None, image(RED), image(BLUE)]},
    ],
)
def test_texts_and_pictures_keep_their_order(message: dict[str, Any]) -> None:
    assert answer(message) == IN_ORDER


@pytest.mark.parametrize("words", ["Here they are.", "<image>", "<image>" * 3])
def test_pictures_beside_a_text_without_their_places_come_after_it(words: str) -> None:
    message = {"content": words, "images": [image(RED), image(BLUE)]}
    assert answer(message) == Created((words, RED, BLUE))
    assert answer({"content": words}) == Created((words,)), "and no place is taken out where no picture stands beside"


def test_two_pictures_alone() -> None:
    assert answer({"content": [text(" \n"), image(RED), text("\n"), image(BLUE), text("")]}) == Created((RED, BLUE))
    assert answer({"content": None, "images": [image(RED), image(BLUE)]}) == Created((RED, BLUE))
    assert read({"content": [image(RED)]}).content == RED, "one picture is stored as itself"


THOUGHT = "It is red.\nYes."


@pytest.mark.parametrize(
    "messages",
    [
        [{"reasoning_content": THOUGHT, "content": "A cube"}],
        [{"reasoning": THOUGHT, "reasoning_content": THOUGHT, "content": "A cube"}],
        [{"content": f"\n<thinking>\n{THOUGHT}\n</thinking>\n\nA cube"}],
        [{"content": f"{THOUGHT}\n</think>\n\nA cube"}],  # the template wrote the opening tag into the prompt
        [{"content": f"<think>{THOUGHT}</think>"}, {"content": [text("A cube")]}],
        [{"content": [{"type": "thinking", "thinking": [text(THOUGHT)]}, text("A cube")]}],
        [{"content": [{"type": "reasoning", "text": THOUGHT}, text("A cube")]}],
        [{"content": [{"type": "reasoning", "summary": [text(THOUGHT)]}, text("A cube")]}],
        [{"content": "", "reasoning": THOUGHT}, {"content": "A cube", "reasoning": {"effort": "low"}}],
    ],
)
def test_thinking_is_kept_apart(messages: list[dict[str, Any]]) -> None:
    assert answer(*messages) == Created(("A cube",), THOUGHT)
    assert answer(*messages[:-1], messages[-1] | {"images": [image()]}) == Created(("A cube", RED), THOUGHT)


def test_thinking_in_one_choice_and_the_picture_in_the_next() -> None:
    assert answer({"content": "<think>a cube</think>"}, {"content": [image()]}) == Created((RED,), "a cube")
    assert answer({"content": "<think>a</think>b"}, {"reasoning": "c", "content": "d"}) == Created(("b", "d"), "a\n\nc")


def test_what_is_said_of_thinking_later_is_no_thinking() -> None:
    said = "<think>x</think>Close it with </think>, as <think> wants."
    assert answer({"content": said}) == Created(("Close it with </think>, as <think> wants.",), "x")
    assert answer({"content": "The tag <think> opens."}) == Created(("The tag <think> opens.",))
    assert answer({"content": [text("Look:"), image(), text("<think>no</think>")]}).thinking == ""


@pytest.mark.parametrize(
    ("message", "cause"),
    [
        ({"content": None}, b"the reply has neither text nor picture"),
        ({"content": [{"type": "audio"}], "images": ["data:,"]}, b"the reply has neither text nor picture"),
        ({"content": "", "reasoning": "Hm"}, b"nothing but thinking: Hm"),
    ],
)
def test_a_reply_without_any_part_is_missing(message: dict[str, Any], cause: bytes) -> None:
    assert read(message) == Reply(cause, "missing", 11, 5)


def test_refusals_and_replies_that_are_cut_off() -> None:
    assert read({"content": "fine"}, {"refusal": "no"}) == Reply(b"no", "refused", 11, 5)
    assert read({"content": "half a"}, ended="length") == Reply(b"half a", "length", 11, 5)
    thinking = read({"content": None, "reasoning": "and so on"}, ended="length")
    assert thinking.finish == "length" and unbundle(thinking.content) == Created((), "and so on")


@pytest.mark.parametrize(
    "message",
    [
        {"content": [text("Here:"), {"type": "image_url", "image_url": {"url": "http://elsewhere/1.png"}}]},
        {"content": "Here:", "images": ["https://elsewhere/1.png", image()]},
    ],
)
def test_no_address_is_followed(message: dict[str, Any]) -> None:
    assert read({"content": "I think"}, message) == Reply(wire_replies.NOT_FOLLOWED.encode(), "transport_error")


@pytest.mark.parametrize("said", ["See ![it](https://elsewhere/1.png)", "![it](data:image/png;base64,abc) is it."])
def test_what_is_no_picture_in_a_text_is_text(said: str) -> None:
    assert answer({"content": said}) == Created((said,))
    assert answer({"content": f"{said}![]({url(RED)})"}) == Created((said, RED))


def test_where_only_text_is_asked_for_it_is_taken_as_it_stands() -> None:
    told = Create(("Tell.",), ("text",), 0, 0, seed=1)
    for said in (f"![]({url(RED)})", "<image>"):
        assert read({"content": said}, request=told) == Reply(said.encode(), "stop", 11, 5)


@pytest.mark.parametrize(
    "message",
    [
        {"content": [1]},
        {"content": [text(7)]},
        {"content": [{"image_url": {"url": "data:image/png;base64,?"}}]},
        {"content": "", "images": ["a"]},
    ],
)
def test_what_is_no_answer_is_a_value_error_with_words(message: dict[str, Any]) -> None:
    with pytest.raises(ValueError, match=r"^unreadable: "):
        read(message)


def test_a_picture_that_could_be_read_as_another_thing_stays_one() -> None:
    for disguised in (b"score 10", BUNDLE + b"\x02\0\0\0{}"):
        assert answer({"content": [image(disguised)]}) == Created((disguised,))
        data = orjson.dumps({"data": [{"b64_json": base64.b64encode(disguised).decode()}]})
        assert unbundle(protocol.read_reply(EDIT, PAINTING, data).content) == Created((disguised,))


def test_an_images_endpoint_answers_with_a_picture() -> None:
    for data, reply in (
        ([{"b64_json": base64.b64encode(RED).decode()}], Reply(RED, "stop", 4)),
        ([], Reply(b"the reply has no picture", "missing", 4)),
        ([{"url": "http://elsewhere/1.png"}], Reply(wire_replies.NOT_FOLLOWED.encode(), "transport_error")),
    ):
        said = orjson.dumps({"data": data, "usage": {"input_tokens": 4}})
        assert protocol.read_reply(EDIT, PAINTING, said) == reply


@given(st.lists(st.one_of(st.text("ab<image1>![](:;,/)\n", max_size=20), st.binary(min_size=1, max_size=9))))
def test_whatever_is_said_is_read_as_it_stands(parts: list[str | bytes]) -> None:
    """No text of a list of parts is lost but blank ones, and no picture: whatever a text looks like."""
    made = wire_parts.read_message({"content": [text(p) if isinstance(p, str) else image(p) for p in parts]}, True)
    assert list(made.pictures) == [part for part in parts if isinstance(part, bytes)]
    assert "".join("".join(made.texts).split()) == "".join("".join(p for p in parts if isinstance(p, str)).split())


HOSTILE = ["![", "![](data:image/png;base64,aaaa", "<image>", "<think>"]


@pytest.mark.parametrize("piece", HOSTILE)
def test_a_long_reply_is_looked_through_once(piece: str) -> None:
    """Two million characters; were each beginning followed to the end, it would take hours."""
    started = time.process_time()
    long = {"content": piece * (2_000_000 // len(piece)), "images": [url(RED)]}
    assert wire_parts.read_message(long, True).pictures == [RED]
    assert time.process_time() - started < 2


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
    assert protocol.read_reply(CHAT, MODEL, data) == Reply(b'{"a": 1}', "stop", 3, 2)
    data = stream(piece(content='{"a"'), piece(content=": 1}"), piece("stop"), end=end, comment=comment)
    assert protocol.read_reply(CHAT, MODEL, data) == Reply(b'{"a": 1}')


def test_thinking_endings_and_choices_of_a_stream_stay_apart() -> None:
    thought = stream(piece(reasoning_content="Let "), piece(reasoning_content="me"), piece("length", content="x"))
    assert protocol.read_reply(CHAT, MODEL, thought) == Reply(b"x", "length")
    assert protocol.read_reply(CHAT, MODEL, stream(piece("content_filter"))).finish == "refused"
    two = stream(piece("stop", 1, content="b"), piece("stop", 0, content="a"))
    assert protocol.read_reply(CHAT, MODEL, two) == Reply(b"a")


def test_what_broke_off_is_no_reply() -> None:
    for data in (stream(piece(content="half"), end=""), b"data: {", stream([5]), stream(5), stream()):
        with pytest.raises(ValueError, match=r"^a stream of events that is no whole completion: "):
            protocol.read_reply(CHAT, MODEL, data)
    with pytest.raises(ValueError, match=r"^unreadable: "):
        protocol.read_reply(CHAT, MODEL, stream({"type": "picture"}))
    with pytest.raises(protocol.ErrorInside, match=r"^the server says: no more"):
        protocol.read_reply(CHAT, MODEL, stream(piece(content="half"), {"error": {"code": 429, "message": "no more"}}))


def test_words_of_hosts_count_only_where_nothing_was_written() -> None:
    written = {"choices": [{"message": "I write of a rate limit, of NSFW, of content policy", "code": 429}]}
    with pytest.raises(ValueError, match=r"^unreadable: "):
        protocol.read_reply(CHAT, MODEL, json.dumps(written).encode())


@pytest.mark.parametrize(
    ("sent", "read"), [("a\ud83d", "a\ufffd"), ("a\ud83d\ude00", "a\U0001f600"), ("\ude00\ud83d", "\ufffd\ufffd")]
)
def test_half_a_character_is_no_end_of_a_reply(sent: str, read: str) -> None:
    """What Node cuts by UTF-16 units; json.dumps escapes it as such a gateway does."""
    data = json.dumps({"choices": [{"message": {"content": sent}}]}).encode()
    assert protocol.read_reply(CHAT, MODEL, data) == Reply(read.encode())
    assert protocol.read_reply(TELL, MODEL, data) == Reply(bundle(Created((read,)).parts))
    halves = stream(*(piece(content=half) for half in sent), piece("stop"))
    assert protocol.read_reply(CHAT, MODEL, halves) == Reply(read.encode())
