"""The embedded world as a judge: which question is answered by which rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import judging, verdicts
from .answering import Unsupported, Values


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked."""
    match question:
        case "examine":
            return judging.examine(images)
        case "score":
            return judging.score(images)
        case "proofread":
            return judging.proofread(images)
        case "align":
            return judging.align(fields.get("caption", ""), images)
        case "checklist":
            return verdicts.checklist(fields.get("checklist", ""), images)
        case "prism_aesthetic":
            return verdicts.looks(images)
    if question.startswith("prism_alignment_"):  # one rule for all tracks
        return verdicts.fit(fields, images)
    raise Unsupported(f"the embedded world's judge does not know the question {question!r}")
