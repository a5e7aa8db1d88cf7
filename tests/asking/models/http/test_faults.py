"""A server that fails in every way at once, through the real runner; servers that cannot answer at all; and outages."""

from __future__ import annotations

import contextlib
import socket
import ssl
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import aiohttp
import pytest

from gamut.asking.models.http import client as http
from gamut.asking.models.http.failures import unreached_failure
from gamut.asking.requests import Paint, Request
from gamut.project.errors import UserError
from gamut.project.model_kinds import OpenAIModel
from gamut.project.settings import Endpoint
from gamut.tables.reading import cut_into_slices, read_rows
from tests import fakes
from tests.asking.models.http.http_asking import KEY
from tests.fakes import ECHO, ask_all, echo, records
from tests.stub_server import FAULTS, Call, Fault, Say, Stub, stub_server

SLOW = ("slow_headers", "stalled_body")
WAITED = ("429", "429_retry_after")
RETRIED = ("500", "502", "503", "reset", "truncated_json", "wrong_envelope", "non_utf8", *SLOW)
REPAIRED = ("wrong_content", "empty_content", "duplicate_keys")
ENDED = {"": "ok", "markdown": "ok", "refusal": "refused_judge", "too_large": "truncated"}
ATTEMPTS = 3

pytestmark = pytest.mark.usefixtures("project", "hurry")


def client(url: str | list[str], fields: dict[str, Any] | None = None, **endpoint: Any) -> http.HttpModel:
    model = OpenAIModel(kind="openai", id="org/model", **(fields or {}))
    settings = {"key_variable": "A_KEY", "concurrency": 8, "attempts": ATTEMPTS} | endpoint
    return http.HttpModel("judge (a_judge)", "a_judge", model, Endpoint(url=url, **settings))


def expected(calls: list[list[Call]]) -> str:
    """What becomes of a record by what the server did: its question, perhaps put again, each some times in a row."""
    calls = [[call for call in question if call.fault not in WAITED] for question in calls]  # which costs no attempt
    for question in calls:
        assert all(call.fault in (*RETRIED, "") for call in question[:-1]), "only what may end better is asked again"
        assert len(question) == ATTEMPTS or question[-1].fault not in RETRIED, "and all attempts are made"
        assert len(question) <= ATTEMPTS
    last = calls[-1][-1].fault
    if last in RETRIED:
        return "transport_error"
    if last in REPAIRED:
        assert len(calls) == 2, "a reply that does not fit is asked for once more"
        return "parse_error"
    return ENDED[last]


def build(stub: Stub, count: int, folder: Path = Path("table")) -> Counter[str]:
    """Ask about records through the runner; check each against what the server did to it. Return their statuses."""
    log: defaultdict[str, dict[str, list[Call]]] = defaultdict(dict)
    word_of: dict[str, str] = {}
    enter = stub.enter

    def noting(request: Any, body: dict[str, Any], digest: str) -> Any:
        word = body["messages"][0]["content"][-1]["text"].split("\n")[1]
        act = enter(request, body, digest)
        word_of[digest] = word
        log[word].setdefault(digest, []).append(stub.log[-1])
        return act

    stub.enter = noting  # type: ignore[method-assign]
    slices = cut_into_slices("w-part01-00000", records(count))
    patience = 0.6  # also a busy machine answers sooner what is not slow
    limits = ask_all(client(stub.url, answer_seconds=patience), slices, folder, max_failures=1.0)
    rows = list(read_rows(folder))
    assert [row["id"] for row in rows] == [record["id"] for record in records(count)], "none lost, none doubled"
    for row, record in zip(rows, records(count), strict=True):
        word = record["word"]
        assert row["status"] == expected(list(log[word].values())), (row, log[word])
        assert row["word"] == (word if row["status"] == "ok" else None)
        assert (row["reason"] is None) == (row["status"] == "ok")
    assert stub.calls == sum(len(calls) for asked in log.values() for calls in asked.values())
    assert limits.tally.asked == sum(len(asked) for asked in log.values()), "each question counts once"
    everything = b"".join(path.read_bytes() for path in Path().rglob("*") if path.is_file())
    assert everything and KEY.encode() not in everything
    return Counter(row["status"] for row in rows)


