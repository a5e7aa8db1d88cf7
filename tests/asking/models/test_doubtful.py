"""What may be one request's fault or everybody's is told by a harmless request: none ends a run for good alone."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterator
from typing import Any

import pytest

from stages.asking.models import http, pacing
from stages.asking.requests import Chat, Message, Reply
from stages.project.errors import UserError
from stages.project.model_kinds import OpenAIModel
from stages.project.settings import Endpoint
from tests.stub_server import Act, Say, Stub, stub_server

FIREWALL = Say(403, b"<html><body>Request blocked</body></html>")
TASTE = [Say(422, {"error": {"message": f"cannot do {number} of 'thing {number}'"}}) for number in range(9)]


@pytest.fixture(autouse=True)
def no_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "BACKOFF", 0.001)
    monkeypatch.setattr(pacing, "FIRST_PAUSE", 0.001)
    monkeypatch.setattr(pacing, "LAST_PAUSE_WHEN_BUSY", 0.001)


@pytest.fixture(scope="module")
def server() -> Iterator[Stub]:
    with stub_server(lambda request: Reply(b"{}")) as stub:
        yield stub


def asked(stub: Stub, *acts: Act, count: int = 1, harmless: Act | None = None, **endpoint: Any) -> list[Reply]:
    """Replies to so many requests, each of which meets one of the acts, and a harmless one its own."""

    def meet(request: Any, body: dict[str, Any], digest: str) -> Act | None:
        number = re.search(r"poison (\d+)", str(body))
        stub.log.append(digest)  # type: ignore[arg-type]
        return acts[int(number[1]) % len(acts)] if number else harmless

    stub.log.clear()
    stub.enter = meet  # type: ignore[method-assign]
    client = http.HttpModel(
        "judge (m)", "m", OpenAIModel(kind="openai", id="x"), Endpoint(url=stub.url, **endpoint), concurrency=4
    )

    async def all_of_them() -> list[Reply]:
        requests = (Chat("q", (Message("user", (f"poison {n}",)),), {}, seed=n) for n in range(count))
        try:
            return list(await asyncio.gather(*map(client.answer, requests)))
        finally:
            await client.close()

    return asyncio.run(all_of_them())


def test_a_403_without_words_is_that_request_s_where_others_are_answered(server: Stub) -> None:
    """As in the run that follows `gamut retry`: nothing but what a firewall dislikes is asked."""
    assert [reply.finish for reply in asked(server, FIREWALL, count=3)] == ["invalid"] * 3
    assert server.calls == 3 + 1
    with pytest.raises(UserError, match=r"HTTP 403: .*: a key is wanted: name its environment variable"):
        asked(server, FIREWALL, harmless=FIREWALL)
    assert server.calls == 1 + 1


def test_two_requests_that_never_end_are_their_own_failures(server: Stub) -> None:
    replies = asked(server, "slow_headers", count=2, answer_seconds=0.2, attempts=2, outage_seconds=0.1)
    assert replies == [Reply(b"no answer within 0.2 s", "transport_error")] * 2
    with pytest.raises(UserError, match=r"no answer within 0\.2 s: is it still starting"):
        asked(server, "slow_headers", harmless="slow_headers", count=2, answer_seconds=0.2, attempts=2)


def test_a_request_that_is_never_let_in_is_its_own_failure(server: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BUSY", 5)
    assert asked(server, 429, busy_seconds=0.001) == [Reply(b"HTTP 429: scripted 429", "transport_error")]
    with pytest.raises(UserError, match=r"nothing but this is answered any more: HTTP 429"):
        asked(server, 429, harmless=429, busy_seconds=0.001)


def test_the_first_requests_that_all_end_alike_stop_the_run(server: Stub) -> None:
    every = (
        r"HTTP 422: cannot do \d of .*: the first requests all end so, and so does a plain one: .* models\.m in params"
    )
    with pytest.raises(UserError, match=every):
        asked(server, *TASTE, count=9, harmless=TASTE[0])
    assert {reply.finish for reply in asked(server, *TASTE, count=9)} == {"invalid"}, "the server answers another one"
    few = asked(server, *TASTE, count=http.ALIKE - 1, harmless=TASTE[0])
    assert {reply.finish for reply in few} == {"invalid"}
    other = Say(400, {"error": {"message": "another fault"}})
    assert {reply.finish for reply in asked(server, other, *TASTE, count=9, harmless=other)} == {"invalid"}


def test_a_server_that_streams_alone_is_mended_in_params(server: Stub) -> None:
    alone = Say(400, {"error": {"message": "This model only support stream mode, please enable the stream parameter."}})
    with pytest.raises(UserError, match=r"add `extra_body: \{stream: true\}` under models\.m"):
        asked(server, alone, harmless=alone)


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://models.example/v1", "http://user:pw@proxy:3128"),
        ("https://models.example:8443/v1", "http://proxy:3129"),
        ("http://inside.example/v1", None),
        ("http://a.inside.example/v1", None),
        ("http://localhost:8000/v1", None),
        ("http://127.0.0.1:8000/v1", None),
        ("http://127.3.2.1/v1", None),
        ("http://[::1]:8000/v1", None),
        ("http://10.0.0.1:8000/v1", "http://user:pw@proxy:3128"),
    ],
)
def test_proxies_of_the_environment_are_used_apart_from_this_machine(
    monkeypatch: pytest.MonkeyPatch, url: str, proxy: str | None
) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("HTTP_PROXY", "http://user:pw@proxy:3128")
    monkeypatch.setenv("https_proxy", "http://proxy:3129")
    monkeypatch.setenv("NO_PROXY", "inside.example")
    assert http.proxy_for(url) == proxy
