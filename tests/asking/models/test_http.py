"""The HTTP client against the stub server: what becomes of every answer and error, attempts, and the key's secrecy."""

from __future__ import annotations

import asyncio
import base64
import gc
import io
import logging
import random
import re
import resource
import threading
import time
import traceback
from dataclasses import replace
from email.utils import formatdate
from functools import partial
from typing import Any

import numpy as np
import pytest
from PIL import Image

from stages.asking.making import Creating
from stages.asking.models import http, pacing, sending
from stages.asking.outcomes import Outcome
from stages.asking.parts import Created, bundled, unbundled
from stages.asking.requests import Chat, Create, Embed, Message, Paint, Picture, Reply, Request, packed
from stages.project.errors import UserError
from stages.project.model_kinds import OpenAIModel, Sampling, identity
from stages.project.settings import Endpoint
from stages.tables import images
from tests import world
from tests.fakes import jpeg
from tests.stub_server import Act, Say, Stub, as_the_world, calls_of, echoed, stub_server

KEY = "sk-Secret/0123456789+abcdef"
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
CHAT = Chat("quality", (Message("user", ("rubric", Picture(b"\xff\xd8jpeg"), "item")),), SCHEMA, seed=7, sample=2)
PAINT = Paint("a red cube", 64, 128, seed=3, sample=1)
PICTURES = (Picture(b"\xff\xd8jpeg"), Picture(b"\r\n--x", "image/png"))
EDIT = Create((*PICTURES, "make it blue"), ("image",), 64, 128, seed=3)
EMBED = Embed("a red cube")
VECTOR = np.array([0.5, -1.0], np.float32)


def model(url: str | list[str] | None, fields: dict[str, Any] | None = None, **endpoint: Any) -> http.HttpModel:
    """A client; `fields` stand in params.yaml, the others in run.toml."""
    parameters = OpenAIModel(kind="openai", id="org/model", revision="r1", **(fields or {}))
    return http.HttpModel("judge (a_judge)", "a_judge", parameters, Endpoint(url=url, **endpoint))


def put(client: http.HttpModel, *requests: Request) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        try:
            return list(await asyncio.gather(*(client.answer(r) for r in requests)))
        finally:
            await client.close()

    return asyncio.run(all_of_them())


def ask(
    stub: Stub, request: Request, *script: Act, fields: dict[str, Any] | None = None, known: bool = False, **more: Any
) -> Reply:
    """Put one request to the stub after giving it a script; `known`: the server has answered this client before."""
    stub.script[:] = script
    client = model(stub.url, fields, **more)
    client._pool.servers[0].answered = known
    return put(client, request)[0]


def completion(ended: str | None = "stop", **message: Any) -> Say:
    usage = {"prompt_tokens": 11, "completion_tokens": 5}
    return Say(200, {"choices": [{"message": message, "finish_reason": ended}], "usage": usage})


def error(status: int, message: str = "because", **names: str) -> Say:
    return Say(status, {"error": {"message": message, **names}})


@pytest.fixture(scope="module")
def server():
    def answer(request: Request) -> Reply:
        if isinstance(request, Embed):
            return Reply(packed(VECTOR), "stop", 11)
        return Reply(b"\x89PNG" if isinstance(request, Paint | Create) else b'{"score": 3}', "stop", 11, 5)

    with stub_server(answer) as stub:
        yield stub


@pytest.fixture
def stub(server: Stub) -> Stub:
    server.script.clear()
    server.log.clear()
    server.heard.clear()
    return server


