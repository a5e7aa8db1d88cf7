"""The HTTP client against the stub server: what becomes of every answer, and attempts."""

from __future__ import annotations

import asyncio
import base64
import io
import random
import threading
import time
from dataclasses import replace
from email.utils import formatdate
from typing import Any

import pytest
from PIL import Image

from gamut.asking.models.http import client as http
from gamut.asking.models.http import pacing
from gamut.asking.requests import Chat, Create, Embed, Message, Paint, Picture, Reply, Request, pack_vector
from gamut.project.errors import UserError
from gamut.project.model_kinds import Sampling, identity
from gamut.tables import images
from tests.asking.models.http.http_asking import (
    BOTH,
    CHAT,
    CHATTING,
    EDIT,
    EMBED,
    KEY,
    PAINT,
    SCHEMA,
    VECTOR,
    ask,
    completion,
    error,
    gone_url,
    model,
    put,
)
from tests.fakes import jpeg
from tests.stub_server import Act, Say, Stub, stub_server

pytestmark = pytest.mark.usefixtures("waits")


def test_identity_and_concurrency():
    client = model("http://localhost:1/v1", {"sampling": Sampling(temperature=0.0)}, concurrency=3)
    assert client.identity == identity(client._model) and client.identity["sampling"] == {"temperature": 0.0}
    assert client.concurrency == client._pool.servers[0].most == 3
    assert model("http://localhost:1/v1").concurrency == 64
    assert model(["http://localhost:1/v1", "http://localhost:2/v1/"]).concurrency == 2 * 64


@pytest.mark.parametrize("paint", [PAINT, EDIT])
def test_the_server_gets_what_was_asked(paint: Paint | Create, key: str):
    """What arrives, rebuilt by the stub's own reader of forms and JSON, is the request; and the key goes along."""
    heard: list[Request] = []

    def answer(request: Request) -> Reply:
        heard.append(request)
        return Reply(pack_vector(VECTOR) if isinstance(request, Embed) else b"\x89PNG", "stop", 11)

    with stub_server(answer) as stub:
        client = model(stub.url + "/", key_variable=key)
        assert [reply.content for reply in put(client, paint, EMBED)] == [b"\x89PNG", pack_vector(VECTOR)]
        assert {headers["Authorization"] for headers, _ in stub.heard} == {f"Bearer {KEY}"}
        sent = replace(paint, seed=paint.seed + paint.sample, sample=0)
        assert len(heard) == 2 and sent in heard and EMBED in heard
        path = "/v1/images/edits" if paint is EDIT else "/v1/images/generations"
        assert {call.path for call in stub.log} == {path, "/v1/embeddings"}


@pytest.mark.parametrize(
    ("request_", "said", "reply"),
    [
        (CHAT, completion(content="{}"), Reply(b"{}", "stop", 11, 5)),
        (CHAT, completion("length", content='{"sc'), Reply(b'{"sc', "length", 11, 5)),
        (CHAT, completion(content=None, refusal="I\nwill not"), Reply(b"I will not", "refused", 11, 5)),
        (PAINT, Say(200, {"data": []}), Reply(b"", "stop")),
    ],
)
def test_what_a_server_answers_is_the_reply(stub: Stub, request_: Request, said: Say, reply: Reply):
    assert ask(stub, request_, said) == reply
    assert stub.calls == 1


@pytest.mark.parametrize(
    ("said", "finish"),
    [
        (error(422), "invalid"),
        (Say(400, b"because"), "invalid"),
        (error(400, code="unsupported"), "unsupported"),
        (error(400, code="content_policy_violation"), "refused"),
    ],
)
def test_what_the_server_rejects_is_not_asked_again(stub: Stub, said: Say, finish: str):
    reply = ask(stub, CHAT, said)
    assert reply.finish == finish and b"because" in reply.content
    assert stub.calls == 1


