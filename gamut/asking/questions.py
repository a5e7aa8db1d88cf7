"""A question to a model: its instruction, the schema and parser of its reply, and the short conversation."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from pydantic import BaseModel, ValidationError

from gamut.asking.material import restore_material, tag_names
from gamut.asking.outcomes import REASON_LENGTH, STATUS_OF_FINISH, Outcome, failure_reason
from gamut.asking.replied_json import extract_json, strip_marks
from gamut.asking.requests import Chat, Message, Part, Reply, Request, seed_of, tag_fields
from gamut.project.inputs import repeated_keys
from gamut.project.plain_text import shorten_text, shorten_to_line


@dataclass(frozen=True)
class Question:
    """A question about one record: instruction, reply schema and parser in one place.

    A request begins with `opening`, which questions asked one after the other share, so that servers can reuse the
    prefix. The material (`material.enclose`), `instruction` and the record's fields follow. An `example` follows the
    instruction when scores would drift without it: another record in words, and in the last line its right reply. The
    JSON is taken out of a reply by `extract`. A `check` gets the parsed reply and the fields, and may return an
    objection, which is sent back; `remark` gets the same and returns a remark on a reply that is used. If a reply does
    not fit, it is asked for again up to `repairs` times.
    """

    name: str
    opening: str
    instruction: str
    reply: type[BaseModel]
    check: Callable[[Any, Mapping[str, str]], str | None] = field(default=lambda reply, fields: None)
    repairs: int = 1
    extract: Callable[[str], str] = field(default=lambda reply: extract_json(reply))
    example: str = ""
    remark: Callable[[Any, Mapping[str, str]], str | None] = field(default=lambda reply, fields: None)

    def about(
        self, fields: Mapping[str, str] | None = None, material: Sequence[Part] = (), seed: int = 0, sample: int = 0
    ) -> AskedQuestion:
        """Ask about one record. Each text ends with a newline, because servers join texts as they are."""
        fields = fields or {}
        parts = (f"{self.opening}\n", *self.shown(material, fields), *self.closing_parts(fields))
        return AskedQuestion(
            self, fields, Chat(self.name, (Message("user", parts),), json_schema(self.reply), seed, sample)
        )

    def after(self, earlier: Chat, reply: str, fields: Mapping[str, str] | None = None) -> AskedQuestion:
        """Ask as a second turn after `earlier` and its accepted `reply`. No material is shown again."""
        fields = fields or {}
        answer = Message("assistant", (shorten_text(reply, LONGEST_REPEATED),))
        messages = (*earlier.messages, answer, Message("user", self.closing_parts(fields)))
        seed = seed_of(self.name, earlier.seed)
        return AskedQuestion(self, fields, Chat(self.name, messages, json_schema(self.reply), seed, earlier.sample))

    def shown(self, material: Sequence[Part], fields: Mapping[str, str]) -> tuple[Part, ...]:
        """Return the material unchanged, except for texts that could be read as tags of this request."""
        return restore_material(material, {*fields, *tag_names(self.opening, self.instruction)})

    def closing_parts(self, fields: Mapping[str, str]) -> tuple[str, ...]:
        return tuple(f"{text}\n" for text in (self.instruction, self.example, tag_fields(fields)) if text)


@cache
def json_schema(model: type[BaseModel]) -> dict[str, Any]:
    """Return the reply's JSON schema for servers: all keys required, none additional, no titles or docstrings."""
    schema = model.model_json_schema()
    for one in (schema, *schema.get("$defs", {}).values()):
        one.pop("description", None)  # the docstring; a field's own description is an instruction and stays
    plain: dict[str, Any] = close_schema(schema)
    return plain


def close_schema(node: Any) -> Any:
    if isinstance(node, list):
        return [close_schema(one) for one in node]
    if not isinstance(node, dict):
        return node
    closed = {key: value for key, value in node.items() if key != "title"}
    for key, value in closed.items():
        if key in NAMED_KEYS:
            closed[key] = {name: close_schema(one) for name, one in value.items()}
        elif key not in VALUE_KEYS:
            closed[key] = close_schema(value)
    if closed.get("type") == "object":
        closed |= {"additionalProperties": False, "required": list(closed.get("properties", {}))}
    return closed


NAMED_KEYS = ("properties", "$defs")  # parts of a schema whose keys are names of ours: a property may be called `title`
VALUE_KEYS = ("default", "const", "enum", "examples")  # parts of a schema that are values, not schemas
LONGEST_REPEATED = 100_000  # characters of a reply that is sent back: replies that can be repaired are far shorter


@dataclass(frozen=True)
class AskedQuestion:
    """A question asked about one record. A reply that does not fit is sent back with a complaint, to be repaired."""

    question: Question
    fields: Mapping[str, str]
    request: Chat

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        if not replies:
            return self.request
        last = replies[-1]
        if last.finish != "stop":
            return Outcome(STATUS_OF_FINISH[last.finish], reason=failure_reason(last))
        text = last.content.decode("utf-8", errors="replace")
        value, complaint = self.parse(text)
        if complaint is None:
            return Outcome("ok", reason=self.question.remark(value, self.fields), value=value)
        complaint = shorten_to_line(complaint, REASON_LENGTH)  # it may quote the reply
        if len(replies) > self.question.repairs:
            return Outcome("parse_error", reason=complaint)
        ask_again = f"That reply cannot be used: {complaint}. Answer again, with only the JSON object asked for.\n"
        turns = (Message("assistant", (shorten_text(text, LONGEST_REPEATED),)), Message("user", (ask_again,)))
        first = self.request
        own = seed_of(f"answer {len(replies) + 1}", first.seed)
        return Chat(first.name, first.messages + turns, first.schema, own, first.sample)

    def quotes(self, reply: str, json_text: str) -> bool:
        """Return whether the JSON in a reply is quoted from the request: a contestant may have written it."""
        if not json_text.startswith("{") or json_text.strip() == strip_marks(reply).strip():
            return False
        own_words = (f"{self.question.opening}\n", f"{self.question.instruction}\n")
        asked = (part for message in self.request.messages if message.role == "user" for part in message.parts)
        texts = (part for part in asked if isinstance(part, str) and part not in own_words)
        return any("".join(json_text.split()) in "".join(text.split()) for text in texts)

    def parse(self, text: str) -> tuple[Any, str | None]:
        json_text = self.question.extract(text)
        if not json_text.strip():
            return None, "the reply is empty"
        if self.quotes(text, json_text):
            return None, "the JSON object in the reply is quoted from what was asked about"
        if twice := repeated_keys(json_text):
            return None, f"{twice[0]}: the key occurs twice"
        try:
            value = self.question.reply.model_validate_json(json_text, strict=True)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(p) for p in first["loc"])
            return None, f"{where}: {first['msg']}" if where else str(first["msg"])
        complaint = self.question.check(value, self.fields)
        return (None, complaint) if complaint else (value, None)
