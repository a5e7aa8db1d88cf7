"""Steps in which a model gives each picture a score of its own; a step is off where its role is null."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from gamut.asking.requests import Rate, stored_picture
from gamut.asking.seeing import Rating
from gamut.dataset.shared.expected import PROMPT_WORDS
from gamut.dataset.shared.visits import Asking, tables_in, work_by_picture
from gamut.pipeline.asks import Asks, Requests
from gamut.project.roles import SCORERS, ScoreName
from gamut.tables.columns import ASKED, Row, table_schema

INSTRUCTION_WORDS = 110
"""Words around the prompt, for a chat model."""


def scores_of(name: ScoreName, where: str) -> Asks:
    """Return the step of a score, of the pictures that `where` names. Aesthetics is not told the prompt."""
    role, given = SCORERS[name], dict[str, Callable[[str], str]]()
    if name != "aesthetics":
        given["prompt"] = str

    def visit(record: Row) -> Asking:
        picture = stored_picture(record["image"]["bytes"])
        [answer] = yield [Rating(Rate(name, picture, record.get("prompt", "")))]
        return [{"id": record["id"], "score": answer.value, **answer.columns()}]

    def requests(params: Any, flow: Any) -> list[Requests]:
        words = dict.fromkeys(given, INSTRUCTION_WORDS + PROMPT_WORDS)
        return [Requests(flow.pictures(where), (), words, 1, "painted")] * (params.slug_of(role) is not None)

    return Asks(
        f"score_{name}",
        role=role,
        reads=tables_in(where),
        schema=table_schema("id score:float32", *ASKED),
        work=lambda params: work_by_picture(where, visit, params.slug_of(role) is not None, given),
        where=where,
        tracked=(f"roles.{role}", "models"),
        requests=requests,
    )