@pytest.mark.parametrize(
    ("status", "word", "finish"),
    [
        (500, "unsupported", "transport_error"),
        (500, "content_filter", "refused"),  # gateways say so for what a host behind them refuses
    ],
)
def test_a_server_in_trouble_is_asked_again_whatever_word_it_has(
    stub: Stub, waits: list[float], status: int, word: str, finish: str
):
    trouble = error(status, code=word)
    assert ask(stub, CHAT, trouble, trouble, attempts=2, known=True).finish == finish
    assert ask(stub, CHAT, trouble, 500, attempts=2, known=True).finish == "transport_error", "it was trouble"
    assert ask(stub, CHAT, trouble).finish == "stop", "it is asked again"


@pytest.mark.parametrize(
    ("request_", "act"),
    [
        *(
            (CHAT, act)
            for act in (408, 429, 503, "reset", Say(200, b"<html>"), Say(200, {}), completion("abort", content="x"))
        ),
        (PAINT, Say(200, {"data": [{"b64_json": "?"}]})),
        (EMBED, Say(200, {"data": [{"embedding": "AAAA"}]})),
    ],
)
def test_a_request_succeeds_after_a_fault(stub: Stub, request_: Request, act: Act, waits: list[float]):
    assert ask(stub, request_, act).finish == "stop"
    assert stub.calls == 2 and waits == [0]


def test_attempts_are_counted(stub: Stub, waits: list[float]):
    reply = ask(stub, CHAT, *[500] * 9, attempts=4)
    assert reply.finish == "transport_error" and b"HTTP 500: scripted 500" in reply.content
    assert stub.calls == 4 and len(waits) == 3


@pytest.mark.parametrize(
    ("acts", "finish"),
    [
        (["nothing"] * 3, "refused"),
        ([429, "nothing", 429, "nothing"], "refused"),  # that too many ask says nothing of this request
        ([500, 500, "nothing"], "transport_error"),
        (["nothing", "nothing", 500], "transport_error"),
    ],
)
def test_what_is_answered_with_nothing_is_refused_only_where_it_always_is(
    stub: Stub, waits: list[float], acts: list[Any], finish: str
):
    nothing = Say(200, {"choices": [], "usage": {"prompt_tokens": 9}})
    script = [nothing if act == "nothing" else act for act in acts]
    attempts = len(acts) - acts.count(429)
    assert ask(stub, CHAT, *script, attempts=attempts, known=True).finish == finish
    assert stub.calls == len(acts)


def test_a_hanging_server_is_left(stub: Stub):
    reply = ask(stub, CHAT, "stalled_body", "slow_headers", answer_seconds=0.1, attempts=2, known=True)
    assert reply == Reply(b"no answer within 0.1 s", "transport_error")
    assert stub.calls == 2


def test_nobody_listens_any_more(waits: list[float]):
    client = model(gone_url(), attempts=3)
    client._pool.servers[0].answered = True
    assert put(client, CHAT) == [Reply(b"ClientConnectorError: Connection refused", "transport_error")]
    assert len(waits) == 2


def test_a_server_that_is_being_started_again_costs_no_attempts(stub: Stub, waits: list[float]):
    """Two requests find nobody there, more often than they have attempts, until somebody is."""
    client = model(gone_url(), attempts=2, concurrency=1)
    gone = client._pool.servers[0].url
    client._pool.servers[0].answered = True

    async def until_it_is_there() -> list[Reply]:
        asked = [asyncio.create_task(client.answer(request)) for request in (CHAT, PAINT)]
        while len(waits) < 20:
            await asyncio.sleep(0.001)
        client._pool.servers[0].url = stub.url
        try:
            return [await reply for reply in asked]
        finally:
            await client.close()

    assert [reply.finish for reply in asyncio.run(until_it_is_there())] == ["stop", "stop"]
    assert gone != stub.url and stub.calls == 2


