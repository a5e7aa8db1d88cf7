"""The embedded world as a writer: which question is answered by which rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import composing, inventing
from .answering import Unsupported, Values


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked."""
    match question:
        case "brainstorm":
            return inventing.brainstorm(fields, seed)
        case "imagine":
            return inventing.imagine(fields, seed)
        case "prism_expand":
            return composing.expand(fields, seed)
    if question.startswith("prism_compose_"):
        return composing.compose(question.removeprefix("prism_compose_"), fields, seed)
    raise Unsupported(f"the embedded world's writer does not know the question {question!r}")
