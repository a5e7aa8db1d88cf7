"""What a server rejects for all (a key, a path, a model): one bad replica stops no run, and all of them soon do."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

import pytest

from gamut.asking.limits import Limits
from gamut.asking.models.http import client as http
from gamut.asking.models.http.pacing import REJECTIONS, Server
from gamut.project.errors import UserError
from gamut.project.model_kinds import OpenAIModel
from gamut.project.settings import Endpoint
from tests import fakes
from tests.fakes import ECHO, echo, records
from tests.stub_server import Act, Say, Stub, stub_server

pytestmark = pytest.mark.usefixtures("project", "hurry")
NOT_SERVED = Say(404, {"error": {"message": "no such model"}})
MOVED = Say(307, b"", {"Location": "https://elsewhere/v1"})


@contextmanager
def pool(*good: float, then: Act = NOT_SERVED) -> Iterator[list[Stub]]:
    """A server for each number: that many of its answers are good, then all are the same."""
    with ExitStack() as stack:
        stubs = [stack.enter_context(stub_server(echo)) for _ in good]
        for stub, most in zip(stubs, good, strict=True):
            stub.fate = lambda digest, time, stub=stub, most=most: None if stub.calls < most else then  # type: ignore
        yield stubs


def client(stubs: list[Stub], **endpoint: Any) -> http.HttpModel:
    model = OpenAIModel(kind="openai", id="org/model")
    urls = [stub.url for stub in stubs]
    return http.HttpModel("judge (a_judge)", "a_judge", model, Endpoint(url=urls, key_variable="A_KEY", **endpoint))


def build(stubs: list[Stub], count: int, **endpoint: Any) -> Limits:
    """Ask about so many records through the runner, of which none may fail."""
    return fakes.ask_all(client(stubs, **endpoint), [("w-part01-00000", 0, records(count))], Path("table"))


ALWAYS = float("inf")


@pytest.mark.parametrize("good", [10, 0])
def test_one_of_three_that_soon_answers_404_is_named_and_stops_nothing(good: int, capsys: pytest.CaptureFixture[str]):
    """Nor does one that was bad when the stage began: the others show that key, path and model are right."""
    with pool(ALWAYS, good, ALWAYS) as stubs:
        limits = build(stubs, 100, attempts=1, concurrency=4)  # few at once: nobody answers all while one waits
        assert limits.statuses == {"ok": 100} and stubs[1].calls > good
        [named] = [line for line in capsys.readouterr().out.splitlines() if "HTTP" in line]
        assert named.startswith(f"judge (a_judge): {stubs[1].url}/chat/completions: HTTP 404: no such model: model '")
        assert named.endswith("is not served; other servers answer such requests")


@pytest.mark.parametrize(
    ("good", "then", "words"),
    [
        ([9, 14], 401, "HTTP 401: scripted 401: put a key that may use org/model into the environment variable A_KEY"),
        ([9], Say(429, {"error": {"message": "no more", "code": "insufficient_quota"}}), "no more: top up the account"),
        ([9], MOVED, "to https://elsewhere/v1: redirects are not followed"),
    ],
)
def test_when_every_server_rejects_all_the_run_ends_soon(good: list[int], then: Act, words: str):
    """Of a key that is revoked meanwhile no record fails; what was answered is not asked again."""
    with pool(*good, then=then) as stubs:
        with pytest.raises(UserError) as caught:
            build(stubs, 60, concurrency=4)
        assert words in str(caught.value) and "\n" not in str(caught.value)
        assert sum(stub.calls for stub in stubs) < sum(good) + len(good) * (4 + 4 + REJECTIONS) + 20
        for stub in stubs:
            stub.fate = lambda digest, time: None  # type: ignore[method-assign]
        assert build(stubs, 60).tally.asked == 60 - sum(good)


def test_before_any_answer_the_first_says_it():
    for servers in (1, 3):
        with pool(*[0] * servers, then=401) as stubs:
            with pytest.raises(UserError, match="put a key that may use"):
                build(stubs, 1)
            assert sum(stub.calls for stub in stubs) == servers


def test_fewer_in_a_row_are_asked_again():
    times = REJECTIONS - 1
    with stub_server(echo) as stub:
        asking = client([stub], concurrency=1)
        asking._pool.servers[0].answered = True
        stub.script[:] = [401] * times
        assert put(asking, *records(2)) == Counter({"stop": 2})
        assert stub.calls == 2 + times


def test_what_is_rejected_alone_fails_alone():
    """A firewall may dislike some texts; it is not the key, and all others are answered."""
    with pool(ALWAYS, ALWAYS) as stubs:
        for stub in stubs:
            stub.enter = disliking(stub, "word7", "word8")  # type: ignore[method-assign]
        asking = client(stubs, concurrency=1, attempts=3)
        limits = fakes.ask_all(asking, [("w-part01-00000", 0, records(9))], Path("table"), max_failures=2)
        assert limits.statuses == {"ok": 7, "invalid_input": 2}
        assert limits.examples["invalid_input"].endswith("HTTP 403: I dislike it")


def disliking(stub: Stub, *words: str) -> Callable[..., Act | None]:
    def enter(request: Any, body: dict[str, Any], digest: str) -> Act | None:
        said = body["messages"][0]["content"][-1]["text"]
        return Say(403, {"error": {"message": "I dislike it"}}) if any(f"{word}\n" in said for word in words) else None

    return enter


def test_when_one_rejects_all_and_the_other_is_gone_the_run_ends():
    with stub_server(echo) as gone:
        pass
    with pool(0) as [rejecting]:
        asking = client([rejecting, gone], outage_seconds=1e-9, attempts=20)
        asking._pool.servers[0].answered = True
        with pytest.raises(UserError, match=rf"{gone.url}.*: gone for 0 s"):
            put(asking, *records(8))


def put(model: http.HttpModel, *rows: Mapping[str, Any]) -> Counter[str]:
    requests = (ECHO.about({"word": row["word"]}).request for row in rows)
    return Counter(reply.finish for reply in fakes.answers(model, *requests))


def test_what_began_together_counts_once_and_an_answer_begins_anew():
    server = Server("a", 64)
    for asker in range(20):
        server.note_down(asker, 0)
        server.note_rejection(0)
        server.note_bad(0)
    assert server.rejections == 1
    for era in range(1, REJECTIONS):
        assert not server.rejects
        server.note_rejection(era)
        server.note_bad(era)
    assert server.rejects
    server.note_up()
    assert not server.rejects and server.rejections == 0


def test_one_or_two_requests_do_not_show_that_all_are_rejected():
    server = Server("a", 64)
    for era in range(9):
        server.note_down(era % 2, era)
        server.note_rejection(era)
        server.note_bad(era)
    assert server.rejections == 9 and not server.rejects
