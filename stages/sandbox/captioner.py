"""The embedded world as a captioner: which question is answered by which rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import rewording, transcribing
from .answering import Unsupported, Values


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked."""
    if question in rewording.FORMS:
        return rewording.describe(question, images)
    match question:
        case "find_text":
            return transcribing.find_text(images)
        case "rewrite_text":
            return rewording.rewrite_text(fields, seed)
        case "mine_text":
            return rewording.mine_text(fields, images)
    raise Unsupported(f"the embedded world's captioner does not know the question {question!r}")