@pytest.fixture(autouse=True)
def waits(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The pauses that were made, none of which is slept."""
    made: list[float] = []

    async def sleep(seconds: float) -> None:
        made.append(seconds)

    monkeypatch.setattr(http, "sleep", sleep)
    monkeypatch.setattr(http, "BACKOFF", 0)
    monkeypatch.setattr(pacing, "FIRST_PAUSE", 0)
    return made


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("A_KEY", KEY)
    return "A_KEY"


def test_identity_and_concurrency():
    client = model("http://localhost:1/v1", {"sampling": Sampling(temperature=0.0)}, concurrency=3)
    assert client.identity == identity(client._model) and client.identity["sampling"] == {"temperature": 0.0}
    assert client.concurrency == 3
    assert model("http://localhost:1/v1").concurrency == 64
    assert model(["http://localhost:1/v1", "http://localhost:2/v1/"]).concurrency == 2 * 64


@pytest.mark.parametrize("paint", [PAINT, EDIT])
@pytest.mark.parametrize("way", ["images", "chat"])
def test_the_server_gets_what_was_asked(paint: Paint | Create, way: str, key: str):
    """What arrives, rebuilt by the stub's own reader of forms and JSON, is the request; and the key goes along."""
    heard: list[Request] = []

    def answer(request: Request) -> Reply:
        heard.append(request)
        return Reply(packed(VECTOR) if isinstance(request, Embed) else b"\x89PNG", "stop", 11)

    with stub_server(answer) as stub:
        client = model(stub.url + "/", {"pictures_from": way}, key_variable=key)
        assert [reply.content for reply in put(client, paint, EMBED)] == [b"\x89PNG", packed(VECTOR)]
        assert {headers["Authorization"] for headers, _ in stub.heard} == {f"Bearer {KEY}"}
        sent = replace(paint, seed=paint.seed + paint.sample, sample=0)
        assert len(heard) == 2 and sent in heard and EMBED in heard
        images = {"images": "/v1/images/edits" if paint is EDIT else "/v1/images/generations"}
        assert {call.path for call in stub.log} == {images.get(way, "/v1/chat/completions"), "/v1/embeddings"}


@pytest.mark.parametrize("way", ["json_object", "instruction"])
def test_a_schema_in_words_arrives(stub: Stub, way: str):
    assert ask(stub, CHAT, fields={"structured_output": way}) == Reply(b'{"score": 3}', "stop", 11, 5)


def test_the_stub_rebuilds_the_requests_and_logs_them():
    heard: list[Request] = []

    def answer(request: Request) -> Reply:
        heard.append(request)
        return Reply(b"no such entity", "unsupported")

    turns = (Message("assistant", ("[",)), Message("user", ("again",)))
    longer = Chat("quality", CHAT.messages + turns, SCHEMA, seed=9)
    with stub_server(answer) as stub:
        client = model(stub.url)
        assert put(client, longer) == [Reply(b"no such entity", "unsupported")]
        assert put(model(stub.url), PAINT) == [Reply(b"no such entity", "unsupported")]
        assert heard == [longer, Paint("a red cube", 64, 128, seed=4)]
        assert [(c.path, c.name, c.seed) for c in calls_of(stub.url)] == [
            ("/v1/chat/completions", "quality", 9),
            ("/v1/images/generations", "paint", 4),
        ]
        assert calls_of(stub.url) == stub.log and stub.calls == 2


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        (completion(content="{}"), Reply(b"{}", "stop", 11, 5)),
        (completion(None, content="{}"), Reply(b"{}", "stop", 11, 5)),
        (completion("length", content='{"sc'), Reply(b'{"sc', "length", 11, 5)),
        (completion(content=None), Reply(b"", "stop", 11, 5)),
        (completion(content=None, refusal="I\nwill not"), Reply(b"I will not", "refused", 11, 5)),
        (completion("content_filter", content=""), Reply(b"content_filter", "refused", 11, 5)),
        (Say(200, {"choices": [{"message": {"content": "{}"}}], "usage": None}), Reply(b"{}")),
    ],
)
def test_chat_replies(stub: Stub, said: Say, reply: Reply):
    assert ask(stub, CHAT, said) == reply
    assert stub.calls == 1


@pytest.mark.parametrize(
    ("said", "reply"),
    [
        (Say(200, {"data": []}), Reply(b"", "stop")),
        (Say(200, {"data": [{"b64_json": ""}]}), Reply(b"", "stop")),
        (Say(200, {"data": [{"b64_json": "iVBORw=="}], "usage": {"input_tokens": 4}}), Reply(b"\x89PNG", "stop", 4)),
    ],
)
def test_paint_replies(stub: Stub, said: Say, reply: Reply):
    assert ask(stub, PAINT, said) == reply
    assert stub.calls == 1


