"""Fingerprints for good: were one of these to change, every reply store would be asked anew."""

from __future__ import annotations

import hashlib
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, TypeAdapter

from gamut.asking.questions import Question
from gamut.asking.requests import (
    Chat,
    Create,
    Detect,
    Embed,
    Message,
    Paint,
    Picture,
    Rate,
    Read,
    Reply,
    Request,
    fingerprint,
)
from gamut.project import model_kinds
from gamut.project.model_kinds import identity
from tests.fakes import IDENTITY


class Scored(BaseModel):
    score: int
    words: list[str]


SCORE = Question("score", "You judge pictures.", "How good is it? “Gut”, 好.", Scored)
RED, BLUE = Picture(b"\xff\xd8 red"), Picture(b"\x89PNG blue", "image/png")
PROMPT = 'A café with the sign "开门", 3 cats\nand a </caption> \U0001f408'
TALK = Chat("talk", (Message("user", ("first", RED, "last")), Message("assistant", ("said",))), {"b": [1, None]}, 5, 1)

HOSTED: dict[str, Any] = {
    "kind": "openai",
    "id": "org/judge",
    "revision": "2026-01",
    "sampling": {"temperature": 0.7, "top_p": 0.9, "max_tokens": 512},
    "extra_body": {"b": {"d": 1.5, "c": [True, None]}, "a": "ü"},
    "omit": ["seed"],
}
PAINTER: dict[str, Any] = {
    "kind": "diffusers",
    "id": "org/painter",
    "revision": "0123456789" * 4,
    "quantization": "fp8",
    "compile": True,
    "sampling": {"guidance_scale": 3.5, "num_inference_steps": 28},
}
FOLDER: dict[str, Any] = {"kind": "folder", "path": "answers/mine", "revision": "sha256-" + "ab" * 32}


CHATTING: dict[str, Any] = {
    "kind": "transformers",
    "id": "org/chat",
    "revision": "0123456789" * 4,
    "sampling": {"max_tokens": 256},
}
PICTURED = Create(("first", RED, "last"), ("text",), 0, 0, 5, 1)


def repaired() -> Request:
    """What is sent after a reply that cannot be used."""
    again = SCORE.about({"caption": "a cat"}, [RED], seed=3).next([Reply(b'{"score": "ten"}')])
    assert isinstance(again, Chat)
    return again


def chat(*arguments: Any, **named: Any) -> Request:
    """A question's opening request."""
    return SCORE.about(*arguments, **named).request


PINNED: list[tuple[dict[str, Any], Request, str]] = [
    (
        HOSTED,
        chat({"caption": PROMPT, "words": "7"}),
        "22b67621cf5c4e855fafb5b0bd1310d6590c6fc80873d983fbba211ecec065c1",
    ),
    (
        HOSTED,
        chat({"caption": "a cat"}, [BLUE], seed=2**31 - 1, sample=2),
        "f29fe9615e9a55de5f561b046fcb2e7ee34e83d7fe39afe3d430c447d5ccaba5",
    ),
    (HOSTED, repaired(), "d7df6e34730091a7c091a0ebe778f481d4f6e48622fe97d911d82360a77c6ad3"),
    (HOSTED, TALK, "c2a38d103e3575843b0afb6f81eb3a66863e42037960dabedc2e0d12f7fbc046"),
    (HOSTED, Embed(PROMPT), "d067b0308717924ff4f7c34695510ef33a3e3ca001cc148984ee54b17be6ca78"),
    (HOSTED, Embed(RED), "6bb1f3fb7c67f43c361853fa5d1f88e29a6c8ce02d17215f6d1515a490e1239d"),
    (HOSTED, Read(BLUE), "b4752b9f294291492adc449ab286220d439c648df39b21c835aff79bd518b02e"),
    (HOSTED, Rate("alignment", RED, PROMPT), "3a21a4b0a3c3f3e175a863317041564ea4c8af87a19e06e0de0aaeb1d377ef46"),
    (HOSTED, Detect(RED, ("a cat", "车")), "0a3602253ed685442fba01bebaf94192e804ae28ca408363244f3f55e9a720af"),
    (
        HOSTED,
        Create(("first", RED, "last"), ("text",), 0, 0, 5, 1),
        "4f47c16c948592065dfc7481184dccfd72b54f65b629694bfb1056f34bab59f3",
    ),
    (
        HOSTED,
        Create((RED, BLUE, "make it blue"), ("text", "image"), 512, 256, 5),
        "4dd79088496b69612d980e5f0d68161a2bc832057c98953948f5aca76bcfca5b",
    ),
    (CHATTING, PICTURED, "03c007fe362f9bdfcc6e3c72adf5c0fabc083c4c2759099dd2ae8bb962b81eb7"),
    (PAINTER, Paint(PROMPT, 1024, 768, 42), "2c42a20507f900cd0fb45c49f8a6bd472bb14d77a6028d1dd7474619bb1bc16a"),
    (
        FOLDER,
        Paint(PROMPT, 1024, 1024, 7, record="style/3"),
        "058bb98f25dc8181c9bafc651a8174687c03cc1ee70c7703d11cb4e2c4973080",
    ),
    (
        FOLDER,
        Chat(TALK.name, TALK.messages, TALK.schema, 5, record="w-part01-00000007"),
        "345b6d363018ded7b1c235c41fb5df807b155ed258b46e8e6b10b525c3376fbc",
    ),
]


