"""What a call to the Hub is, and how it is answered or refused."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from email.message import Message
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from tests.hub.server import Hub
    from tests.hub.state import Repository


class Response(NamedTuple):
    """What is sent back; a body other than bytes is sent as JSON."""

    status: int = 200
    body: Any = b""
    headers: Mapping[str, str] = {}


class Refused(Exception):
    """A call that is answered by an error: its status, the Hub's words and, for the client, the Hub's code."""

    def __init__(self, status: int, words: str, code: str = "", headers: Mapping[str, str] | None = None) -> None:
        super().__init__(words)
        said = {"X-Error-Message": words.encode("ascii", "replace").decode()}
        codes = {"X-Error-Code": code} if code else {}
        self.response = Response(status, {"error": words}, said | codes | dict(headers or {}))


@dataclass(frozen=True)
class Call:
    """What an answer may depend on besides the names in its address."""

    hub: Hub
    method: str
    path: str
    query: Mapping[str, list[str]]
    body: bytes
    headers: Message
    token: str | None = None
    repository: Repository | None = None

    @property
    def repo(self) -> Repository:
        assert self.repository is not None
        return self.repository

    def asks(self, name: str) -> bool:
        return self.query.get(name, [""])[0].lower() in ("true", "1")