def test_an_image_elsewhere_is_said_to_be(stub: Stub):
    reply = ask(stub, PAINT, Say(200, {"data": [{"url": "http://elsewhere/1.png"}]}))
    assert reply.finish == "transport_error" and b"which is not followed" in reply.content
    assert stub.calls == 1


@pytest.mark.parametrize("request_", [CHAT, PAINT, EDIT, EMBED])
@pytest.mark.parametrize(
    ("said", "finish"),
    [
        (error(400), "invalid"),
        (error(413), "invalid"),
        (error(422), "invalid"),
        (Say(422, {"detail": [{"msg": "because"}]}), "invalid"),
        (Say(400, {"error": "because"}), "invalid"),
        (Say(400, b"because"), "invalid"),
        (error(400, code="unsupported"), "unsupported"),
        (error(422, type="unsupported"), "unsupported"),
        (error(400, code="content_policy_violation"), "refused"),
        (error(400, code="moderation_blocked"), "refused"),
        (error(403, type="content_filter"), "refused"),
    ],
)
def test_what_the_server_rejects_is_not_asked_again(stub: Stub, request_: Request, said: Say, finish: str):
    reply = ask(stub, request_, said)
    assert reply.finish == finish and b"because" in reply.content
    assert stub.calls == 1


@pytest.mark.parametrize(
    ("status", "word", "finish"),
    [
        (408, "content_filter", "transport_error"),
        (500, "unsupported", "transport_error"),
        (500, "content_filter", "refused"),  # gateways say so for what a host behind them refuses
        (503, "moderation_blocked", "refused"),
    ],
)
def test_a_server_in_trouble_is_asked_again_whatever_word_it_has(
    stub: Stub, waits: list[float], status: int, word: str, finish: str
):
    trouble = error(status, code=word)
    assert ask(stub, CHAT, trouble, trouble, attempts=2, known=True).finish == finish
    assert ask(stub, CHAT, trouble, 500, attempts=2, known=True).finish == "transport_error", "it was trouble"
    assert ask(stub, CHAT, trouble).finish == "stop", "it is asked again"


def test_a_key_that_is_refused_in_such_words_is_told(stub: Stub):
    with pytest.raises(UserError, match=r"HTTP 401: because: a key is wanted"):
        ask(stub, CHAT, error(401, type="unsupported"))


TRANSIENT: list[Act] = [408, 429, 500, 503, "reset", Say(200, b"<html>"), Say(200, b""), Say(200, {}), Say(200, [])]


@pytest.mark.parametrize("act", [*TRANSIENT, completion(content=[1]), Say(200, {"choices": []})])
def test_a_chat_succeeds_after_a_fault(stub: Stub, act: Act, waits: list[float]):
    assert ask(stub, CHAT, act) == Reply(b'{"score": 3}', "stop", 11, 5)
    assert stub.calls == 2 and waits == [0]


@pytest.mark.parametrize(
    "act", [*TRANSIENT, *(Say(200, {"data": [{"b64_json": bad}]}) for bad in ("?", "abc", "é", 1))]
)
def test_a_painting_succeeds_after_a_fault(stub: Stub, act: Act, waits: list[float]):
    assert ask(stub, PAINT, act) == Reply(b"\x89PNG", "stop", 11, 5)
    assert stub.calls == 2 and waits == [0]


def test_an_embedding_succeeds_after_a_fault(stub: Stub):
    bad = [
        Say(200, {"data": [{"embedding": vector}]})
        for vector in ([], "AAAA", "?", [1, None], packed(VECTOR * np.float32("inf")))
    ]
    for act in [*TRANSIENT, *bad]:
        assert ask(stub, EMBED, act) == Reply(packed(VECTOR), "stop", 11), act


@pytest.mark.parametrize("attempts", [1, 4])
def test_attempts_are_counted(stub: Stub, attempts: int, waits: list[float]):
    reply = ask(stub, CHAT, *[500] * 9, attempts=attempts)
    assert reply.finish == "transport_error" and b"HTTP 500: scripted 500" in reply.content
    assert stub.calls == attempts and len(waits) == attempts - 1


