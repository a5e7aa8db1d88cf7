"""What the visits of the asking stages share: a question about a picture, a caption as a row."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

import pyarrow as pa

from stages.asking.job import Job
from stages.asking.outcomes import Conversation
from stages.asking.questions import Question
from stages.asking.requests import Picture, seed_of
from stages.asking.run import ask
from stages.asking.visiting import Answer, Visit
from stages.dataset.shared.joins import ASKED, block_of
from stages.dataset.shared.parameters import Params
from stages.tables.columns import Row

Asking = Generator[Sequence[Conversation], list[Answer], list[Row]]
"""What a visit is: it asks, is given answers, and returns rows."""


def ask_stage(
    stage: str,
    params: Params,
    schema: pa.Schema,
    shards: Sequence[str],
    records: Callable[[str], Iterator[Row]],
    total: int,
    visit: Visit,
) -> None:
    """Ask what a stage of the build asks, and write its table (`ASKED`)."""
    folder, role = ASKED[stage]
    most = getattr(params, block_of(stage)).max_failures
    ask(Job(stage, params.role_model(role), shards, records, total, visit, schema, folder, most))


def about_picture(question: Question, seed: int, columns: Mapping[str, str]) -> Visit:
    """Ask one question about a record's picture; `columns`: those of the table, and what the reply calls each."""

    def visit(record: Row) -> Asking:
        [answer] = yield [question.about(None, [Picture(record["image"]["bytes"])], seed_of(record["id"], seed))]
        reply = answer.value
        values = {} if reply is None else {name: getattr(reply, asked) for name, asked in columns.items()}
        return [{"id": record["id"], **answer.columns(), **values}]

    return visit


def caption_of(answer: Answer) -> Row:
    """Return the columns of a row that holds one caption, or why there is none."""
    return {"caption": answer.value.caption.strip() if answer.value else None, **answer.columns()}
