"""The stages of the build that ask models."""

from __future__ import annotations

from stages.dataset.shared import joins

ASKED = {
    "brainstorm": (joins.BRAINSTORM, "seed_writer"),
    "imagine": (joins.IMAGINED, "writer"),
    "rewrite": (joins.REWRITTEN, "captioner"),
    "find_text": (joins.FOUND_TEXT, "captioner"),
    "mine_text": (joins.MINED_TEXT, "captioner"),
    "synthesize": (joins.SYNTHESIZED, "painter"),
    "examine": (joins.EXAMINED, "judge"),
    "score": (joins.SCORED, "judge"),
    "proofread": (joins.PROOFREAD, "judge"),
    "annotate": (joins.ANNOTATED, "captioner"),
    "align": (joins.ALIGNED, "judge"),
    "translate": (joins.TRANSLATED, "translator"),
    "embed_items": (joins.EMBEDDED_ITEMS, "text_embedder"),
    "embed_pictures": (joins.EMBEDDED_PICTURES, "image_embedder"),
    "resemble": (joins.RESEMBLING, "text_embedder"),
    "same_test": (joins.SAME_TESTS, "judge"),
}
"""The stages that ask: the table of each, and the role whose model it asks."""
OF_HOLD_OUT = ("embed_items", "embed_pictures", "resemble", "same_test")
"""Stages that share one block of params.yaml, `hold_out`; the others have each their own."""


def block_of(stage: str) -> str:
    """Return the block of params.yaml that has a stage's `max_failures`."""
    return "hold_out" if stage in OF_HOLD_OUT else stage
