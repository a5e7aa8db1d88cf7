"""Serve the page on which a person decides a task, on loopback, to anyone who has its address, until Ctrl-C."""

from __future__ import annotations

import json
import os
import re
import secrets
import sys
import threading
import traceback
import webbrowser
from collections.abc import Iterator, Sequence
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import SplitResult, parse_qs, urlsplit

from pydantic import Field, ValidationError

from gamut.deciding.cards import Task, expectation
from gamut.deciding.desk import Counts, Desk, Refused
from gamut.deciding.pages import POLICY, assets, card_html, task_html
from gamut.project.decisions import open_log, path_of
from gamut.project.errors import UserError
from gamut.project.validation import Strict

HERE = "127.0.0.1"
"""The only address on which a page is served."""
MOST_BYTES = 1_000_000
"""The most bytes that a page may send."""
SECONDS = 60
"""An idle connection is closed after this time."""
NUMBER = "0|[1-9][0-9]{0,8}"
CARD, PICTURE = re.compile(rf"/cards/({NUMBER})"), re.compile(rf"/pictures/({NUMBER})/({NUMBER})")
HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": POLICY,
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
}
ASSETS = "/assets/"
HTML, TEXT = "text/html; charset=utf-8", "text/plain; charset=utf-8"


class Gate:
    """The token and the cookie of a page on one port of this machine.

    Other pages open in the browser can send requests here, but a request with another `Host` than this machine, or with
    their own `Origin`, gets no answer.
    """

    def __init__(self, port: int) -> None:
        names = (HERE, "localhost")
        self.hosts = {f"{name}:{port}" for name in names}
        self.cookie = f"gamut-{port}"  # cookies ignore ports: two pages on this machine would share one
        self.token, self.session = secrets.token_urlsafe(32), secrets.token_urlsafe(32)
        self.address = f"http://{HERE}:{port}/?token={self.token}"
        self.lock = threading.Lock()
        self.used = False

    def exchange(self, token: str) -> str | None:
        with self.lock:
            if self.used or not secrets.compare_digest(token.encode(), self.token.encode()):
                return None
            self.used = True
        return f"{self.cookie}={self.session}; Path=/; HttpOnly; SameSite=Strict"

    def knows(self, cookies: Sequence[str]) -> bool:
        pairs = [pair.strip().partition("=") for header in cookies for pair in header.split(";")]
        return any(
            name == self.cookie and secrets.compare_digest(value.encode(), self.session.encode())
            for name, _, value in pairs
        )

    def is_ours(self, hosts: Sequence[str], origins: Sequence[str], writes: bool) -> bool:
        """Return whether a request is to this page and, if it names an origin, from it; writing needs the origin."""
        if len(hosts) != 1 or hosts[0].lower() not in self.hosts:
            return False
        wanted = [f"http://{hosts[0].lower()}"]
        return list(origins) == wanted or (not origins and not writes)


class Posted(Strict):
    """What a page sends: the number of the card, the digest of what was shown, and the decision."""

    card: int
    about: str
    decision: str
    texts: dict[str, str] = Field(default_factory=dict)
    remark: str = ""


class Server(ThreadingHTTPServer):
    """Serves the page of a desk; UserError if the port is taken."""

    daemon_threads = True

    def __init__(self, desk: Desk, reviewer: str, port: int = 0) -> None:
        try:
            super().__init__((HERE, port), Handler)
        except OSError as error:
            raise UserError(f"--port {port}: {error.strerror}: name another port, or none") from None
        self.desk, self.reviewer, self.gate = desk, reviewer, Gate(self.server_port)

    def handle_error(self, request: object, client_address: object) -> None:
        """Ignore broken connections; our own errors are printed in the terminal."""
        if not isinstance(sys.exc_info()[1], OSError):
            traceback.print_exc()


