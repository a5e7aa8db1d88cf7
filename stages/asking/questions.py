"""What a question is: instruction text, the schema of its reply, the parser, and the short conversation.

A conversation is a pure function of the replies so far: `next(replies)` gives the request to send or the outcome.
So it can be replayed from the reply store at any time, and tested without a model.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any, Literal, NamedTuple, Protocol

from pydantic import BaseModel, TypeAdapter, ValidationError

from stages.asking.requests import (
    Chat,
    Embed,
    Finish,
    Message,
    Paint,
    Picture,
    Read,
    Reply,
    Request,
    seed_of,
    tagged,
    unpacked,
)
from stages.project.inputs import repeated_keys
from stages.project.model_kinds import LEAST_SIDE
from stages.project.plain_text import one_line, shortened
from stages.tables.images import size

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
    """Where a conversation ended. Only status `ok` carries a value; `reason` says why it is another, or what is odd."""

    status: Status
    value: Any = None
    reason: str | None = None


class Conversation(Protocol):
    """What can be followed reply by reply."""

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        """Return the next request given all replies so far, or the outcome."""
        ...


@dataclass(frozen=True)
class Question:
    """A question about one record: instruction text, reply schema and parser in one place.

    `opening` is shared by questions that are asked adjacently and comes first, then the image, then `instruction`,
    then the record's fields: servers can then reuse the prefix. `check` may object to a well-formed reply (in words
    that are sent back once); it gets the parsed reply and the record's fields.
    """

    name: str
    opening: str
    instruction: str
    reply: type[BaseModel]
    check: Callable[[Any, Mapping[str, str]], str | None] = field(default=lambda reply, fields: None)

    def about(
        self, fields: Mapping[str, str] | None = None, picture: Picture | None = None, seed: int = 0, sample: int = 0
    ) -> Asked:
        """Return the conversation of this question about one record, whose own seed it gets (`requests.seed_of`).

        Servers put texts that follow each other together as they are: so each ends with a newline.
        """
        fields = fields or {}
        parts: tuple[str | Picture, ...] = (f"{self.opening}\n",)
        if picture is not None:
            parts += (picture,)
        parts += (f"{self.instruction}\n",)
        if fields:
            parts += (f"{tagged(fields)}\n",)
        return Asked(self, fields, Chat(self.name, (Message("user", parts),), json_schema(self.reply), seed, sample))


@cache
def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the reply's JSON schema as servers want it: nothing optional, nothing additional; neither titles nor
    docstrings, which are written for people and may change.
    """
    schema = model.model_json_schema()
    for one in (schema, *schema.get("$defs", {}).values()):
        one.pop("description", None)  # the docstring; a field's own description is an instruction, and stays
    plain: dict[str, Any] = closed(schema)
    return plain


def closed(node: Any) -> Any:
    """Return a JSON schema, or a part of it, without titles, its objects closed."""
    if isinstance(node, list):
        return [closed(one) for one in node]
    if not isinstance(node, dict):
        return node
    kept = {key: closed_part(key, value) for key, value in node.items() if key != "title"}
    if kept.get("type") == "object":
        kept |= {"additionalProperties": False, "required": list(kept.get("properties", {}))}
    return kept


def closed_part(key: str, value: Any) -> Any:
    """Return what stands under one key of a JSON schema, its objects closed."""
    if key in NAMED:
        return {name: closed(one) for name, one in value.items()}
    return value if key in VALUES else closed(value)


NAMED = ("properties", "$defs")
"""Parts of a schema whose keys are names of ours: a property may be called `title`."""
VALUES = ("default", "const", "enum", "examples")
"""Parts of a schema that are values, not schemas."""
REPAIRS = 1
REASON_LENGTH = 500  # characters
REPEATED_LENGTH = 100_000
"""Characters of a reply that are sent back to be repaired: far more than any that could be."""
FAILED: dict[Finish, Status] = {
    "length": "truncated",
    "refused": "refused_judge",
    "unsupported": "unsupported",
    "missing": "missing_output",
    "invalid": "invalid_input",
    "transport_error": "transport_error",
}


