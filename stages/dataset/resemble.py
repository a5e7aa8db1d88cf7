"""Which items each selected picture comes nearest to, by the embeddings of its texts and as a picture; nothing is
decided.
"""

from __future__ import annotations

from collections.abc import Iterator

from gamut.dataset.leaks.embedding import RESEMBLING_SCHEMA, resembling
from gamut.dataset.leaks.parameters import HoldOut
from gamut.dataset.leaks.pictures import read_hashes
from gamut.dataset.leaks.suspects import described_pictures
from gamut.dataset.shared.joins import count_true, pictures, table_of
from gamut.pipeline.asks import Asks, Work
from gamut.pipeline.steps import Given, start
from gamut.tables.columns import Row
from gamut.tables.reading import shard_names


def work(params: Given) -> Work:
    hashes = read_hashes(table_of("hashed_pictures"))
    return resembling(
        shard_names(table_of("select")),
        with_pictures if hashes[1] else described_pictures,
        count_true(table_of("select"), "kept"),
        table_of("embed_items"),
        hashes,
        params.hold_out,
    )


def with_pictures(shard: str) -> Iterator[Row]:
    texts = {row["id"]: row for row in described_pictures(shard)}
    for row in pictures(shard, "select.kept"):
        yield texts[row["id"]] | row


STEP = Asks(
    "resemble",
    role="text_embedder",
    reads="embed_items hashed_pictures source_rows synthesize select annotate originals translate",
    schema=RESEMBLING_SCHEMA,
    work=work,
    parameters={"hold_out": HoldOut},
    tracked=("hold_out.asked", "hold_out.ask_at_odds", "roles.text_embedder", "models.${roles.text_embedder}"),
)

if __name__ == "__main__":
    start(STEP)
