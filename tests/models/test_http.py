"""The HTTP client against the stub server: every mapping of replies and errors, retries, and the key's secrecy."""

from __future__ import annotations

import asyncio
import base64
import logging
import random
import time
import traceback
from email.utils import formatdate
from typing import Any

import pytest

from stages.errors import UserError
from stages.kinds import OpenAIModel, Sampling
from stages.models import http
from stages.requests import Chat, Message, Paint, Picture, Reply, Request
from stages.settings import Endpoint
from tests.stub_server import Act, Say, Stub, calls_of, stub_server

KEY = "sk-Secret/0123456789+abcdef"
SCHEMA = {"type": "object", "properties": {"score": {"type": "integer"}}, "required": ["score"]}
CHAT = Chat("quality", (Message("user", ("rubric", Picture(b"\xff\xd8jpeg"), "item")),), SCHEMA, seed=7, sample=2)
PAINT = Paint("a red cube", 64, 128, seed=3, sample=1)
SAMPLING = Sampling(temperature=0.5, max_tokens=99, guidance_scale=3.5, num_inference_steps=4, quality="high")


def model(url: str | None, sampling: Sampling | None = None, **endpoint: Any) -> http.HttpModel:
    parameters = OpenAIModel(kind="openai", id="org/model", revision="r1", sampling=sampling or Sampling())
    return http.HttpModel("judge", "a_judge", parameters, Endpoint(url=url, **endpoint))


def put(client: http.HttpModel, *requests: Request) -> list[Reply]:
    async def all_of_them() -> list[Reply]:
        try:
            return list(await asyncio.gather(*(client.answer(r) for r in requests)))
        finally:
            await client.close()

    return asyncio.run(all_of_them())


def ask(stub: Stub, request: Request, *script: Act, **endpoint: Any) -> Reply:
    """Put one request to the stub after giving it a script."""
    stub.script[:] = script
    return put(model(stub.url, **endpoint), request)[0]


def completion(ended: str | None = "stop", **message: Any) -> Say:
    usage = {"prompt_tokens": 11, "completion_tokens": 5}
    return Say(200, {"choices": [{"message": message, "finish_reason": ended}], "usage": usage})


def error(status: int, message: str = "because", **names: str) -> Say:
    return Say(status, {"error": {"message": message, **names}})


@pytest.fixture(scope="module")
def server():
    def answer(request: Request) -> Reply:
        return Reply(b"\x89PNG" if isinstance(request, Paint) else b'{"score": 3}', "stop", 11, 5)

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
    return made


