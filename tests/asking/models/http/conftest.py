"""The stub server before the HTTP client, and the key that it wants."""

from __future__ import annotations

import pytest

from gamut.asking.models.http import client as http
from gamut.asking.models.http import pacing
from gamut.asking.requests import Create, Embed, Paint, Reply, Request, pack_vector
from tests.asking.models.http.http_asking import KEY, VECTOR
from tests.stub_server import Stub, stub_server


@pytest.fixture(scope="module")
def server():
    def answer(request: Request) -> Reply:
        if isinstance(request, Embed):
            return Reply(pack_vector(VECTOR), "stop", 11)
        return Reply(b"\x89PNG" if isinstance(request, Paint | Create) else b'{"score": 3}', "stop", 11, 5)

    with stub_server(answer) as stub:
        yield stub


@pytest.fixture
def stub(server: Stub) -> Stub:
    server.script.clear()
    server.log.clear()
    server.heard.clear()
    return server


@pytest.fixture
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


@pytest.fixture
def hurry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Pauses between attempts and before a server that is gone or busy are a thousandth of a second."""
    monkeypatch.setattr(http, "BACKOFF", 0.001)
    for pause in ("FIRST_PAUSE", "LAST_PAUSE", "LAST_PAUSE_WHEN_BUSY"):
        monkeypatch.setattr(pacing, pause, 0.001)
    monkeypatch.setenv("A_KEY", KEY)
