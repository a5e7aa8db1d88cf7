"""Who is let in, by plain HTTP: the token once, then its cookie; from this page, to this machine; and no file of it."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator, Mapping
from http.client import HTTPConnection, HTTPResponse
from pathlib import Path

import pytest

from gamut.asking.requests import Picture
from gamut.deciding.cards import Card, Task, choices_of
from gamut.deciding.desk import KEPT
from gamut.deciding.server import Server
from gamut.evaluation.labelling.shown import ShownPart
from gamut.project.errors import UserError
from tests.deciding.sitting import Sitting, cookie_of, sitting
from tests.evaluation.small_pictures import png

SHOWN = [ShownPart("", Picture(png(7))), ShownPart("<b>", "<script>alert(1)</script>\u202e")]


def card(card_id: str) -> Card:
    return Card(card_id, f"about {card_id}", "Is it?", SHOWN, choices_of(["Y", "N"]))


TASK = Task("t", "A task", [(f"c{n}", 0) for n in range(3 * KEPT)], lambda ids: map(card, sorted(ids)))


@pytest.fixture
def here(project: Path) -> Iterator[Sitting]:
    with sitting(TASK) as served:
        yield served


Answer = tuple[int, bytes, Mapping[str, str]]


def asked(
    here: Sitting, method: str, path: str, headers: Mapping[str, str] | None = None, body: str | None = None
) -> Answer:
    connection = HTTPConnection("127.0.0.1", here.server.server_port, timeout=5)
    connection.request(method, path, body, dict(headers or {}))
    reply: HTTPResponse = connection.getresponse()
    try:
        return reply.status, reply.read(), reply.headers
    finally:
        connection.close()


def known(here: Sitting) -> dict[str, str]:
    """Headers of who was let in."""
    port = here.server.server_port
    cookie = cookie_of(here, HTTPConnection("127.0.0.1", port))
    return {"Cookie": cookie, "Origin": f"http://127.0.0.1:{port}", "Content-Type": "application/json"}


POSTED = json.dumps({"card": 0, "about": "about c0", "decision": "Y"})


def test_the_token_opens_once(here: Sitting) -> None:
    way = here.address.partition(str(here.server.server_port))[2]
    assert asked(here, "GET", "/")[0] == asked(here, "GET", f"{way}x")[0] == asked(here, "GET", "/?token=")[0] == 403
    assert asked(here, "HEAD", way)[0] == asked(here, "GET", f"/cards/0{way[1:]}")[0] == 403, "neither uses it up"
    status, page, headers = asked(here, "GET", way)
    assert status == 200 and b"A task" in page
    cookie, *flags = headers["Set-Cookie"].split("; ")
    assert flags == ["Path=/", "HttpOnly", "SameSite=Strict"] and here.server.gate.token not in cookie
    assert asked(here, "GET", way)[0] == 403
    status, page, headers = asked(here, "GET", "/", {"Cookie": f"a=b; {cookie}"})
    assert status == 200 and "Set-Cookie" not in headers and here.server.gate.token.encode() not in page


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/pictures/0/0",
        "/assets/style.css",
        "/decisions",
    ],
)
def test_nothing_is_answered_without_the_cookie(here: Sitting, path: str) -> None:
    wrong = {"Cookie": f"{here.server.gate.cookie}={'x' * 43}"}
    for method in ("GET", "HEAD", "POST", "PUT", "DELETE", "OPTIONS", "TRACE", "ANY"):
        for headers in ({}, wrong):
            status, body, sent = asked(here, method, path, headers, POSTED if method == "POST" else None)
            assert status == 403 and len(body) < 100 and sent["X-Content-Type-Options"] == "nosniff"
    assert here.lines() == []


def test_a_foreign_host_or_origin_is_refused(here: Sitting) -> None:
    port, headers = here.server.server_port, known(here)
    for host in (
        "evil.example",
        f"evil.example:{port}",
        "127.0.0.1",
        f"127.0.0.1:{port + 1}",
        f"127.0.0.1:{port}.",
        "",
    ):
        assert asked(here, "GET", "/", headers | {"Host": host})[0] == 403, host
    for origin in ("http://evil.example", "null", f"http://127.0.0.1:{port + 1}", f"https://127.0.0.1:{port}", ""):
        for method, path in (("GET", "/cards/0"), ("POST", "/decisions")):
            assert asked(here, method, path, headers | {"Origin": origin}, POSTED)[0] == 403, origin
    without = {name: value for name, value in headers.items() if name != "Origin"}
    assert asked(here, "POST", "/decisions", without, POSTED)[0] == 403, "who writes says where from"
    other = headers | {"Host": f"localhost:{port}"}
    assert asked(here, "POST", "/decisions", other, POSTED)[0] == 403, "two names are two origins"
    assert here.lines() == []
    assert asked(here, "POST", "/decisions", other | {"Origin": f"http://localhost:{port}"}, POSTED)[0] == 200
    assert len(here.lines()) == 1


def test_it_listens_on_this_machine_alone_and_not_where_another_does(here: Sitting) -> None:
    with pytest.raises(UserError, match=r"^--port \d+: Address already in use: name another port, or none$"):
        Server(here.server.desk, "ann", here.server.server_port)
    assert here.server.server_address[0] == "127.0.0.1"
    assert here.server.socket.family == socket.AF_INET


@pytest.mark.parametrize(
    "path",
    [
        "/../../etc/passwd",
        "/assets/../deciding.html",
        "/cards/../../etc/passwd",
        "/cards/٣",
        "/pictures/0/%2e%2e",
        "/datasets/decisions/ann/t.jsonl",
        "file:///etc/passwd",
    ],
)
def test_no_path_of_the_disk_can_be_read(here: Sitting, path: str) -> None:
    Path("params.yaml").write_text("seed: 1\n")
    connection = socket.create_connection(("127.0.0.1", here.server.server_port), timeout=5)
    lines = [f"GET {path} HTTP/1.1", f"Host: 127.0.0.1:{here.server.server_port}", f"Cookie: {known(here)['Cookie']}"]
    with connection:
        connection.sendall("\r\n".join([*lines, "Connection: close", "", ""]).encode())
        reply = connection.makefile("rb").read()
    assert reply.startswith(b"HTTP/1.1 404 ") and b"root:" not in reply and b"seed" not in reply


def test_every_answer_has_its_headers_and_texts_are_texts(here: Sitting) -> None:
    headers = known(here)
    for path, kind in (
        ("/", "text/html; charset=utf-8"),
        ("/cards/0", "text/html; charset=utf-8"),
        ("/pictures/0/0", "image/png"),
        ("/assets/deciding.js", "text/javascript"),
        ("/nothing", "text/plain; charset=utf-8"),
    ):
        status, body, sent = asked(here, "GET", path, headers)
        assert status == (404 if path == "/nothing" else 200) and sent["Content-Type"] == kind
        assert sent["Cache-Control"] == "no-store" and sent["X-Content-Type-Options"] == "nosniff"
        policy = sent["Content-Security-Policy"]
        assert "default-src 'none'" in policy and "script-src 'self';" in policy and "unsafe" not in policy
        if kind.startswith("text/html"):
            assert b"<script>" not in body and b"style=" not in body and b"onclick" not in body
    assert b"&lt;script&gt;alert(1)&lt;/script&gt;\\u202e" in asked(here, "GET", "/cards/0", headers)[1]


@pytest.mark.parametrize(
    ("said", "status", "words"),
    [
        ("{", 400, "Invalid JSON"),
        ('{"card": 0}', 400, "about"),
        ('{"card": 99, "about": "about c0", "decision": "Y"}', 404, "there is no card 99"),
        ('{"card": 0, "about": "about c1", "decision": "Y"}', 409, "has changed since"),
        ('{"card": 0, "about": "about c0", "decision": "maybe"}', 200, "'maybe': Y or N is expected"),
    ],
)
def test_what_cannot_be_kept_is_told_and_not_written(here: Sitting, said: str, status: int, words: str) -> None:
    found, body, _ = asked(here, "POST", "/decisions", known(here), said)
    assert (found, here.lines()) == (status, []) and words in body.decode()


def test_what_is_too_long_or_of_unknown_length_is_not_read(here: Sitting) -> None:
    headers = known(here)
    for own in ({"Content-Length": "1000001"}, {"Content-Length": "-1"}, {"Transfer-Encoding": "chunked"}):
        status, body, sent = asked(here, "POST", "/decisions", headers | own)
        assert status == 413 and b"at most 1,000,000 bytes" in body and sent["Connection"] == "close"


def test_json_alone_is_taken(here: Sitting) -> None:
    headers = known(here)
    assert asked(here, "POST", "/decisions", headers | {"Content-Type": "text/plain"}, POSTED)[0] == 415
    assert asked(here, "POST", "/cards/0", headers, POSTED)[0] == 404
    assert asked(here, "PUT", "/decisions", headers, POSTED)[0] == 405 and here.lines() == []