@pytest.fixture
def key(monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv("A_KEY", KEY)
    return "A_KEY"


def test_identity_and_concurrency():
    client = model("http://localhost:1/v1", Sampling(temperature=0.0), concurrency=3)
    assert client.identity == {"id": "org/model", "revision": "r1", "numerics": "", "sampling": {"temperature": 0.0}}
    assert client.concurrency == 3
    assert model("http://localhost:1/v1").concurrency == 16


def test_chat_body(stub: Stub, key: str):
    reply = put(model(stub.url + "/", SAMPLING, key_variable=key), CHAT)[0]
    assert reply == Reply(b'{"score": 3}', "stop", 11, 5)
    headers, body = stub.heard[0]
    assert headers["Authorization"] == f"Bearer {KEY}"
    image = {"url": "data:image/jpeg;base64," + base64.b64encode(b"\xff\xd8jpeg").decode()}
    parts = [
        {"type": "text", "text": "rubric"},
        {"type": "image_url", "image_url": image},
        {"type": "text", "text": "item"},
    ]
    assert body == {
        "model": "org/model",
        "messages": [{"role": "user", "content": parts}],
        "response_format": {
            "type": "json_schema",
            "json_schema": {"name": "quality", "schema": SCHEMA, "strict": True},
        },
        "seed": 9,
        "temperature": 0.5,
        "max_tokens": 99,
    }


def test_paint_body(stub: Stub):
    assert put(model(stub.url, SAMPLING), PAINT) == [Reply(b"\x89PNG", "stop", 11, 5)]
    headers, body = stub.heard[0]
    assert "Authorization" not in headers
    assert body == {
        "model": "org/model",
        "prompt": "a red cube",
        "n": 1,
        "size": "64x128",
        "response_format": "b64_json",
        "seed": 4,
        "guidance_scale": 3.5,
        "num_inference_steps": 4,
        "quality": "high",
    }


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
    assert reply.finish == "transport_error" and b"b64_json" in reply.content
    assert stub.calls == 1


@pytest.mark.parametrize("request_", [CHAT, PAINT])
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


@pytest.mark.parametrize("attempts", [1, 4])
def test_attempts_are_counted(stub: Stub, attempts: int, waits: list[float]):
    reply = ask(stub, CHAT, *[500] * 9, attempts=attempts)
    assert reply.finish == "transport_error" and b"HTTP 500: scripted 500" in reply.content
    assert stub.calls == attempts and len(waits) == attempts - 1


def test_undecodable_images_give_a_cause(stub: Stub):
    reply = ask(stub, PAINT, Say(200, {"data": [{"b64_json": "abc"}]}), attempts=1)
    assert reply.finish == "transport_error" and b"padding" in reply.content


def test_a_hanging_server_is_left(stub: Stub):
    reply = ask(stub, CHAT, "hang", "hang", answer_seconds=0.2, attempts=2)
    assert reply.finish == "transport_error" and b"no answer within 0.2 s" in reply.content
    assert stub.calls == 2


def test_nobody_listens(waits: list[float]):
    with stub_server(lambda request: Reply(b"")) as gone:
        url = gone.url
    reply = put(model(url, attempts=3), CHAT)[0]
    assert reply.finish == "transport_error" and reply.content == b"ClientConnectorError: Connection refused"
    assert len(waits) == 2


def test_retry_after_is_honoured(stub: Stub, waits: list[float]):
    date = formatdate(time.time() + 100, usegmt=True)
    asked = [Say(429, b"", {"Retry-After": value}) for value in ("7", "0.5", date, "soon", "1e9")]
    assert ask(stub, CHAT, *asked, attempts=6).finish == "stop"
    assert waits[:2] == [7, 0.5] and 95 < waits[2] <= 100 and waits[3:] == [0, http.LONGEST_WAIT]


def test_pauses_grow_and_are_spread(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(http, "BACKOFF", 1.0)
    jitter = random.Random(0)
    for attempt, longest in ((1, 1), (2, 2), (5, 16), (19, http.LONGEST_WAIT)):
        pauses = [http.pause(attempt, 0, jitter) for _ in range(50)]
        assert longest / 2 <= min(pauses) < max(pauses) <= longest
    assert http.pause(1, 30, jitter) > 30


@pytest.mark.parametrize(
    ("said", "words"),
    [
        (error(401), ["judge", "a_judge", "/v1/chat/completions", "A_KEY", "put a key", "because"]),
        (error(403), ["judge", "a_judge", "/v1/chat/completions", "A_KEY", "put a key"]),
        (error(402), ["judge", "a_judge", "top up"]),
        (error(429, code="insufficient_quota"), ["judge", "a_judge", "top up"]),
        (error(404), ["judge", "a_judge", "org/model", "/v1/chat/completions"]),
        (error(400, code="model_not_found"), ["org/model", "/v1/chat/completions"]),
        (Say(307, b"", {"Location": "http://elsewhere/"}), ["HTTP 307", "[models.a_judge] url"]),
    ],
)
def test_what_concerns_every_request_ends_the_run(stub: Stub, key: str, said: Say, words: list[str]):
    with pytest.raises(UserError) as caught:
        ask(stub, CHAT, said, key_variable=key)
    assert [w for w in words if w not in str(caught.value)] == []
    assert "\n" not in str(caught.value) and stub.calls == 1


def test_a_key_is_asked_for_when_none_is_named(stub: Stub):
    with pytest.raises(UserError, match=r"\[models\.a_judge\] key_variable"):
        ask(stub, CHAT, 401)


def test_address_and_key_are_checked_before_any_work(monkeypatch: pytest.MonkeyPatch):
    with pytest.raises(UserError, match=r'judge \(a_judge\).*run\.toml needs `\[models\.a_judge\] url = "…"`'):
        model(None)
    for value in ("", "  ", f"{KEY}\nX-Other: 1", f"{KEY}é"):
        monkeypatch.setenv("A_KEY", value)
        with pytest.raises(UserError, match=r"judge \(a_judge\).*variable A_KEY is not set") as caught:
            model("http://host/v1", key_variable="A_KEY")
        assert KEY not in str(caught.value)
    monkeypatch.delenv("A_KEY")
    with pytest.raises(UserError, match=r"judge \(a_judge\).*variable A_KEY is not set"):
        model("http://host/v1", key_variable="A_KEY")


@pytest.mark.parametrize("filler", ["", "x" * (http.CAUSE_LENGTH - 60), "x" * (http.CAUSE_LENGTH - 10)])
def test_the_key_is_never_shown(stub: Stub, key: str, filler: str, caplog: pytest.LogCaptureFixture):
    caplog.set_level(logging.DEBUG)
    echo = f"{filler}{KEY} is\r\nno good{filler}"
    acts: list[Act] = [error(400, echo), error(500, echo), error(400, echo, code="content_filter")]
    acts += [Say(200, echo.encode()), Say(200, {"error": echo}), Say(500, echo.encode()), "reset"]
    acts += [Say(200, {"choices": [{"message": {"refusal": echo}}]}), error(400, echo, type="unsupported")]
    for act in acts:
        cause = ask(stub, CHAT, act, key_variable=key, attempts=1).content.decode()
        assert KEY[:12] not in cause and "\n" not in cause and 0 < len(cause) <= http.CAUSE_LENGTH
    for status in (302, 401, 402, 403, 404):
        with pytest.raises(UserError) as caught:
            ask(stub, CHAT, error(status, echo), key_variable=key)
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
