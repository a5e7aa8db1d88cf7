"""The stages of the build that ask models."""

from __future__ import annotations

from stages.dataset.shared import joins

ASKED = {
    "brainstorm": (joins.BRAINSTORM, "seed_writer"),
    "imagine": (joins.IMAGINED, "writer"),
    "rewrite": (joins.REWRITTEN, "captioner"),
    "find_text": (joins.FOUND_TEXT, "captioner"),
    "mine_text": (joins.MINED, "captioner"),
    "synthesize": (joins.IMAGES, "painter"),
    "examine": (joins.QUALITY, "judge"),
    "score": (joins.RELEVANCE, "judge"),
    "proofread": (joins.TYPOGRAPHY, "judge"),
    "annotate": (joins.ANNOTATIONS, "captioner"),
    "align": (joins.ALIGNED, "judge"),
    "translate": (joins.TRANSLATIONS, "translator"),
}
"""The stages that ask: the table of each, and the role whose model it asks."""
