"""A visit to one record: a generator that yields conversations, is sent their answers, and returns the rows."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.requests import Chat, Create, Model, Paint, Reply, Request, fingerprint, wants_picture
from gamut.tables.columns import Row


@dataclass(frozen=True)
class Answer:
    outcome: Outcome
    model: str
    trace: tuple[tuple[str, Reply], ...]

    @property
    def value(self) -> Any:
        return self.outcome.value

    def columns(self) -> Row:
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
        return {"status": self.outcome.status, "reason": self.outcome.reason, "model": self.model, "replies": replies}


def text_of(reply: Reply) -> str | None:
    """Return a reply's text; None for an image, which has a column of its own."""
    try:
        return reply.content.decode("utf-8")
    except UnicodeDecodeError:
        return None


Visit = Callable[[Row], Generator[Sequence[Conversation], list[Answer], list[Row]]]
"""Yields conversations, is sent their answers, returns the record's rows of the table."""


Known = Callable[[str], Reply | None]  # gives the reply to the request of this fingerprint; None while there is none
Decoding = Callable[[], Request | Outcome]
"""The next step of a conversation whose replies hold pictures: a call, because decoding pictures takes time."""


def follow(
    visit: Visit, record: Row, model: Model, known: Known
) -> Generator[dict[str, Request] | Decoding, Request | Outcome | None, list[Row]]:
    """Yield the next requests, by fingerprint, until `known` has their replies; return the record's rows. The caller
    calls a `Decoding` that is yielded in another thread, and sends its result.
    """
    rounds = visit(record)
    answers: list[Answer] | None = None
    while True:
        try:
            conversations = next(rounds) if answers is None else rounds.send(answers)
        except StopIteration as end:
            if end.value is None:
                raise TypeError("a visit has to return its rows") from None
            rows: list[Row] = end.value
            return rows
        talks = [converse(conversation, record, model, known) for conversation in conversations]
        ended: dict[int, Answer] = {}
        while len(ended) < len(talks):
            missing: dict[str, Request] = {}
            for number, talk in enumerate(talks):
                if number not in ended:
                    try:
                        wanted = next(talk)
                        while callable(wanted):
                            wanted = talk.send((yield wanted))
                        mark, request = wanted
                        missing[mark] = request
                    except StopIteration as end:
                        ended[number] = end.value
            if missing:
                yield missing
        answers = [ended[number] for number in range(len(talks))]


def converse(
    conversation: Conversation, record: Row, model: Model, known: Known
) -> Generator[tuple[str, Request] | Decoding, Request | Outcome | None, Answer]:
    """Follow one conversation: yield each request that has no reply yet, until it has one, and return the answer."""
    trace: list[tuple[str, Reply]] = []
    pictured = False
    step: Any = conversation.next([])
    while not isinstance(step, Outcome):
        if model.by_record and isinstance(step, Chat | Paint | Create):
            step = replace(step, record=record_name(record))
        mark = fingerprint(step, model.identity)
        while (reply := known(mark)) is None:
            yield mark, step
        trace.append((mark, reply))
        pictured = pictured or wants_picture(step)
        following = partial(conversation.next, [reply for _, reply in trace])
        step = (yield following) if pictured else following()
    return Answer(step, model.identity["id"], tuple(trace))


def record_name(record: Row) -> str:
    name: str = record["record"] if "record" in record else record["id"]
    return name
