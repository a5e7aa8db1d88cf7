"""Embeddings of admitted pictures, which `same_pictures` compares; nothing if `same_pictures.similarity` is null."""

from __future__ import annotations

from typing import Any

from gamut.asking.requests import Embed, stored_picture
from gamut.asking.seeing import Embedding
from gamut.dataset.shared.parameters import SamePictures
from gamut.dataset.shared.visits import Asking, without_vectors, work_if, work_on_pictures
from gamut.pipeline.asks import Asks, Requests
from gamut.pipeline.steps import start
from gamut.tables.columns import ASKED, Row, table_schema

ADMITTED = "admit.admitted"


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
    work=lambda params: work_if(params.same_pictures.similarity is not None, work_on_pictures(ADMITTED, {}, embed)),
    requests=requests,
    parameters={"same_pictures": SamePictures},
    tracked=("same_pictures.similarity", "roles.image_embedder", "models"),
)

if __name__ == "__main__":
    start(STEP)
