"""Embeddings of admitted pictures, which `same_pictures` compares; nothing if `same_pictures.similarity` is null."""

from __future__ import annotations

from typing import Any

from gamut.asking.requests import Embed, stored_picture
from gamut.asking.seeing import Embedding
from gamut.dataset.shared.joins import count_true, pictures, table_of
from gamut.dataset.shared.parameters import SamePictures
from gamut.dataset.shared.visits import Asking, without_vectors
from gamut.pipeline.asks import Asks, Requests, Work
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import shard_names

ADMITTED = "admit.admitted"


def work(params: StepParameters) -> Work:
    shards = shard_names(table_of("admit"))
    if params.same_pictures.similarity is None:
        return Work(shards, lambda _: iter(()), lambda _: 0, embed)
    return Work(shards, lambda shard: pictures(shard, ADMITTED), lambda shard: count_true(ADMITTED, shard), embed)


def requests(params: Any, flow: Any) -> list[Requests]:
    asked = params.same_pictures.similarity is not None
    return [Requests(flow.pictures(ADMITTED), (), {}, 0, "painted")] if asked else []


def embed(record: Row) -> Asking:
    [answer] = yield [Embedding(Embed(stored_picture(record["image"]["bytes"])))]
    return [{"id": record["id"], "vector": answer.value, **without_vectors([answer])}]


STEP = Asks(
    "embed_pictures",
    role="image_embedder",
    reads="synthesize admit",
    schema=table_schema("id vector:[float32]", *ASKED),
    work=work,
    requests=requests,
    parameters={"same_pictures": SamePictures},
    tracked=("same_pictures.similarity", "roles.image_embedder", "models"),
)

if __name__ == "__main__":
    start(STEP)