@pytest.mark.parametrize(("model", "request_", "pinned"), PINNED)
def test_fingerprints_are_pinned(model: dict[str, Any], request_: Request, pinned: str) -> None:
    parsed: model_kinds.Model = TypeAdapter(model_kinds.Model).validate_python(model)
    assert fingerprint(request_, identity(parsed)) == pinned


ECHOED = Chat("echo", (Message("user", ("rubric", Picture(b"\xff\xd8"), "Zeit <é>")),), {"type": "object"}, 7, 2)
PAINT = Paint("a red cube", 64, 128, seed=3, sample=1)
MODEL = b'{"id":"fake","numerics":"","revision":"1","sampling":{}}'


def test_fingerprint_of_a_chat_is_pinned() -> None:
    # Keys sorted, UTF-8, no spaces; a picture stands as its media type and the sha256 of its bytes.
    picture = hashlib.sha256(b"\xff\xd8").hexdigest().encode()
    body = (
        b'{"chat":"echo","messages":[["user","rubric",["image/jpeg","' + picture + '"],"Zeit <é>"]],"model":'.encode()
    )
    body += MODEL + b',"sample":2,"schema":{"type":"object"},"seed":7}'
    assert fingerprint(ECHOED, IDENTITY) == hashlib.sha256(body).hexdigest()
    assert fingerprint(ECHOED, IDENTITY) == "b6434f8d24f7528138369439a917b995dd42de44dda82764c9ec5806b5310c42"


OTHER: dict[str, st.SearchStrategy[Any]] = {
    "name": st.text(),
    "messages": st.builds(lambda text: (Message("user", ("rubric", Picture(b"\xff\xd8"), text)),), st.text()),
    "schema": st.dictionaries(st.text(), st.text()),
    "prompt": st.text(),
    **dict.fromkeys(("width", "height", "seed", "sample"), st.integers(0, 2**31)),
}


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        (ECHOED, ["name", "messages", "schema", "seed", "sample"]),
        (PAINT, ["prompt", "width", "height", "seed", "sample"]),
    ],
)
@given(data=st.data())
def test_every_field_of_a_request_counts(request_: Chat | Paint, names: list[str], data: st.DataObject) -> None:
    name = data.draw(st.sampled_from(names))
    other = replace(request_, **{name: data.draw(OTHER[name])})
    assert (fingerprint(other, IDENTITY) == fingerprint(request_, IDENTITY)) == (other == request_)


@pytest.mark.parametrize(
    "messages",
    [
        (Message("system", ("rubric", Picture(b"\xff\xd8"), "Zeit <é>")),),
        (Message("user", ("rubric", Picture(b"\xff\xd9"), "Zeit <é>")),),
        (Message("user", ("rubric", Picture(b"\xff\xd8", "image/png"), "Zeit <é>")),),
        (Message("user", (Picture(b"\xff\xd8"), "rubric", "Zeit <é>")),),
        (Message("user", ("rubric", Picture(b"\xff\xd8"))), Message("user", ("Zeit <é>",))),
        (Message("user", ("rubric", "image/jpeg", "Zeit <é>")),),
    ],
    ids=["role", "picture", "media type", "order of parts", "parts in two turns", "no picture"],
)
def test_every_detail_of_a_message_counts(messages: tuple[Message, ...]) -> None:
    assert fingerprint(replace(ECHOED, messages=messages), IDENTITY) != fingerprint(ECHOED, IDENTITY)


@pytest.mark.parametrize("key", IDENTITY)
def test_every_part_of_the_models_identity_counts(key: str) -> None:
    assert fingerprint(PAINT, IDENTITY | {key: "other"}) != fingerprint(PAINT, IDENTITY)


def test_the_order_of_keys_does_not_count() -> None:
    backwards = dict(reversed(IDENTITY.items()))
    assert list(backwards) != list(IDENTITY)
    assert fingerprint(ECHOED, backwards) == fingerprint(ECHOED, IDENTITY)
    one = replace(ECHOED, schema={"a": {"b": 1, "c": 2}, "d": 3})
    two = replace(ECHOED, schema={"d": 3, "a": {"c": 2, "b": 1}})
    assert fingerprint(one, IDENTITY) == fingerprint(two, IDENTITY)


def test_requests_of_every_kind_have_fingerprints_of_their_own() -> None:
    picture = Picture(b"jpeg")
    requests = [
        Embed("x"),
        Embed("y"),
        Embed(picture),
        Read(picture),
        Rate("preference", picture, "x"),
        Rate("alignment", picture, "x"),
        Rate("alignment", picture, ""),
        Paint("x", 64, 64, 0),
        Create(("x",), ("image",), 64, 64, 0),
        Create(("x",), ("text", "image"), 64, 64, 0),
        Create((picture, "x"), ("image",), 64, 64, 0),
        Create(("x", picture), ("image",), 64, 64, 0),
        Create((picture, picture, "x"), ("image",), 64, 64, 0),
        Paint("x", 64, 64, 0, record="w-00000001"),
    ]
    assert len({fingerprint(request, {}) for request in requests}) == len(requests)
