"""Embeddings of selected pictures and of items' pictures; none where roles.image_embedder is null."""

from __future__ import annotations

from collections.abc import Iterator

from gamut.asking.requests import Embed, Picture
from gamut.asking.seeing import Embedding
from gamut.dataset.leaks.embedding import without_vectors
from gamut.dataset.leaks.items import PICTURES, PICTURES_SCHEMA, pictures_of
from gamut.dataset.leaks.parameters import HoldOut
from gamut.dataset.leaks.pictures import stored_pictures
from gamut.dataset.shared.joins import count_true, pictures, table_of
from gamut.dataset.shared.visits import Asking
from gamut.evaluation.defining.editions import read_editions
from gamut.pipeline.asks import Asks, Work
from gamut.pipeline.steps import Given, start
from gamut.tables.columns import Row, make_id, place
from gamut.tables.reading import shard_names


def work(params: Given) -> Work:
    """Return the work of embedding selected pictures and those of items; none where no model embeds pictures."""
    selected = table_of("select")
    if params.roles.image_embedder is None:
        return Work(shard_names(selected), lambda shard: iter(()), 0, embed_picture)
    theirs = {make_id(PICTURES, number): data for number, data in stored_pictures(pictures_of(read_editions()))}
    own_shards = sorted({place(row_id)[0] for row_id in theirs})

    def records(shard: str) -> Iterator[Row]:
        if shard not in own_shards:
            yield from pictures(shard, "select.kept")
        for row_id, data in theirs.items():
            if place(row_id)[0] == shard:
                yield {"id": row_id, "image": {"bytes": data}}

    kept = count_true(selected, "kept")
    return Work([*own_shards, *shard_names(selected)], records, len(theirs) + kept, embed_picture)


def embed_picture(record: Row) -> Asking:
    [answer] = yield [Embedding(Embed(Picture(record["image"]["bytes"])))]
    return [{"id": record["id"], "vector": answer.value, **without_vectors([answer])}]


STEP = Asks(
    "embed_pictures",
    role="image_embedder",
    reads="datasets/editions synthesize select",
    schema=PICTURES_SCHEMA,
    work=work,
    parameters={"hold_out": HoldOut},
    tracked=("roles.image_embedder", "models"),
)

if __name__ == "__main__":
    start(STEP)