def test_thirty_per_cent_fail_in_every_way_at_once(capfd: pytest.CaptureFixture[str]):
    failing: dict[Fault, float] = dict.fromkeys(FAULTS, 0.3 / len(FAULTS))
    with stub_server(echo, failing=failing, seed=4) as stub:
        statuses = build(stub, 200)
        faults = Counter(call.fault for call in stub.log)
    assert set(faults) == {*FAULTS, ""}, "each way came up"
    assert set(statuses) > {"ok", "refused_judge", "truncated"} and statuses["ok"] > 160
    assert KEY not in "".join(capfd.readouterr())


# Servers that cannot answer at all


CHAT = ECHO.about({"word": "x"}).request
PAINT = Paint("a red cube", 64, 64, 1)


def mistake(url: str, request: Request = CHAT, **more: Any) -> str:
    """The one line that a first request ends with, had within two seconds."""
    started = time.monotonic()
    with pytest.raises(UserError) as caught:
        fakes.answers(client(url, **more), request)
    assert time.monotonic() - started < 2
    message = str(caught.value)
    assert message.startswith("judge (a_judge): http") and "\n" not in message and KEY not in message
    return message


@contextlib.contextmanager
def listening(said: bytes | None) -> Iterator[int]:
    """A port where every connection is accepted and hears these bytes; with None, nothing."""
    server = socket.create_server(("127.0.0.1", 0))

    def serve() -> None:
        held = []
        with contextlib.suppress(OSError):  # the test is over
            while True:
                held.append(server.accept()[0])
                if said is not None:
                    with contextlib.suppress(OSError):
                        held.pop().sendall(said)

    thread = threading.Thread(target=serve, daemon=True)
    thread.start()
    try:
        yield server.getsockname()[1]
    finally:
        server.shutdown(socket.SHUT_RDWR)
        server.close()
        thread.join(5)


@pytest.fixture(scope="module")
def stub() -> Iterator[Stub]:
    with stub_server(echo) as running:
        yield running


def said(stub: Stub, say: Say, request: Request = CHAT, **more: Any) -> str:
    stub.script[:] = [say] * (ATTEMPTS + 1)  # and to the harmless request that tells whose fault it is
    try:
        return mistake(stub.url, request, **more)
    finally:
        stub.script.clear()


def test_wrong_host():
    message = mistake("http://no-such-host.invalid/v1", connect_seconds=1)
    assert message.endswith("is the host's name right? (url in run.toml, [models.a_judge])")


def test_wrong_port():
    with listening(None) as port:
        pass
    message = mistake(f"http://127.0.0.1:{port}/v1")
    assert message.endswith("Connection refused: is the server running there? (url in run.toml, [models.a_judge])")


def test_a_port_where_something_else_listens():
    with listening(b"SSH-2.0-OpenSSH_9.2\r\n") as port:
        message = mistake(f"http://127.0.0.1:{port}/v1")
    assert message.endswith("this is not HTTP: are port and http:// or https:// right?")


def test_https_where_http_is_spoken(stub: Stub):
    message = mistake(stub.url.replace("http:", "https:"))
    assert message.endswith("no TLS: does it speak http:// instead of https://?")


def test_a_page_for_people(stub: Stub):
    message = said(stub, Say(200, b"<html>Welcome</html>"))
    assert message.endswith("no JSON: <html>Welcome</html>: is the url right? It usually ends in /v1")


def test_an_images_endpoint_that_returns_text(stub: Stub):
    message = said(stub, Say(200, {"choices": [{"message": {"content": "a red cube"}}]}), PAINT)
    assert message.endswith("paints in chat replies: `pictures_from: chat` under models.a_judge in params.yaml")


def test_a_server_that_accepts_and_never_answers_is_waited_for_once():
    with listening(None) as port:
        message = mistake(f"http://127.0.0.1:{port}/v1", answer_seconds=0.1)
    assert message.endswith(
        "no answer within 0.1 s: is it still starting, or is this too short? (answer_seconds in run.toml, "
        "[models.a_judge])"
    )


def test_a_certificate_that_is_not_good():
    error = ssl.SSLCertVerificationError("certificate verify failed")
    error.verify_message = "certificate has expired"
    key: Any = SimpleNamespace(host="h", port=1, ssl=True)
    found = unreached_failure(
        aiohttp.ClientConnectorCertificateError(key, error), "a_judge", Endpoint(url="https://h/v1")
    )
    assert found.cause == "its certificate is not valid: certificate has expired" and found.final
    assert found.hint.startswith("renew it, or, if it is your own, put")
