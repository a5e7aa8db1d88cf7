"""Steps in which a model gives each picture a score of its own; a step is off where its role is null."""

from __future__ import annotations

from typing import Any

from gamut.asking.requests import Rate, stored_picture
from gamut.asking.seeing import Rating
from gamut.dataset.shared.expected import PROMPT_WORDS
from gamut.dataset.shared.visits import Asking, work_if, work_on_pictures
from gamut.pipeline.asks import Asks, Requests, Work
from gamut.project.roles import SCORERS
from gamut.tables.columns import ASKED, Row, table_schema


def scores_of(name: str) -> Asks:
    """Return the step of a score. Aesthetics reads no prompt; the others are about pictures that have one."""
    role, with_prompt = SCORERS[name], name != "aesthetics"
    where = "admit.admitted synthesize.painted" if with_prompt else "admit.admitted"

    def work(params: Any) -> Work:
        on_pictures = work_on_pictures(where, {"text": str} if with_prompt else {}, visit)
        return work_if(params.slug_of(role) is not None, on_pictures)

    def visit(record: Row) -> Asking:
        [answer] = yield [Rating(Rate(name, stored_picture(record["image"]["bytes"]), record.get("text", "")))]
        return [{"id": record["id"], "score": answer.value, **answer.columns()}]

    def requests(params: Any, flow: Any) -> list[Requests]:
        words = {"instruction": 110, "prompt": PROMPT_WORDS}  # that a chat model reads
        return [Requests(flow.pictures(where), (), words, 1, "painted")] * (params.slug_of(role) is not None)

    return Asks(
        f"score_{name}",
        role=role,
        reads="synthesize admit",
        schema=table_schema("id score:float32", *ASKED),
        work=work,
        where=where,
        tracked=(f"roles.{role}", "models"),
        requests=requests,
    )
