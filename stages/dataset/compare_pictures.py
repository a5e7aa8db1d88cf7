"""The item's picture nearest to each selected picture, by embeddings; nothing if roles.image_embedder is null."""

from __future__ import annotations

from gamut.dataset.leaks.lookup import COMPARED_SCHEMA, work_on_pictures
from gamut.dataset.shared.parameters import HoldOut
from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import start

STEP = Asks(
    "compare_pictures",
    role="image_embedder",
    reads="datasets/hashed_pictures synthesize select",
    schema=COMPARED_SCHEMA,
    work=lambda params: work_on_pictures(params.roles.image_embedder),
    parameters={"hold_out": HoldOut},
    tracked=("roles.image_embedder", "models"),
)

if __name__ == "__main__":
    start(STEP)
