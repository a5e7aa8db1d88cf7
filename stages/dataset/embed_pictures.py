"""Embeddings of admitted pictures, which `same_pictures` compares; nothing if `same_pictures.similarity` is null."""

from __future__ import annotations

from collections.abc import Iterator

from gamut.asking.requests import Embed, stored_picture
from gamut.asking.seeing import Embedding
from gamut.dataset.shared.joins import count_true, pictures, table_of
from gamut.dataset.shared.parameters import SamePictures
from gamut.dataset.shared.visits import Asking, without_vectors
from gamut.pipeline.asks import Asks, Work
from gamut.pipeline.steps import StepParameters, start
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import shard_names

ADMITTED = "admit.admitted"


def work(params: StepParameters) -> Work:
    asked = params.same_pictures.similarity is not None

    def records(shard: str) -> Iterator[Row]:
        return pictures(shard, ADMITTED) if asked else iter(())

    return Work(shard_names(table_of("admit")), records, lambda shard: asked * count_true(ADMITTED, shard), embed)


def embed(record: Row) -> Asking:
    [answer] = yield [Embedding(Embed(stored_picture(record["image"]["bytes"])))]
    return [{"id": record["id"], "vector": answer.value, **without_vectors([answer])}]


STEP = Asks(
    "embed_pictures",
    role="image_embedder",
    reads="synthesize admit",
    schema=table_schema("id vector:[float32]", *ASKED),
    work=work,
    parameters={"same_pictures": SamePictures},
    tracked=("same_pictures.similarity", "roles.image_embedder", "models"),
)

if __name__ == "__main__":
    start(STEP)
