"""The items nearest to each selected picture, by the embeddings of its texts and by its hash; nothing is decided."""

from __future__ import annotations

from gamut.dataset.leaks.lookup import RESEMBLING_SCHEMA, work_on_selected
from gamut.dataset.shared.parameters import HoldOut
from gamut.pipeline.asks import Asks
from gamut.pipeline.steps import start

STEP = Asks(
    "resemble",
    role="text_embedder",
    reads="datasets/embed_items datasets/hashed_pictures picture_hashes source_rows synthesize select annotate "
    "originals translate caption_lengths",
    schema=RESEMBLING_SCHEMA,
    work=lambda params: work_on_selected(params.hold_out),
    parameters={"hold_out": HoldOut},
    tracked=("hold_out.asked", "hold_out.ask_at_odds", "roles.text_embedder", "models.${roles.text_embedder}"),
)

if __name__ == "__main__":
    start(STEP)
