"""A Hub that means harm: it answers as the test Hub does, but for one place of one reply."""

from __future__ import annotations

import copy
import gzip
import itertools
import json
import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from email.message import Message
from io import BufferedIOBase
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from tests.hub.answers import Response
from tests.hub.server import Hub

CANARY = "/canary.txt"
"""Stands in alterations for the address of a file outside the project."""
DEEP = "as many lists in each other as fit"
ABSENT = object()
Alter = Callable[[Any], Any]


def constant(value: Any) -> Alter:
    """An alteration that puts a value there, whatever stood there."""
    return lambda _: value


ALTERATIONS: dict[str, Alter] = {
    "missing": constant(ABSENT),
    "null": constant(None),
    "true": constant(True),
    "false": constant(False),
    "zero": constant(0),
    "one": constant(1),
    "negative": constant(-1),
    "large": constant(2**63),
    "immense": constant(10**400),
    "fraction": constant(1.5),
    "not a number": constant(math.nan),
    "infinite": constant(math.inf),
    "empty": constant(""),
    "blank": constant(" "),
    "word": constant("x"),
    "dots": constant(".."),
    "above": constant("../../../../../../../../canary.txt"),
    "above, after a folder": constant("x/../../../../../../canary.txt"),
    "absolute": constant(CANARY),
    "absolute, a folder": constant("/"),
    "home": constant("~/canary.txt"),
    "of Windows": constant("..\\..\\canary.txt"),
    "quoted": constant("%2e%2e%2f%2e%2e%2fcanary.txt"),
    "git's": constant(".git/hooks/post-checkout"),
    "DVC's": constant(".dvc/config"),
    "an option": constant("--upload-pack=touch canary.txt"),
    "two lines": constant("one\ntwo"),
    "a line's end": lambda value: f"{value}\n",
    "NUL": lambda value: f"{value}\0",
    "escape": constant("\x1b]0;owned\x07\x1b[2J\x1b[31mred\x9b31m"),
    "turned": constant("\u202egpj.exe\u2066"),
    "half a character": constant("\ud800"),
    "HTML": constant("<script>alert(1)</script>"),
    "markup": constant("[bold red]x[/nothing] | `y` ![](file:///canary.txt)"),
    "long": constant("9" * 100_000),
    "39 digits": constant("a" * 39),
    "40 other digits": constant("0" * 40),
    "41 digits": constant("a" * 41),
    "64 digits": constant("b" * 64),
    "capitals": lambda value: str(value).upper(),
    "not hexadecimal": constant("g" * 40),
    "of another repository": constant("somebody/else"),
    "a file's address": constant(f"file://{CANARY}"),
    "elsewhere": constant("{elsewhere}/x"),
    "a list": constant([]),
    "an object": constant({}),
    "in a list": lambda value: [value],
    "in an object": lambda value: {"x": value},
    "deep": constant(DEEP),
}
"""What a place of a reply is altered to, by name."""


class Case(NamedTuple):
    """One alteration of one place of the replies to one call."""

    call: str
    place: tuple[Any, ...]
    alteration: str


LENGTHS = ("declared", "not declared", "chunked", "packed")
"""How an answer goes on and on behind its end; `packed` it is short, and long when it is unpacked."""
BLANKS, TIMES = b" " * 2**16, 512


@dataclass
class Heard:
    """What a client has said in one call."""

    target: str
    headers: list[tuple[str, str]]
    body: bytes


class Endless(bytes):
    """An answer's content behind which blanks come."""


