"""Steps in which a model gives each picture a score of its own; a step is off where its role is null."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from gamut.asking.requests import Rate, stored_picture
from gamut.asking.seeing import Rating
from gamut.dataset.shared.expected import PROMPT_WORDS
from gamut.dataset.shared.joins import pictures, pictures_named, table_of, values_by_id
from gamut.dataset.shared.visits import Asking
from gamut.pipeline.asks import Asks, Requests, Work
from gamut.project.roles import SCORERS
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import shard_names


def scores_of(name: str) -> Asks:
    """Return the step of a score. Aesthetics reads no prompt; the others are about pictures that have one."""
    role, with_prompt = SCORERS[name], name != "aesthetics"
    where = "admit.admitted synthesize.painted" if with_prompt else "admit.admitted"

    def work(params: Any) -> Work:
        asked = params.slug_of(role) is not None

        def records(shard: str) -> Iterator[Row]:
            prompts = values_by_id("synthesize", shard, "prompt") if asked and with_prompt else {}
            for row in pictures(shard, where) if asked else ():
                yield row | {"text": prompts.get(row["id"], "")}

        shards = shard_names(table_of("synthesize"))
        return Work(shards, records, lambda shard: asked * len(pictures_named(shard, where)), visit)

    def visit(record: Row) -> Asking:
        [answer] = yield [Rating(Rate(name, stored_picture(record["image"]["bytes"]), record["text"]))]
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