@pytest.mark.parametrize(
    ("acts", "finish"),
    [
        (["nothing"], "refused"),
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


def test_undecodable_images_give_a_cause(stub: Stub):
    reply = ask(stub, PAINT, Say(200, {"data": [{"b64_json": "abc"}]}), attempts=1, known=True)
    assert reply.finish == "transport_error" and b"padding" in reply.content


@pytest.mark.parametrize("fault", ["slow_headers", "stalled_body"])
def test_a_hanging_server_is_left(stub: Stub, fault: Any):
    reply = ask(stub, CHAT, fault, fault, answer_seconds=0.2, attempts=2, known=True)
    assert reply == Reply(b"no answer within 0.2 s", "transport_error")
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


def gone_url() -> str:
    """An address where nobody listens."""
    with stub_server(lambda request: Reply(b"")) as gone:
        return gone.url


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
        pauses = [http.pause(attempt, chance) for _ in range(50)]
        assert longest / 2 <= min(pauses) < max(pauses) <= longest


def test_a_reply_that_is_too_large_is_not_read(stub: Stub):
    assert ask(stub, CHAT, "20_mb") == Reply(b"the reply is larger than 8 MB: it was not read to the end", "length")
    stub.script[:] = [Say(200, b" " * 64_000_001)]
    assert put(model(stub.url), PAINT)[0].finish == "transport_error"
    assert stub.calls == 2, "nor asked for again"
    long = ask(stub, CHAT, Say(500, b"<html>" + b"x" * 9_000_000), attempts=1)
    assert long.finish == "transport_error" and long.content.startswith(b"HTTP 500: <html>xxx")
    large = {"data": [{"b64_json": "iVBORw=="}], "padding": " " * 9_000_000}
    assert ask(stub, PAINT, Say(200, large)) == Reply(b"\x89PNG")


# Answers of several parts

JPEG = jpeg()
PARTS = ("first", Picture(JPEG), "second\n", Picture(b"\x89PNG"), "third")
BOTH = Create(PARTS, ("text", "image"), 64, 128, seed=3)
TOLD = Create(PARTS, ("text",), 0, 0, seed=3)
CHATTING = {"pictures_from": "chat"}


@pytest.mark.parametrize("request_", [BOTH, TOLD, replace(BOTH, modalities=("image",))])
def test_parts_go_out_and_come_back_in_their_order(request_: Create):
    heard: list[Request] = []

    def answer(request: Request) -> Reply:
        heard.append(request)
        assert isinstance(request, Create)
        return replace(echoed(request), input_tokens=11, output_tokens=5)

    with stub_server(answer) as stub:
        [reply] = put(model(stub.url, CHATTING), request_)
    assert heard == [request_]
    parts: tuple[str | bytes, ...] = ("first", JPEG, "second\n", b"\x89PNG", "third")
    if request_.modalities == ("text",):
        parts = (f"first[image/jpeg, {len(JPEG)}]second\n[image/jpeg, 4]third",)
    elif request_.modalities == ("image",):
        parts = (JPEG, b"\x89PNG")
    assert (reply.finish, reply.input_tokens, reply.output_tokens) == ("stop", 11, 5)
    assert unbundled(reply.content) == Created(parts, "as it came")


def test_who_is_asked_for_text_alone_is_asked_by_chat(stub: Stub):
    assert ask(stub, TOLD, completion(content="<think>so</think>words")).content == bundled(["words"], "so")
    assert [call.path for call in stub.log] == ["/v1/chat/completions"]
    assert "modalities" not in stub.heard[0][1] and "response_format" not in stub.heard[0][1]


def test_an_edit_over_an_images_endpoint_names_its_pictures_by_number():
    heard: list[Request] = []

    def answer(request: Request) -> Reply:
        heard.append(request)
        return Reply(JPEG)

    with stub_server(answer) as stub:
        assert put(model(stub.url), replace(BOTH, modalities=("image",))) == [Reply(JPEG)]
    pictures = (Picture(JPEG), Picture(b"\x89PNG"))
    text = "first image 1 second\nimage 2 third"
    assert heard == [Create((*pictures, text), ("image",), 64, 128, seed=3)]


def test_a_text_instead_of_the_picture_is_kept(stub: Stub):
    reply = ask(stub, replace(BOTH, modalities=("image",)), completion(content="I only write."), fields=CHATTING)
    assert reply == Reply(b"I only write.", "stop", 11, 5)
    outcome = Creating(BOTH, images.as_made).next([reply])
    assert outcome == Outcome("missing_output", Created(("I only write.",)), "the reply has no image")


def test_an_address_instead_of_the_picture_is_not_followed(stub: Stub):
    elsewhere = {"type": "image_url", "image_url": {"url": f"{stub.url}/1.png"}}
    reply = ask(stub, BOTH, completion(content=["Here:", elsewhere]), fields=CHATTING)
    assert reply.finish == "transport_error" and b"which is not followed" in reply.content
    assert stub.calls == 1


def test_replies_of_20_megabytes_are_read(stub: Stub):
    large = bytes(range(256)) * 30_000  # twice 7.7 MB, a third more in base64
    urls = [f"data:image/png;base64,{base64.b64encode(large).decode()}"] * 2
    reply = ask(stub, BOTH, completion(content="<image>and<image>", images=urls), fields=CHATTING)
    assert unbundled(reply.content) == Created((large, "and", large))
    assert stub.calls == 1


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
        ask(stub, PAINT, said, fields=CHATTING)  # who is to paint all and cannot is to be mended


def test_the_stub_paints_texts_and_gives_other_parts_back():
    with stub_server(partial(as_the_world, faults={})) as stub:
        asked = Create(("two red", "cats"), ("image",), 128, 128, seed=3)
        painted = put(model(stub.url), asked, BOTH, replace(asked, parts=("a dragon",)))
        assert [reply.finish for reply in painted] == ["stop", "unsupported", "unsupported"]
        assert painted[0] == world.reply(Paint("two red cats", 128, 128, seed=3), {})
        [given] = put(model(stub.url, CHATTING), BOTH)
    assert unbundled(given.content).parts == ("first", JPEG, "second\n", b"\x89PNG", "third")


# Pictures


def test_larger_pictures_are_scaled_down_once_and_smaller_ones_not_touched(stub: Stub, monkeypatch: pytest.MonkeyPatch):
    threads: list[int] = []

    def counted(data: bytes, longest: int) -> bytes:
        threads.append(threading.get_ident())
        return images.scaled_down(data, longest)

    monkeypatch.setattr(http, "scaled_down", counted)
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
    assert form["image[]"] == [Picture(small), Picture(images.scaled_down(large, 100))]
    assert len(threads) == 2 and threading.get_ident() not in threads


def sized(url: str) -> tuple[int, int]:
    return Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).size


@pytest.mark.parametrize("request_", [CHAT, EDIT, TOLD])
def test_a_picture_that_cannot_be_read_fails_its_request_alone(stub: Stub, request_: Request):
    reply = put(model(stub.url, {"largest_picture": 100}), request_)[0]
    assert reply == Reply(b"a picture is not a picture in a known format", "invalid") and stub.calls == 0


# What concerns every request


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (error(401), ["judge", "a_judge", "/v1/chat/completions", "A_KEY", "put a key", "because"]),
        (error(400, "Incorrect API key provided: sk-***"), ["put a key", "A_KEY"]),
        (error(400, "No connected db.", type="no_db_connection"), ["put a key", "A_KEY"]),
        (
            error(400, "Invalid model name passed in model=org/model. Call `/v1/models`"),
            ["'org/model'", "is not served"],
        ),
        (error(400, "org/model is not a valid model ID"), ["is not served"]),
        (error(402), ["judge", "a_judge", "top up"]),
        (error(429, code="insufficient_quota"), ["judge", "a_judge", "top up"]),
        (error(404), ["judge", "a_judge", "org/model", "/v1/chat/completions"]),
        (error(400, code="model_not_found"), ["org/model", "/v1/chat/completions"]),
        (Say(400, {"detail": "Model mismatch: request specifies 'org/model' but server is"}), ["is not served"]),
        (error(400, "The model 'org/model' does not exist."), ["is not served"]),
        (error(400, "API key not valid. Please pass a valid API key."), ["put a key", "A_KEY"]),
        (error(400, "API key expired. Please renew the API key."), ["put a key", "A_KEY"]),
        (Say(400, [{"error": {"details": [{"reason": "API_KEY_INVALID"}]}}]), ["put a key", "A_KEY"]),
        (error(429, "Quota exceeded for metric: requests, limit: 0, model: gemini"), ["top up"]),
        (
            Say(307, b"", {"Location": "https://me:pw@elsewhere/v1/chat#k=secret?k=secret"}),
            ["HTTP 307: Temporary Redirect, to elsewhere/v1/chat: a redirect is not followed", "[models.a_judge] url"],
        ),
        (Say(404, b""), ["HTTP 404: Not Found: "]),
    ],
)
def test_what_concerns_every_request_ends_the_run(stub: Stub, key: str, said: Say, words: list[str]):
    with pytest.raises(UserError) as caught:
        ask(stub, CHAT, said, key_variable=key)
    assert [w for w in words if w not in str(caught.value)] == []
    assert "\n" not in str(caught.value) and stub.calls == 1