@dataclass
class HostileHub(Hub):
    """A Hub that alters what `case` says; `replies` are those of a run without one, `heard` is what it was told.

    `elsewhere` is the address of another server, to which it leads clients; `sent` counts the bytes behind an answer's
    end.
    """

    elsewhere: str = "http://127.0.0.1:9"
    case: Case | None = None
    replies: dict[str, Response] = field(default_factory=dict)
    heard: list[Heard] = field(default_factory=list)
    sent: int = 0

    def go_on(self, stream: BufferedIOBase, response: Response) -> None:
        """Send blanks, as many as the client takes."""
        if isinstance(response.body, Endless):
            chunked = "Transfer-Encoding" in response.headers
            for _ in range(TIMES):
                stream.write(b"%x\r\n%b\r\n" % (len(BLANKS), BLANKS) if chunked else BLANKS)
                self.sent += len(BLANKS)
            stream.write(b"0\r\n\r\n" * chunked)

    def answer(self, method: str, target: str, body: bytes, headers: Message) -> Response:
        """Answer one call, and keep what was said in it."""
        with self.state.lock:
            self.heard.append(Heard(target, list(headers.items()), body))
        response = super().answer(method, target, body, headers)
        call = f"{method} {urlsplit(target).path}"
        if self.case is None:
            self.replies.setdefault(call, response)
            return response
        if self.case.call == call:
            try:
                return self.led(altered(response, self.case), target)
            except LookupError:  # another answer to the same call, without this place
                return response
        if self.case.place[0] == "body" and self.case.call == f"GET {urlsplit(target).path}" and method == "HEAD":
            size = altered(self.replies[self.case.call], self.case).headers["Content-Length"]
            return response._replace(headers={**response.headers, "Content-Length": size})
        return response

    def led(self, response: Response, target: str) -> Response:
        """A reply with addresses in the places that are kept for them."""
        names = {"{elsewhere}": self.elsewhere, "{here}": f"{self.url}{target}"}
        headers = dict(response.headers)
        for name, address in names.items():
            headers = {key: value.replace(name, address) for key, value in headers.items()}
        body = response.body
        if isinstance(body, bytes) and b"{elsewhere}" in body:
            body = body.replace(b"{elsewhere}", self.elsewhere.encode())
            headers["Content-Length"] = str(len(body))
        return response._replace(headers=headers, body=body)


def cases(replies: Mapping[str, Response]) -> Iterator[Case]:
    """Every alteration of every place of these replies; of files alike one stands for all."""
    for call, response in replies.items():
        for place in places(response):
            yield from (Case(call, place, name) for name in ALTERATIONS)
        if response.status < 300:
            yield from (Case(call, ("added", *more), "") for more in ADDED)
            yield from (Case(call, ("status", status), "") for status in STATUSES)
            yield from (Case(call, ("status", 404), code) for code in CODES)
            yield from (Case(call, ("length", kind), "") for kind in LENGTHS)


ADDED: list[tuple[tuple[str, str], ...]] = [
    (("ETag", '"x/../../../../../../canary.txt"'),),
    (("X-Linked-ETag", '"x/../../../../../../canary.txt"'),),
    (("X-Linked-ETag", '"../../../../canary.txt"'),),
    (("X-Linked-ETag", "y" * 5_000),),
    (("X-Linked-Size", "-1"),),
    (("X-Linked-Size", "9" * 30),),
    (("X-Repo-Commit", "../../../../../../x"),),
    (("X-Repo-Commit", "0" * 40),),
    (("Content-Encoding", "gzip"),),
    (("Content-Length", "3"),),
    (("Content-Length", "99999999"),),
    (("Content-Length", "-7"),),
    (("Content-Disposition", 'attachment; filename="../../../canary.txt"'),),
    (("Link", '<{elsewhere}/next>; rel="next"'),),
    (("Link", f'<file://{CANARY}>; rel="next"'),),
    (("Link", '</next>; rel="next"'),),
    (("Link", '<{here}>; rel="next"'),),
    (("X-Xet-Hash", "a" * 64), ("X-Xet-Refresh-Route", "{elsewhere}/xet")),
    (("X-Xet-Hash", "../../x"), ("Link", '<{elsewhere}/xet>; rel="xet-auth"')),
    (("X-Error-Message", "\x9b31m words of one"), ("X-Error-Code", "EntryNotFound")),
    (("Set-Cookie", "a=b; Domain=.example.org"),),
    *(
        ((":status", status), ("Location", address))
        for status in ("302", "308")
        for address in ("{elsewhere}/x", f"file://{CANARY}", "../../../x", "//127.0.0.1:9/x", "http://[", "{here}")
    ),
    *(
        ((":status", "429"), (name, value))
        for name, value in (
            ("Retry-After", "99999999999"),
            ("Retry-After", "-5"),
            ("Retry-After", "nan"),
            ("Retry-After", "Wed, 21 Oct 2099 07:28:00 GMT"),
            ("RateLimit", '"api";r=0;t=99999999999'),
            ("RateLimit", '"api";r=0;t=-1'),
        )
    ),
]
"""Headers that are added to a reply, or put in the place of its own."""
STATUSES = (204, 206, 304, 400, 401, 403, 404, 409, 412, 418, 500, 600)
CODES = ("RepoNotFound", "RevisionNotFound", "EntryNotFound", "GatedRepo")


