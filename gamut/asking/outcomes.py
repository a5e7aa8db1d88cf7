"""How a conversation with a model continues and ends: its status, its value, or the reason why it has none.

It is a pure function of the replies so far: `next(replies)` returns the next request, or the outcome. So it can be
replayed from the reply store, and tested without a model.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from gamut.asking.requests import Finish, Reply, Request
from gamut.project.plain_text import shorten_to_line

Status = Literal[
    "ok",
    "unsupported",
    "invalid_input",
    "refused_generation",
    "missing_output",
    "refused_judge",
    "parse_error",
    "truncated",
    "transport_error",
    "excluded_by_human",
]


@dataclass(frozen=True, slots=True)
class Outcome:
    """The end of a conversation: status `ok` with a value, or another status with its `reason`. The reason of an `ok`
    is a remark.
    """

    status: Status
    value: Any = None
    reason: str | None = None


class Conversation(Protocol):
    def next(self, replies: Sequence[Reply]) -> Request | Outcome: ...


REASON_LENGTH = 500  # characters
STATUS_OF_FINISH: dict[Finish, Status] = {
    "length": "truncated",
    "refused": "refused_judge",
    "unsupported": "unsupported",
    "missing": "missing_output",
    "invalid": "invalid_input",
    "transport_error": "transport_error",
}


def decode_step(request: Request, replies: Sequence[Reply], decode: Callable[[bytes], Any]) -> Request | Outcome:
    """Continue a conversation of one request, whose reply `decode` turns into the value."""
    if not replies:
        return request
    reply = replies[-1]
    if reply.finish != "stop":
        return Outcome(STATUS_OF_FINISH[reply.finish], reason=failure_reason(reply))
    try:
        return Outcome("ok", value=decode(reply.content))
    except ValueError as error:
        return Outcome("parse_error", reason=str(error).splitlines()[0])


def failure_reason(reply: Reply) -> str:
    return shorten_to_line(reply.content.decode("utf-8", errors="replace"), REASON_LENGTH) or reply.finish
