"""What nothing in the dataset may resemble: embeddings of all texts of all frozen items, hashes of their pictures.

Planted paraphrases are embedded beside them, so that it is known how many are found again.
"""

from __future__ import annotations

from gamut.dataset.leaks.embedding import work_on_items
from gamut.dataset.leaks.items import ITEMS_SCHEMA, pictures_of
from gamut.dataset.leaks.pictures import hash_pictures, write_hashes
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import HoldOut
from gamut.evaluation.defining.editions import read_editions
from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import start

STEP = Asks(
    "embed_items",
    role="text_embedder",
    reads="datasets/world/paraphrases datasets/paraphrases datasets/editions",
    schema=ITEMS_SCHEMA,
    work=lambda params: work_on_items(params.hold_out.paraphrases, params.seed),
    run=lambda _: write_hashes(table_of("hashed_pictures"), hash_pictures(pictures_of(read_editions()))),
    outs=("datasets/embed_items", "datasets/hashed_pictures"),
    parameters={"hold_out": HoldOut},
    tracked=("seed", "hold_out.paraphrases", "roles.text_embedder", "models.${roles.text_embedder}"),
    remark="The pictures of editions may lie elsewhere, so they are no dependency: editions name them by their sha256",
)

if __name__ == "__main__":
    start(STEP)
