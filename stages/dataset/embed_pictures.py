"""Embeddings of selected pictures and of items' pictures; none where roles.image_embedder is null."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow.compute as pc

from stages.asking.job import Job
from stages.asking.requests import Embed, Picture
from stages.asking.run import ask, write_nothing
from stages.asking.seeing import Embedding
from stages.dataset.leaks.embedding import without_vectors
from stages.dataset.leaks.items import PICTURES, PICTURES_SCHEMA, pictures_of
from stages.dataset.leaks.pictures import stored
from stages.dataset.shared.joins import pictures, table_of
from stages.dataset.shared.parameters import Params
from stages.dataset.shared.visits import Asking
from stages.evaluation.defining.editions import read_editions
from stages.project.stage import main
from stages.tables.columns import Row, make_id, place
from stages.tables.reading import shard_columns, shard_names, sliced


def embed_pictures(params: Params) -> None:
    selected = shard_names(table_of("select"))
    if params.roles.image_embedder is None:
        nothing = (one for shard in selected for one in sliced(shard, ()))
        return write_nothing("embed_pictures", nothing, PICTURES_SCHEMA, table_of("embed_pictures"))
    theirs = {make_id(PICTURES, number): data for number, data in stored(pictures_of(read_editions()))}
    own_shards = sorted({place(row_id)[0] for row_id in theirs})

    def records(shard: str) -> Iterator[Row]:
        if shard not in own_shards:
            yield from pictures(shard, table_of("select"), "kept")
        for row_id, data in theirs.items():
            if place(row_id)[0] == shard:
                yield {"id": row_id, "image": {"bytes": data}}

    kept = sum(pc.sum(table["kept"]).as_py() or 0 for _, table in shard_columns(table_of("select"), ["kept"]))
    ask(
        Job(
            "embed_pictures",
            params.role_model("image_embedder"),
            shards=[*own_shards, *selected],
            records=records,
            total=len(theirs) + kept,
            visit=embed_picture,
            schema=PICTURES_SCHEMA,
            folder=table_of("embed_pictures"),
            max_failures=params.hold_out.max_failures,
        )
    )


def embed_picture(record: Row) -> Asking:
    [answer] = yield [Embedding(Embed(Picture(record["image"]["bytes"])))]
    return [{"id": record["id"], "vector": answer.value, **without_vectors([answer])}]


if __name__ == "__main__":
    main("embed_pictures", embed_pictures, Params)