class Handler(BaseHTTPRequestHandler):
    """Answers one connection. Requests never name a path on the disk: cards and pictures have numbers."""

    server: Server
    protocol_version = "HTTP/1.1"
    server_version, sys_version = "gamut", ""
    timeout = SECONDS
    wbufsize, disable_nagle_algorithm = -1, True  # headers and content go out together, at once

    def respond(self) -> None:
        """Answer a request: 403 without the right cookie or token; a decision is on the disk before its answer."""
        self.cookie: str | None = None
        try:
            body = self.body()
            self.let_in()
            kind, content = self.decided(body) if self.command == "POST" else self.got()
            self.send(HTTPStatus.OK, kind, content)
        except Refused as refused:
            words = "".join(f"{line}\n" for line in refused.lines)
            self.send(refused.status, TEXT, words.encode(errors="backslashreplace"))

    do_GET = do_POST = do_HEAD = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = respond

    def body(self) -> bytes:
        """Return the body of a request, which must state its length; it is read for every sender."""
        length = self.headers.get("Content-Length", "0")
        if self.headers.get("Transfer-Encoding") or not re.fullmatch("[0-9]{1,9}", length) or int(length) > MOST_BYTES:
            self.close_connection = True
            raise Refused(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, f"at most {MOST_BYTES:,} bytes of known length are read")
        return self.rfile.read(int(length))

    def request_url(self) -> SplitResult:
        try:
            return urlsplit(self.path)
        except ValueError:
            raise Refused(HTTPStatus.FORBIDDEN, "this page answers to itself alone") from None

    def let_in(self) -> None:
        gate, asked = self.server.gate, self.request_url()
        token = parse_qs(asked.query).get("token", [])
        hosts, origins = self.headers.get_all("Host", []), self.headers.get_all("Origin", [])
        if not gate.is_ours(hosts, origins, writes=self.command != "GET"):
            raise Refused(HTTPStatus.FORBIDDEN, "this page answers to itself alone")
        if gate.knows(self.headers.get_all("Cookie", [])):
            return
        if self.command == "GET" and asked.path == "/" and len(token) == 1:
            self.cookie = gate.exchange(token[0])
        if self.cookie is None:
            raise Refused(
                HTTPStatus.FORBIDDEN, "the address opens this page once: end the command with Ctrl-C and start it again"
            )

    def got(self) -> tuple[str, bytes]:
        desk, path = self.server.desk, self.request_url().path
        if self.command != "GET":
            raise Refused(HTTPStatus.METHOD_NOT_ALLOWED, "only GET and POST are answered")
        if path == "/":
            return HTML, task_html(desk.task, self.server.reviewer, desk.standing()).encode(errors="backslashreplace")
        if path.startswith(ASSETS) and path.removeprefix(ASSETS) in assets():
            return assets()[path.removeprefix(ASSETS)]
        if found := CARD.fullmatch(path):
            number = int(found[1])
            shown = card_html(
                desk.card(number), lambda which: f"/pictures/{number}/{which}", desk.standing().get(number)
            )
            return HTML, shown.encode(errors="backslashreplace")
        if found := PICTURE.fullmatch(path):
            picture = desk.picture(int(found[1]), int(found[2]))
            return picture.media_type, picture.data
        raise Refused(HTTPStatus.NOT_FOUND, "there is nothing of this name")

    def decided(self, body: bytes) -> tuple[str, bytes]:
        if self.path != "/decisions":
            raise Refused(HTTPStatus.NOT_FOUND, "there is nothing of this name")
        if self.headers.get_content_type() != "application/json":  # which no form of another page can send
            raise Refused(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "JSON is expected")
        try:
            said = Posted.model_validate_json(body)
        except ValidationError as error:
            first = error.errors(include_url=False)[0]
            raise Refused(HTTPStatus.BAD_REQUEST, f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from None
        mistakes = self.server.desk.decide(said.card, said.about, said.decision, said.texts, said.remark)
        return "application/json", json.dumps({"mistakes": mistakes}).encode()

    def send(self, status: int, kind: str, content: bytes) -> None:
        self.send_response(status)
        own = {"Content-Type": kind, "Content-Length": str(len(content))}
        own |= {"Set-Cookie": self.cookie} if self.cookie else {}
        own |= {"Connection": "close"} if self.close_connection else {}
        for name, value in (HEADERS | own).items():
            self.send_header(name, value)
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(content)

    def send_error(self, code: int, message: str | None = None, explain: str | None = None) -> None:
        """Answer any other request, from any sender."""
        self.close_connection, self.cookie = True, None
        self.send(HTTPStatus.FORBIDDEN, TEXT, b"this page answers to itself alone\n")

    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: addresses contain the requests."""


def sit(task: Task, reviewer: str, port: int = 0, show: bool = True) -> None:
    """Serve a task to its reviewer until Ctrl-C, and print a summary; UserError if the log is open elsewhere."""
    with open_log(reviewer, task.name) as log:
        desk = Desk(task, log)
        began = desk.counts
        with Server(desk, reviewer, port) as server:
            print(*opening_messages(task, reviewer, began), sep="\n")
            print(f"\n{server.gate.address}\n\nIt opens once, only on this machine. Ctrl-C ends the page.", flush=True)
            if show and has_screen():
                webbrowser.open(server.gate.address)
            try:
                server.serve_forever(poll_interval=0.1)
            except KeyboardInterrupt:
                print()
            finally:
                desk.close()
        print(*closing_messages(task, reviewer, began, len(desk.said)), sep="\n", flush=True)


def has_screen() -> bool:
    """Return whether a browser with its own window can be opened."""
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def opening_messages(task: Task, reviewer: str, counts: Counts) -> Iterator[str]:
    yield f"{task.title}; {counts.decided:,} of {counts.cards:,} are decided by {reviewer}"
    if counts.changed:
        yield f"asked again, because they have changed since they were decided: {counts.changed:,}"
    if counts.gone:
        yield f"decided before, and no longer asked: {counts.gone:,}"
    if left := counts.cards - counts.decided:
        yield expectation(task, left)


def closing_messages(task: Task, reviewer: str, before: Counts, decided: int) -> Iterator[str]:
    left = before.cards - decided
    yield f"{decided - before.decided:,} decided now, {decided:,} in all, {left:,} left: {path_of(reviewer, task.name)}"
    if decided:
        yield f"`git add {path_of(reviewer, task.name)}`"
        yield from task.afterwards