def test_retry_after_pauses_the_server(stub: Stub, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    shut: list[float] = []
    monkeypatch.setattr(pacing.Pool, "_shut", lambda self, server, seconds: shut.append(seconds))
    date, far = (formatdate(time.time() + seconds, usegmt=True) for seconds in (100, 1e9))
    asked = [Say(429, b"", {"Retry-After": value}) for value in ("7", "0.5", date, "soon", far)]
    assert ask(stub, CHAT, *asked, attempts=6).finish == "stop"
    assert shut[:2] == [7, 0.5] and 95 < shut[2] <= 100 and shut[3:] == [pacing.LONGEST_PAUSE]
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2 and "asks to wait 1 min" in told[0] and "asks to wait 10 min 0 s" in told[1]
    assert told[0].startswith(f"judge (a_judge): {stub.url} ")


def test_pauses_between_attempts_grow_and_are_spread(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http, "BACKOFF", 1.0)
    chance = random.Random(0)
    for attempt, longest in ((1, 1), (2, 2), (5, 16), (19, 600)):
        pauses = [http.backoff_pause(attempt, chance) for _ in range(50)]
        assert longest / 2 <= min(pauses) < max(pauses) <= longest


def test_a_reply_that_is_too_large_is_not_read(stub: Stub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http, "MEGABYTE", 10_000)
    large = ask(stub, CHAT, Say(200, b" " * 100_000))
    assert large == Reply(b"the reply is larger than 8 MB: it was not read to the end", "length")
    stub.script[:] = [Say(200, b" " * 800_000)]
    assert put(model(stub.url), PAINT)[0].finish == "transport_error"
    assert stub.calls == 2, "nor asked for again"
    long = ask(stub, CHAT, Say(500, b"<html>" + b"x" * 90_000), attempts=1)
    assert long.finish == "transport_error" and long.content.startswith(b"HTTP 500: <html>xxx")
    large_picture = {"data": [{"b64_json": "iVBORw=="}], "padding": " " * 90_000}
    assert ask(stub, PAINT, Say(200, large_picture)) == Reply(b"\x89PNG")


# Answers of several parts


def test_what_a_server_cannot_answer_with_is_unsupported(stub: Stub):
    reply = ask(stub, BOTH)
    assert reply.finish == "unsupported" and b"writes no text beside a picture" in reply.content
    assert stub.calls == 0, "it is not even asked"
    for said in (
        error(400, "Unsupported output modalities text for this model. Supported modalities: image"),
        error(404, "No endpoints found that support the requested output modalities: image, text"),
    ):
        reply = ask(stub, BOTH, said, fields=CHATTING)
        assert reply.finish == "unsupported" and b"output modalities" in reply.content
    with pytest.raises(UserError, match="is not served"):
        ask(stub, PAINT, said, fields=CHATTING)  # who is to paint all and cannot is to be fixed


# Pictures


def test_larger_pictures_are_scaled_down_once_and_smaller_ones_not_touched(stub: Stub, monkeypatch: pytest.MonkeyPatch):
    threads: list[int] = []

    def counted(data: bytes, longest: int) -> bytes:
        threads.append(threading.get_ident())
        return images.scale_down(data, longest)

    monkeypatch.setattr(http, "scale_down", counted)
    large, small = jpeg(size=(200, 100)), jpeg(size=(64, 64))
    chat = Chat("quality", (Message("user", ("rubric", Picture(large), Picture(small))),), SCHEMA, seed=7)
    edit = Create((Picture(small), Picture(large), "blue"), ("image",), 64, 64, 1)
    put(model(stub.url, {"largest_picture": 100}), chat, edit, chat, replace(edit, modalities=("text",)))
    sent = [body for headers, body in stub.heard if "messages" in body and "response_format" in body]
    parts = [stub_part["image_url"]["url"] for stub_part in sent[0]["messages"][0]["content"][1:]]
    assert [sized(url) for url in parts] == [(100, 50), (64, 64)] and sent[0] == sent[1]
    [free] = [body["messages"][0]["content"] for _, body in stub.heard if "prompt" not in body and body not in sent]
    assert [sized(part["image_url"]["url"]) for part in free[:2]] == [(64, 64), (100, 50)]
    form = next(body for headers, body in stub.heard if "image[]" in body)
    assert form["image[]"] == [Picture(small), Picture(images.scale_down(large, 100))]
    assert len(threads) == 2 and threading.get_ident() not in threads


def sized(url: str) -> tuple[int, int]:
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).size


@pytest.mark.parametrize("request_", [CHAT, EDIT])
def test_a_picture_that_cannot_be_read_fails_its_request_alone(stub: Stub, request_: Request):
    reply = put(model(stub.url, {"largest_picture": 100}), request_)[0]
    assert reply == Reply(b"a picture is not a picture in a known format", "invalid") and stub.calls == 0
