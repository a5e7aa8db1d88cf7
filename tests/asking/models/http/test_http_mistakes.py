"""The HTTP client against the stub server: what concerns every request, outages, and the key's secrecy."""

from __future__ import annotations

import asyncio
import logging
import re
import time
import traceback
from typing import Any

import pytest

from gamut.asking.models.http import client as http
from gamut.asking.models.http import pacing
from gamut.asking.requests import Chat, Message, Picture, Request
from gamut.project.errors import UserError
from gamut.project.model_kinds import Sampling
from tests.asking.models.http.http_asking import (
    CHAT,
    EMBED,
    KEY,
    PAINT,
    SCHEMA,
    ask,
    completion,
    error,
    gone_url,
    model,
    put,
)
from tests.stub_server import Act, Say, Stub

pytestmark = pytest.mark.usefixtures("waits")


# What concerns every request


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (error(401), ["judge", "a_judge", "/v1/chat/completions", "A_KEY", "put a key", "because"]),
        (error(400, "No connected db.", type="no_db_connection"), ["put a key", "A_KEY"]),
        (error(400, "API key not valid. Please pass a valid API key."), ["put a key", "A_KEY"]),
        (error(402), ["judge", "a_judge", "top up"]),
        (error(429, "Quota exceeded for metric: requests, limit: 0, model: gemini"), ["top up"]),
        (error(404), ["judge", "a_judge", "org/model", "/v1/chat/completions"]),
        (error(400, "org/model is not a valid model ID"), ["is not served"]),
        (
            Say(307, b"", {"Location": "https://me:pw@elsewhere/v1/chat#k=secret?k=secret"}),
            ["HTTP 307: Temporary Redirect, to elsewhere/v1/chat: redirects are not followed", "[models.a_judge] url"],
        ),
    ],
)
def test_what_concerns_every_request_ends_the_run(stub: Stub, key: str, said: Say, words: list[str]):
    with pytest.raises(UserError) as caught:
        ask(stub, CHAT, said, key_variable=key)
    assert [w for w in words if w not in str(caught.value)] == []
    assert "\n" not in str(caught.value) and stub.calls == 1


def test_a_reasoning_parser_that_takes_answers_for_thinking_is_named(stub: Stub):
    taken = completion(content=None, reasoning='{"score": 3}')
    with pytest.raises(UserError, match=r"the server's reasoning parser takes .*enable_thinking: false"):
        ask(stub, CHAT, taken, taken)
    assert ask(stub, CHAT, taken, known=True).finish == "transport_error"


def test_a_key_is_asked_for_when_none_is_named(stub: Stub):
    with pytest.raises(UserError, match=r"\[models\.a_judge\] key_variable"):
        ask(stub, CHAT, error(401))


def test_address_and_key_are_checked_before_any_work(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UserError, match=r'judge \(a_judge\).*run\.toml needs `\[models\.a_judge\] url = "…"`'):
        model(None)
    for value in ("", f"{KEY}\nX-Other: 1"):
        monkeypatch.setenv("A_KEY", value)
        with pytest.raises(UserError, match=r"judge \(a_judge\).*variable A_KEY .* holds no key$") as caught:
            model("http://host/v1", key_variable="A_KEY")
        assert KEY not in str(caught.value)
    monkeypatch.delenv("A_KEY")
    names = (
        r"^judge \(a_judge\): set the environment variable that key_variable of \[models\.a_judge\] in run\.toml names$"
    )
    with pytest.raises(UserError, match=names):
        model("http://host/v1", key_variable="A_KEY")


FORM_UNKNOWN = "'response_format' of type 'json_schema' is not supported"


@pytest.mark.parametrize(
    ("request_", "fields", "said", "words"),
    [
        (CHAT, {}, error(400, FORM_UNKNOWN), "set `structured_output` to `json_object` or `instruction`"),
        (CHAT, {"structured_output": "json_object"}, error(400, FORM_UNKNOWN), "to `instruction`"),
        (CHAT, {}, error(400, "Unknown parameter: 'seed'.", param="seed"), "add `omit: [seed]`"),
        (PAINT, {"pictures_from": "chat"}, error(400, "unknown field `width`"), "add `omit: [size]`"),
        (EMBED, {}, error(400, "encoding_format is not supported"), "add `omit: [encoding_format]`"),
        (
            CHAT,
            {"sampling": Sampling(max_tokens=9)},
            error(400, "Unsupported parameter: 'max_tokens' is not supported, use 'max_completion_tokens' instead."),
            "leave `max_tokens` out of `sampling` (`extra_body: {max_completion_tokens: …}`",
        ),
        (
            CHAT,
            {"extra_body": {"think": True}},
            Say(422, {"detail": [{"loc": ["body", "think"], "msg": "Extra inputs are not permitted"}]}),
            "leave `think` out of `extra_body`",
        ),
        (CHAT, {}, error(400, "This model only support stream mode."), "add `extra_body: {stream: true}`"),
        (CHAT, {}, error(400, 'Unknown name "seed": Cannot find field.'), "add `omit: [seed]`"),
        (
            CHAT,
            {"sampling": Sampling(temperature=0.0)},
            error(400, "Unsupported value: 'temperature' does not support 0 with this model.", param="temperature"),
            "leave `temperature` out of `sampling`",
        ),
    ],
)
def test_a_field_that_the_server_does_not_know_is_mended_in_params(
    stub: Stub, request_: Request, fields: dict[str, Any], said: Say, words: str
):
    with pytest.raises(UserError) as caught:
        ask(stub, request_, said, said, fields=fields)
    assert words in str(caught.value) and str(caught.value).endswith(" under models.a_judge in params.yaml")
    assert ask(stub, request_, said, fields=fields).finish == "invalid", "a server that takes a harmless request"
    assert ask(stub, request_, said, fields=fields, known=True).finish == "invalid", "a server that knew it before"


