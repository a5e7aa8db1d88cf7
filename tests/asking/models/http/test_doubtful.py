"""What may be one request's fault or everybody's is told by a harmless request: none ends a run for good alone."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest

from gamut.asking.models.http import client as http
from gamut.asking.models.http.failures import proxy_for
from gamut.asking.requests import Chat, Message, Picture, Reply
from gamut.project.errors import UserError
from gamut.project.model_kinds import OpenAIModel
from gamut.project.settings import Endpoint
from tests import fakes
from tests.stub_server import Act, Say, Stub, stub_server

pytestmark = pytest.mark.usefixtures("hurry")
FIREWALL = Say(403, b"<html><body>Request blocked</body></html>")
TASTE = [Say(422, {"error": {"message": f"cannot do {number} of 'thing {number}'"}}) for number in range(9)]


@pytest.fixture
def no_proxies(monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("http_proxy", "https_proxy", "no_proxy", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
        monkeypatch.delenv(name.upper(), raising=False)


@pytest.fixture(scope="module")
def server() -> Iterator[Stub]:
    with stub_server(lambda request: Reply(b"{}")) as stub:
        yield stub


def asked(stub: Stub, *acts: Act | None, count: int = 1, harmless: Act | None = None, **endpoint: Any) -> list[Reply]:
    """Replies to so many requests, each of which meets one of the acts, and a harmless one its own; only harmless ones
    are counted, since others of a run that has ended may still be on their way.
    """

    def meet(request: Any, body: dict[str, Any], digest: str) -> Act | None:
        number = re.search(r"poison (\d+)", str(body))
        if number:
            return acts[int(number[1]) % len(acts)]
        stub.log.append(digest)  # type: ignore[arg-type]
        return harmless

    stub.log.clear()
    stub.enter = meet  # type: ignore[method-assign]
    client = http.HttpModel(
        "judge (m)", "m", OpenAIModel(kind="openai", id="x"), Endpoint(url=stub.url, **endpoint), concurrency=4
    )

    requests = (Chat("q", (Message("user", (f"poison {n}",)),), {}, seed=n) for n in range(count))
    return fakes.answers(client, *requests)


def test_a_403_without_words_is_that_request_s_where_others_are_answered(server: Stub) -> None:
    """As in the run that follows `gamut retry`: nothing but what a firewall dislikes is asked."""
    assert [reply.finish for reply in asked(server, FIREWALL, count=3)] == ["invalid"] * 3
    assert server.calls == 1
    with pytest.raises(UserError, match=r"HTTP 403: .*: a key is expected: name its environment variable"):
        asked(server, FIREWALL, harmless=FIREWALL)
    assert server.calls == 1


def test_two_requests_that_never_end_are_their_own_failures(server: Stub) -> None:
    replies = asked(server, "slow_headers", count=2, answer_seconds=0.1, attempts=2, outage_seconds=0.05)
    assert replies == [Reply(b"no answer within 0.1 s", "transport_error")] * 2
    with pytest.raises(UserError, match=r"no answer within 0\.1 s: is it still starting"):
        asked(server, "slow_headers", harmless="slow_headers", count=2, answer_seconds=0.1, attempts=2)


def test_a_request_that_is_never_let_in_is_its_own_failure(server: Stub, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http, "MOST_BUSY", 5)
    assert asked(server, 429, busy_seconds=0.001) == [Reply(b"HTTP 429: scripted 429", "transport_error")]
    with pytest.raises(UserError, match=r"every request is now answered so: HTTP 429"):
        asked(server, 429, harmless=429, busy_seconds=0.001)


def test_the_first_requests_that_all_end_alike_stop_the_run(server: Stub) -> None:
    every = r"HTTP 422: cannot do \d of .*: several requests in a row end so, even a plain one: fix models\.m in params"
    with pytest.raises(UserError, match=every):
        asked(server, *TASTE, count=9, harmless=TASTE[0])
    assert {reply.finish for reply in asked(server, *TASTE, count=9)} == {"invalid"}, "the server answers another one"
    few = asked(server, *TASTE, count=http.ALIKE_REJECTIONS - 1, harmless=TASTE[0])
    assert {reply.finish for reply in few} == {"invalid"}
    other = Say(400, {"error": {"message": "another fault"}})
    assert {reply.finish for reply in asked(server, other, *TASTE, count=9, harmless=other)} == {"invalid"}


def test_a_key_that_is_revoked_in_the_middle_stops_the_run(server: Stub) -> None:
    revoked = *[None] * 6, *[FIREWALL] * 12
    with pytest.raises(UserError, match=r"HTTP 403: .*: a key is expected"):
        asked(server, *revoked, count=18, harmless=FIREWALL)
    finishes = [reply.finish for reply in asked(server, *revoked, count=18)]
    assert finishes == ["stop"] * 6 + ["invalid"] * 12, "the server answers another one"
    assert server.calls == 1, "and is asked it the next time after twice as many"


def test_a_refusal_that_every_request_gets_is_the_account_s(server: Stub) -> None:
    policy = Say(403, {"error": {"message": "This model is blocked by your organization's usage policy"}})
    with pytest.raises(UserError, match=r"usage policy: several requests in a row end so, .* or the account$"):
        asked(server, policy, count=9, harmless=policy)
    assert {reply.finish for reply in asked(server, policy, count=9)} == {"refused"}


def test_a_harmless_request_has_a_picture_where_others_have_one() -> None:
    """Else a model that sees nothing would answer it."""
    seen = http.harmless_request(Chat("q", (Message("user", (Picture(b"jpeg"), "poison")),), {}, seed=1))
    assert isinstance(seen, Chat) and [type(part) for part in seen.messages[0].parts] == [Picture, str]


def test_one_server_of_several_that_answers_403_costs_nothing(server: Stub) -> None:
    with stub_server(lambda request: Reply(b"{}")) as shut:
        shut.enter = lambda request, body, digest: FIREWALL  # type: ignore[method-assign]
        client = http.HttpModel(
            "judge (m)", "m", OpenAIModel(kind="openai", id="x"), Endpoint(url=[shut.url, server.url])
        )
        server.enter = lambda request, body, digest: None  # type: ignore[method-assign]
        chats = (Chat("q", (Message("user", (f"{n}",)),), {}, seed=n) for n in range(9))
        assert {reply.finish for reply in fakes.answers(client, *chats)} == {"stop"}


@pytest.mark.parametrize(
    ("url", "proxy"),
    [
        ("http://models.example/v1", "http://user:pw@proxy:3128"),
        ("https://models.example:8443/v1", "http://proxy:3129"),
        ("http://inside.example/v1", None),
        ("http://127.3.2.1/v1", None),
        ("http://127.1:8000/v1", None),
        ("http://0.0.0.0:8000/v1", None),
        ("http://[::1]:8000/v1", None),
        ("http://models.localhost/v1", None),
        ("http://10.0.0.1:8000/v1", "http://user:pw@proxy:3128"),
    ],
)
def test_proxies_of_the_environment_are_used_apart_from_this_machine(
    monkeypatch: pytest.MonkeyPatch, no_proxies: None, url: str, proxy: str | None
) -> None:
    monkeypatch.setenv("HTTP_PROXY", "http://user:pw@proxy:3128")
    monkeypatch.setenv("https_proxy", "http://proxy:3129")
    monkeypatch.setenv("NO_PROXY", "inside.example")
    assert proxy_for(url) == proxy


def failure_at(url: str) -> str:
    """What the client says that asks there once."""
    client = http.HttpModel("judge (m)", "m", OpenAIModel(kind="openai", id="x"), Endpoint(url=url, attempts=1))
    with pytest.raises(UserError) as said:
        fakes.answers(client, Chat("q", (Message("user", ("a",)),), {}, seed=1))
    return str(said.value)


@pytest.mark.parametrize(
    ("proxy", "words"),
    [
        ("http://user:s3#cret@127.0.0.1:1", r"through the proxy http://127\.0\.0\.1:1: this is not an address"),
        (
            "user:s3cret@127.0.0.1:1",
            r"http://127\.0\.0\.1:1: the proxy is not there: Connection refused: fix HTTP_PROXY",
        ),
        ("socks5://user:s3cret@127.0.0.1:1", r"the proxy socks5://127\.0\.0\.1:1 in the environment is not an HTTP"),
    ],
)
def test_a_proxy_that_is_none_is_named_without_its_password(
    monkeypatch: pytest.MonkeyPatch, no_proxies: None, proxy: str, words: str
) -> None:
    monkeypatch.setenv("HTTP_PROXY", proxy)
    said = failure_at("http://models.example/v1")
    assert re.search(words, said) and "cret" not in said


def test_a_tunnel_that_a_proxy_refuses_is_the_proxy_s(
    monkeypatch: pytest.MonkeyPatch, no_proxies: None, server: Stub
) -> None:
    """The stub knows no CONNECT: it answers it with an error, as a proxy does that allows no tunnel."""
    monkeypatch.setenv("HTTPS_PROXY", server.url.removesuffix("/v1"))
    said = failure_at("https://models.example/v1")
    assert re.search(r"through the proxy http://.*: the proxy says HTTP 4\d\d: fix HTTP_PROXY", said)
