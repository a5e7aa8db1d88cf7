"""Embed all texts of all frozen items and hash their pictures: nothing in the dataset may resemble them.

Planted paraphrases are embedded too, to measure how many of them are found again.
"""

from __future__ import annotations

from gamut.dataset.leaks.embedding import work_on_items, write_what_is_compared
from gamut.dataset.leaks.items import ITEMS_SCHEMA
from gamut.dataset.leaks.pictures import COMPARES
from gamut.dataset.shared.parameters import HoldOut
from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import start

STEP = Asks(
    "embed_items",
    role="text_embedder",
    reads="datasets/world/paraphrases datasets/paraphrases datasets/editions",
    schema=ITEMS_SCHEMA,
    work=work_on_items,
    run=write_what_is_compared,
    outs=("datasets/embed_items", "datasets/hashed_pictures", str(COMPARES)),
    parameters={"hold_out": HoldOut},
    tracked=(
        *("seed", "hold_out.paraphrases", "roles.painter", "models.${roles.painter}"),
        *("roles.text_embedder", "models.${roles.text_embedder}"),
    ),
    remark="The pictures of editions may lie elsewhere, so they are no dependency: editions name them by their sha256",
)

if __name__ == "__main__":
    start(STEP)