@pytest.mark.parametrize(
    "message",
    [
        "This model's maximum context length is 4096 tokens, and max_tokens is 9: invalid",
        "sunflower seed is not allowed in this prompt",
        "unsupported picture: its size exceeds the limit",
        "Invalid prompt: the model of a ship does not float",
    ],
)
def test_what_concerns_one_request_is_not_taken_for_all(stub: Stub, message: str):
    sampling = Sampling(max_tokens=9)
    assert ask(stub, CHAT, error(400, message), fields={"sampling": sampling}).finish == "invalid"


def test_a_server_that_is_gone_for_too_long_ends_the_run(stub: Stub):
    stub.script[:] = [500, 502, 500]
    client = model(stub.url, outage_seconds=1e-9, attempts=2, concurrency=1)
    client._pool.servers[0].answered = True
    with pytest.raises(UserError) as caught:
        put(client, CHAT, PAINT)
    assert "gone for 0 s: HTTP 5" in str(caught.value) and "what was answered is kept" in str(caught.value)


def test_when_a_run_ends_nobody_waits_for_room_any_more(monkeypatch: pytest.MonkeyPatch):
    """Of 40 requests 20 are sent at once and find nobody; the others do not take their turn at a dead server."""
    monkeypatch.setattr(pacing, "FIRST_PAUSE", 4.0)
    client = model(gone_url(), connect_seconds=0.001)

    async def all_of_them() -> list[Any]:
        asked = (client.answer(Chat("q", (Message("user", (f"{n}",)),), SCHEMA, seed=n)) for n in range(40))
        return await asyncio.gather(*asked, return_exceptions=True)

    started = time.monotonic()
    errors = asyncio.run(all_of_them())
    assert time.monotonic() - started < 20, "one after the other they would take minutes"
    assert all(isinstance(error, UserError) for error in errors)
    refused_or_too_slow = r"(is the server running there|are host and port right)\? \(url .*\[models\.a_judge\]\)"
    assert all(re.search(refused_or_too_slow, str(error)) for error in errors)


def test_one_request_that_a_server_cannot_bear_is_no_outage(stub: Stub):
    assert ask(stub, CHAT, *[500] * 5, outage_seconds=1e-9).finish == "transport_error"


def test_no_part_of_a_key_is_left_by_the_cut(key: str):
    client = model("http://host/v1", key_variable=key)
    for length in range(0, http.CAUSE_LENGTH + 1, 7):
        assert KEY[:6] not in client._cause_line(f"{'x' * length}{KEY} and more").decode()
    looked_at = 100 * http.CAUSE_LENGTH  # of a longer text, blanks of which become one
    for length in range(looked_at - len(KEY), looked_at):
        assert client._cause_line(f"no{' ' * (length - 3)} {KEY} and more").decode() in ("no", "no [key]")


@pytest.mark.parametrize("says", ["\x1b[2J\x1b]0;title\x07", "a\r\nb\u2028c\u202egpj", "\udcff"])
def test_what_a_server_says_does_nothing_to_a_terminal(stub: Stub, says: str):
    said = model("http://host/v1")._cause_line(f"no{says} good").decode()
    assert said.isprintable() and said.startswith("no") and said.endswith(" good")
    if says != "\udcff":  # which stands for a byte of a header; in JSON it cannot be sent
        assert ask(stub, CHAT, error(400, f"no{says} good")).content.decode() == f"HTTP 400: {said}"


@pytest.mark.parametrize("filler", ["", "x" * (http.CAUSE_LENGTH - 60)])
def test_the_key_is_never_shown(stub: Stub, key: str, filler: str, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    echo = f"{filler}{KEY} is\r\nno good{filler}"
    escaped = echo.replace("/", "\\/").replace("+", "\\u002B").replace("S", "\\u0053").replace("\r\n", "")
    acts: list[Act] = [error(400, echo), error(500, echo), error(400, echo, code="content_filter")]
    acts += [Say(200, echo.encode()), Say(200, {"error": echo}), Say(500, echo.encode()), "reset"]
    acts += [
        error(403, echo),
        Say(200, {"choices": [{"message": {"refusal": echo}}]}),
        error(400, echo, type="unsupported"),
    ]
    acts += [Say(status, f'{{"detail": "{escaped}"}}'.encode()) for status in (200, 500)]
    for act in acts:
        cause = ask(stub, CHAT, act, key_variable=key, attempts=1, known=True).content.decode()
        assert (
            KEY[:12] not in cause
            and "0123456" not in cause
            and "\n" not in cause
            and 0 < len(cause) <= http.CAUSE_LENGTH
        )
    for status in (302, 401, 402, 404):
        with pytest.raises(UserError) as caught:
            ask(stub, CHAT, error(status, echo), key_variable=key)
        assert KEY[:12] not in "".join(traceback.format_exception(caught.value))
    for act in (Say(200, echo.encode()), error(400, f"unknown field 'seed' {echo}"), "reset"):
        with pytest.raises(UserError) as caught:
            ask(stub, CHAT, act, act, key_variable=key, attempts=1)
        assert KEY[:12] not in "".join(traceback.format_exception(caught.value))
    client = model(stub.url, key_variable=key)
    put(client, CHAT)
    assert KEY not in f"{client!r} {vars(client)} {client.identity}" and KEY not in caplog.text


def test_a_turn_of_the_system_hides_no_picture_from_the_choice_of_a_server() -> None:
    turns = (Message("system", ("Be fair.",)), Message("user", (Picture(b"one"), "Fit?")))
    assert http.first_picture(Chat("q", turns, {}, 0)) == http.first_picture(Chat("q", turns[1:], {}, 0)) is not None