@dataclass(frozen=True)
class Asked:
    """A question put about one record; a reply that does not fit is asked for once more with the complaint."""

    question: Question
    fields: Mapping[str, str]
    request: Chat

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        """See `Conversation.next`."""
        if not replies:
            return self.request
        last = replies[-1]
        if last.finish != "stop":
            return Outcome(FAILED[last.finish], reason=reason(last))
        text = last.content.decode("utf-8", errors="replace")
        value, complaint = self.parse(text)
        if complaint is None:
            return Outcome("ok", value=value)
        complaint = one_line(complaint, REASON_LENGTH)  # it may quote the reply
        if len(replies) > REPAIRS:
            return Outcome("parse_error", reason=complaint)
        ask_again = f"That reply cannot be used: {complaint}. Answer again, with only the JSON object asked for.\n"
        turns = (Message("assistant", (shortened(text, REPEATED_LENGTH),)), Message("user", (ask_again,)))
        first = self.request
        own = seed_of(f"answer {len(replies) + 1}", first.seed)
        return Chat(first.name, first.messages + turns, first.schema, own, first.sample)

    def parse(self, text: str) -> tuple[Any, str | None]:
        """Return the parsed reply, or None and the complaint in words."""
        bare = unfenced(text)
        if twice := repeated_keys(bare):
            return None, f"{twice[0]}: the key stands twice"
        try:
            value = self.question.reply.model_validate_json(bare, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(p) for p in first["loc"])
            return None, f"{where}: {first['msg']}" if where else str(first["msg"])
        complaint = self.question.check(value, self.fields)
        return (None, complaint) if complaint else (value, None)


def unfenced(text: str) -> str:
    """Take off what comes around JSON: a byte order mark, thinking before it, and a Markdown fence that ends it.

    What else stands around the object, or two fenced blocks, is left: which of several is meant would be a guess.
    """
    said = THINKING.sub("", MARK.sub("", text))
    block = FENCED.match(said)
    return MARK.sub("", block[1] if block else said)


MARK = re.compile(r"\A\s*\ufeff")
"""A byte order mark."""
THINKING = re.compile(r"\A\s*[^\s{\[`].*</think(?:ing)?>", re.DOTALL)
"""Some templates write the opening tag into the prompt, so that only the closing one is in the reply."""
FENCED = re.compile(r"\A[^{`<]*```(?:json)?(.*)```\s*\Z", re.DOTALL)
"""Thinking that never ended, which has its opening tag before the fence, is no introduction."""


@dataclass(frozen=True)
class Painting:
    """A picture asked for; `convert` returns it as it is kept, or raises ValueError saying why it is not usable.

    One of another size than asked for is `ok`, with a remark: many models paint in sizes of their own. With a side
    below LEAST_SIDE it is none: nobody could see in it what was asked for.
    """

    request: Paint
    convert: Callable[[bytes], bytes]

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        """See `Conversation.next`."""
        if not replies:
            return self.request
        reply = replies[-1]
        if reply.finish != "stop":
            status = "refused_generation" if reply.finish == "refused" else FAILED[reply.finish]
            return Outcome(status, reason=reason(reply))
        if not reply.content:
            return Outcome("missing_output", reason="the reply has no image")
        try:
            value = self.convert(reply.content)
            width, height = size(value)
        except ValueError as error:
            return Outcome("parse_error", reason=f"the image {error}")
        if min(width, height) < LEAST_SIDE:
            return Outcome("parse_error", reason=f"the image has {width}x{height} pixels, too few to be a picture")
        asked = self.request.width, self.request.height
        remark = None if (width, height) == asked else f"{width}x{height} pixels instead of {asked[0]}x{asked[1]}"
        return Outcome("ok", value, remark)


@dataclass(frozen=True)
class Embedding:
    """The embedding of a text or a picture; its value is a float32 vector."""

    request: Embed

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        """See `Conversation.next`."""
        return decoded(self.request, replies, unpacked)


class Line(NamedTuple):
    """A line of lettering: its text, confidence 0..1, and corners as x, y in pixels, clockwise from the top left."""

    text: str
    confidence: float
    corners: tuple[tuple[float, float], ...]


@dataclass(frozen=True)
class Reading:
    """The lettering of a picture; its value is a list of `Line`s from top to bottom."""

    request: Read

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        """See `Conversation.next`."""
        return decoded(self.request, replies, LINES.validate_json)


LINES: TypeAdapter[list[Line]] = TypeAdapter(list[Line])


def decoded(request: Request, replies: Sequence[Reply], decode: Callable[[bytes], Any]) -> Request | Outcome:
    """Return a conversation of one request whose reply is decoded, not judged."""
    if not replies:
        return request
    reply = replies[-1]
    if reply.finish != "stop":
        return Outcome(FAILED[reply.finish], reason=reason(reply))
    try:
        return Outcome("ok", value=decode(reply.content))
    except ValueError as error:
        return Outcome("parse_error", reason=str(error).splitlines()[0])


def reason(reply: Reply) -> str:
    """Return the cause of a failed reply in words, in one line of at most 500 characters."""
    return one_line(reply.content.decode("utf-8", errors="replace"), REASON_LENGTH) or reply.finish
