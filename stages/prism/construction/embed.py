"""An embedding of every candidate, so that captions of like meaning lie close to each other."""

from __future__ import annotations

import sys
from collections.abc import Generator, Sequence

import pyarrow as pa

from stages.asking.job import Job
from stages.asking.outcomes import Conversation
from stages.asking.requests import Embed
from stages.asking.run import ask
from stages.asking.seeing import Embedding
from stages.asking.visiting import Answer
from stages.prism.construction.parameters import Params
from stages.prism.construction.proposals import CANDIDATES, EMBEDDINGS
from stages.project.stage import main
from stages.tables.columns import ASKED, Row
from stages.tables.reading import manifest, read_rows, shard_names, shard_rows

SCHEMA = pa.schema([pa.field("id", pa.string()), pa.field("vector", pa.list_(pa.float32())), *ASKED])


def embed(params: Params, edition: str) -> None:
    candidates = CANDIDATES / edition
    job = Job(
        f"prism.embed@{edition}",
        params.player("embedder"),
        shards=shard_names(candidates),
        records=lambda shard: shard_rows(candidates, shard, ["id", "text"]),
        total=manifest(candidates)["rows"],
        visit=embedded,
        schema=SCHEMA,
        folder=EMBEDDINGS / edition,
        max_failures=params.propose.max_failures,
        texts=lambda: (row["text"] for row in read_rows(candidates, ["text"])),
    )
    ask(job)


def embedded(record: Row) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    """Yield the visit to one candidate."""
    [answer] = yield [Embedding(Embed(record["text"]))]
    return [{"id": record["id"], "vector": answer.value, **answer.columns()}]


if __name__ == "__main__":
    main("prism.embed", embed, Params, *sys.argv[1:])
