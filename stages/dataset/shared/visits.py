"""What the visits of the asking stages share: a question about a picture, a caption as a row."""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from typing import Any

from stages.asking.outcomes import Conversation
from stages.asking.questions import Question
from stages.asking.requests import Picture, seed_of
from stages.asking.visiting import Answer, Visit
from stages.tables.columns import Row


def about_picture(question: Question, seed: int, columns: Callable[[Any], Row]) -> Visit:
    """Ask one question about a record's picture; `columns` lays the parsed reply out in the table's columns. `seed` is
    the build's.
    """

    def visit(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
        [answer] = yield [question.about(None, [Picture(record["image"]["bytes"])], seed_of(record["id"], seed))]
        values = {} if answer.value is None else columns(answer.value)
        return [{"id": record["id"], **answer.columns(), **values}]

    return visit


def caption_of(answer: Answer) -> Row:
    """Return the columns of a row that holds one caption, or why there is none."""
    return {"caption": answer.value.caption.strip() if answer.value else None, **answer.columns()}
