"""A visit to one record: a generator that asks adjacently, is sent the answers, and returns the record's rows."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from stages.asking.models.opening import Model
from stages.asking.questions import Conversation, Outcome
from stages.asking.requests import Chat, Paint, Reply, Request, fingerprint
from stages.tables.columns import Row


@dataclass(frozen=True)
class Answer:
    """An outcome together with where it came from."""

    outcome: Outcome
    model: str
    trace: tuple[tuple[str, Reply], ...]

    @property
    def value(self) -> Any:
        """The parsed reply or the encoded image; None unless the status is `ok`."""
        return self.outcome.value

    def columns(self) -> Row:
        """The columns that every asked row has (`tables.ASKED`)."""
        replies = [
            {
                "fingerprint": mark,
                "finish": reply.finish,
                "content": text_of(reply),
                "input_tokens": reply.input_tokens,
                "output_tokens": reply.output_tokens,
            }
            for mark, reply in self.trace
        ]
        return {
            "status": self.outcome.status,
            "reason": self.outcome.reason,
            "model": self.model,
            "replies": replies,
        }


def text_of(reply: Reply) -> str | None:
    """A reply's text; None for an image, which stands in a column of its own."""
    try:
        return reply.content.decode("utf-8")
    except UnicodeDecodeError:
        return None


Visit = Callable[[Row], Generator[Sequence[Conversation], list[Answer], list[Row]]]
"""A visit to one record: yields conversations, is sent their answers, returns the record's rows of the table."""


def follow(
    visit: Visit, record: Row, model: Model, known: Callable[[str], Reply | None]
) -> tuple[list[Row] | None, dict[str, Request]]:
    """Follow a visit as far as the known replies go: return its rows, or None and what must be asked next."""
    steps = visit(record)
    answers: list[Answer] = []
    missing: dict[str, Request] = {}
    try:
        conversations = next(steps)
        while True:
            for conversation in conversations:
                trace: list[tuple[str, Reply]] = []
                while not isinstance(step := conversation.next([reply for _, reply in trace]), Outcome):
                    if model.by_record and isinstance(step, Chat | Paint):
                        step = replace(step, record=name_of(record))
                    mark = fingerprint(step, model.identity)
                    reply = known(mark)
                    if reply is None:
                        missing[mark] = step
                        break
                    trace.append((mark, reply))
                else:
                    answers.append(Answer(step, model.identity["id"], tuple(trace)))
            if missing:
                steps.close()
                return None, missing
            conversations, answers = steps.send(answers), []
    except StopIteration as end:
        if end.value is None:
            raise TypeError("a visit has to return its rows") from None
        return end.value, {}


def name_of(record: Row) -> str:
    """What a record is called where answers are found by name: its `record`, else its id."""
    name: str = record["record"] if "record" in record else record["id"]
    return name


def seed_of(row_id: str, seed: int) -> int:
    """A record's own seed, 0 .. 2^31 - 1, from its id and the build's seed: order and batches change nothing."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{row_id}".encode()).digest()[:4]) >> 1
