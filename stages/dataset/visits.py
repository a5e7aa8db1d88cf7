"""The visit that the judging stages share: one question about one picture, one row."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from stages.questions import Conversation, Picture, Question
from stages.run import Answer, Visit
from stages.tables import Row


def about_picture(question: Question, seed: int, columns: Callable[[Any], Row]) -> Visit:
    """Ask one question about a record's picture; `columns` lays the parsed reply out in the table's columns."""

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        [answer] = yield [question.about(picture=Picture(record["image"]["bytes"]), seed=seed)]
        values = {} if answer.value is None else columns(answer.value)
        return [{"id": record["id"], **answer.columns(), **values}]

    return visit