@pytest.mark.parametrize("said", [error(401), error(400, "Missing or invalid Authorization header.")])
def test_a_key_is_asked_for_when_none_is_named(stub: Stub, said: Say):
    with pytest.raises(UserError, match=r"\[models\.a_judge\] key_variable"):
        ask(stub, CHAT, said)


def test_address_and_key_are_checked_before_any_work(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UserError, match=r'judge \(a_judge\).*run\.toml needs `\[models\.a_judge\] url = "…"`'):
        model(None)
    for value in ("", "  ", f"{KEY}\nX-Other: 1", f"{KEY}é"):
        monkeypatch.setenv("A_KEY", value)
        with pytest.raises(UserError, match=r"judge \(a_judge\).*variable A_KEY .* holds none$") as caught:
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
        (PAINT, {}, error(400, "Unknown parameter: 'response_format'."), "add `omit: [response_format]`"),
        (EDIT, {}, error(400, "Unknown parameter: 'n'."), "add `omit: [n]`"),
        (
            PAINT,
            {},
            error(400, "Invalid value: '64x128'.", param="size"),
            "a size that it knows, or add `omit: [size]`",
        ),
        (PAINT, {"pictures_from": "chat"}, error(400, "unknown field `width`"), "add `omit: [size]`"),
        (EMBED, {}, error(400, "encoding_format is not supported"), "add `omit: [encoding_format]`"),
        (BOTH, CHATTING, error(400, "Unknown parameter: 'modalities'."), "add `omit: [modalities]`"),
        (
            CHAT,
            {"sampling": Sampling(max_tokens=9)},
            error(400, "Unsupported parameter: 'max_tokens' is not supported, use 'max_completion_tokens' instead."),
            "leave `max_tokens` out of `sampling` (`extra_body: {max_completion_tokens: …}`",
        ),
        (
            CHAT,
            {"sampling": Sampling(temperature=0.0)},
            error(400, "Unsupported value: 'temperature' does not support 0 with this model."),
            "leave `temperature` out of `sampling`",
        ),
        (
            CHAT,
            {"extra_body": {"think": True}},
            Say(422, {"detail": [{"loc": ["body", "think"], "msg": "Extra inputs are not permitted"}]}),
            "leave `think` out of `extra_body`",
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
        "the seed of a pomegranate",
        "sunflower seed is not allowed in this prompt",
        "unsupported picture: its size exceeds the limit",
        "this picture shows an API key",
        "Invalid prompt: the model of a ship does not float",
        "Invalid image",
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
    assert "gone since 0 s: HTTP 5" in str(caught.value) and "what was answered is kept" in str(caught.value)


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


def test_a_busy_server_is_waited_for_at_no_cost_of_attempts(stub: Stub):
    stub.script[:] = [429] * 4
    client = model(stub.url, attempts=1)
    assert [reply.finish for reply in put(client, CHAT, PAINT)] == ["stop"] * 2
    assert stub.calls == 6


def test_who_only_says_that_too_many_ask_ends_the_run_in_the_end(stub: Stub):
    stub.script[:] = [429] * 199
    client = model(stub.url, busy_seconds=1e-9)
    client._pool.servers[0].answered = True
    with pytest.raises(
        UserError, match=r"nothing but this is answered any more: HTTP 429: .*: what was answered is kept"
    ):
        put(client, CHAT)


def test_one_request_that_is_never_let_in_is_given_up(stub: Stub, monkeypatch: pytest.MonkeyPatch):
    """As one that alone exceeds what a minute may take; others are answered meanwhile."""
    monkeypatch.setattr(pacing.Server, "busy_for", lambda *_: False)
    stub.script[:] = [429] * 199
    reply = put(model(stub.url, busy_seconds=1e-9), CHAT)[0]
    assert reply == Reply(b"HTTP 429: scripted 429", "transport_error") and stub.calls == http.MOST_BUSY
    said = "Request too large for gpt-6 on tokens per min (TPM): Limit 30000, Requested 35389."
    assert ask(stub, CHAT, error(429, said, code="rate_limit_exceeded")).finish == "invalid"


def test_a_dead_server_of_two_only_loses_its_share(stub: Stub, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pacing, "FIRST_PAUSE", 0.25)
    client = model([gone_url(), stub.url], concurrency=4, outage_seconds=1e-9)
    chats = [Chat("quality", (Message("user", (f"{n}",)),), SCHEMA, seed=n) for n in range(30)]
    assert [reply.finish for reply in put(client, *chats)] == ["stop"] * 30
    assert len({call.digest for call in stub.log}) == stub.calls == 30


def test_two_dead_servers_end_the_run():
    urls = [gone_url(), gone_url()]
    with pytest.raises(UserError, match=r"judge \(a_judge\): http.*Connection refused: is the server running there\?"):
        put(model(urls, attempts=3), CHAT)


def test_no_part_of_a_key_is_left_by_the_cut(key: str):
    client = model("http://host/v1", key_variable=key)
    for length in range(http.CAUSE_LENGTH + 1):
        assert KEY[:6] not in client._short(f"{'x' * length}{KEY} and more").decode()
    looked_at = 100 * http.CAUSE_LENGTH  # of a longer text, blanks of which become one
    for length in range(looked_at - len(KEY), looked_at):
        assert client._short(f"no{' ' * (length - 3)} {KEY} and more").decode() in ("no", "no [key]")


@pytest.mark.parametrize("says", ["\x1b[2J\x1b]0;title\x07", "\u202egpj", "a\r\nb\u2028c", "\x9b31m", "\udcff"])
def test_what_a_server_says_does_nothing_to_a_terminal(stub: Stub, says: str):
    said = model("http://host/v1")._short(f"no{says} good").decode()
    assert said.isprintable() and said.startswith("no") and said.endswith(" good")
    if says != "\udcff":  # which stands for a byte of a header; in JSON it cannot be sent
        assert ask(stub, CHAT, error(400, f"no{says} good")).content.decode() == f"HTTP 400: {said}"


@pytest.mark.parametrize("filler", ["", "x" * (http.CAUSE_LENGTH - 60), "x" * (http.CAUSE_LENGTH - 10)])
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


def test_no_more_in_flight_than_allowed():
    flying, most = 0, 0

    def answer(request: Request) -> Reply:
        nonlocal flying, most
        flying += 1
        most = max(most, flying)
        time.sleep(0.005)  # long enough for the stub's other thread to answer meanwhile, were it asked
        flying -= 1
        return Reply(b"{}")

    with stub_server(answer) as stub:
        put(model(stub.url, concurrency=1), *[CHAT] * 20)
        assert stub.calls == 20 and most == 1


def test_the_stub_says_what_it_is_told():
    """Its own mapping of replies, which tests of whole runs rely on."""
    said: list[Reply] = [Reply(b"no", finish) for finish in ("refused", "unsupported", "invalid", "transport_error")]
    for reply in (*said, Reply(b"{", "length")):
        with stub_server(lambda request, reply=reply: reply) as other:
            for request in (CHAT, PAINT):
                had = put(model(other.url, attempts=1), request)[0]
                expected = "stop" if request is PAINT and reply.finish == "length" else reply.finish
                assert had.finish == expected and reply.content in had.content


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


def test_a_turn_of_the_system_hides_no_picture_from_the_choice_of_a_server() -> None:
    turns = (Message("system", ("Be fair.",)), Message("user", (Picture(b"one"), "Fit?")))
    assert http.first_picture(Chat("q", turns, {}, 0)) == http.first_picture(Chat("q", turns[1:], {}, 0)) is not None