def places(response: Response) -> Iterator[tuple[Any, ...]]:
    """All headers, the whole body and every place in it; of lists the first and the last element."""
    yield from (("header", name) for name in response.headers)
    yield ("body",)
    if (body := parsed(response.body)) is not None:
        yield from (("body", *place) for place in places_in(body) if place)


def places_in(value: Any) -> Iterator[tuple[Any, ...]]:
    yield ()
    inside: Any = value.items() if isinstance(value, dict) else ()
    if isinstance(value, list):
        inside = {0: value[0], len(value) - 1: value[-1]}.items() if value else ()
    for key, below in inside:
        yield from ((key, *place) for place in places_in(below))


def parsed(body: Any) -> Any:
    """What a body says, if it is JSON."""
    if not isinstance(body, bytes):
        return body
    try:
        found = json.loads(body)
    except ValueError:
        return None
    return found if isinstance(found, dict | list) else None


def altered(response: Response, case: Case) -> Response:
    """A reply as the case has it."""
    kind, *rest = case.place
    if kind == "status":
        words = {"error": "\x1b[31mred\nand more <b>", "errors": [{"message": "\u202e\x9b"}]}
        return Response(rest[0], words, {"X-Error-Code": case.alteration} if case.alteration else {})
    if kind == "added":
        headers = dict(response.headers) | dict(rest)
        return Response(int(headers.pop(":status", response.status)), response.body, headers)
    if kind == "length":
        return lengthened(response, rest[0])
    alter = ALTERATIONS[case.alteration]
    if kind == "header":
        value = alter(response.headers[rest[0]])
        headers = {name: text for name, text in response.headers.items() if name != rest[0]}
        if value is not ABSENT:
            headers[rest[0]] = str(value).encode("latin-1", "replace").decode("latin-1")
        return response._replace(headers=headers)
    body = in_bytes(put(parsed(response.body), rest, alter))
    return response._replace(body=body, headers={**response.headers, "Content-Length": str(len(body))})


def lengthened(response: Response, kind: str) -> Response:
    """A reply behind whose end blanks come; it says so, says nothing, comes in chunks, or is packed with them."""
    content = response.body if isinstance(response.body, bytes) else json.dumps(response.body).encode()
    if kind == "packed":
        content = gzip.compress(content + BLANKS * TIMES, 1)
        return response._replace(
            body=content, headers={**response.headers, "Content-Length": str(len(content)), "Content-Encoding": "gzip"}
        )
    if kind == "chunked":
        content = b"%x\r\n%b\r\n" % (len(content), content) if content else b""
    headers = {
        "declared": {"Content-Length": str(len(content) + len(BLANKS) * TIMES)},
        "not declared": {"Content-Length": ""},
        "chunked": {"Content-Length": "", "Transfer-Encoding": "chunked"},
    }
    return response._replace(body=Endless(content), headers={**response.headers, **headers[kind]})


def put(value: Any, place: list[Any], alter: Alter) -> Any:
    """A copy of plain values with one place altered."""
    if not place:
        return alter(value)
    value = copy.copy(value)
    new = put(value[place[0]], place[1:], alter)
    if new is ABSENT:
        del value[place[0]]
    else:
        value[place[0]] = new
    return value


def in_bytes(value: Any) -> bytes:
    """JSON, also of what JSON does not allow; nothing for what is absent."""
    if value is ABSENT:
        return b""
    deep = b"".join(itertools.repeat(b"[", 50_000)) + b"]" * 50_000
    return json.dumps(value).encode().replace(json.dumps(DEEP).encode(), deep)
