"""The embedded world as a translator: which question is answered by which rule."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from . import translating
from .answering import Unsupported, Values


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked."""
    match question:
        case "translate":
            return translating.translation(fields.get("caption", ""))
        case "prism_translate":  # lettering is never translated here, whether or not the fields name it
            return translating.translation(fields.get("prompt", ""))
        case "prism_adapt":
            return translating.adaptation(fields.get("prompt", ""))
    raise Unsupported(f"the embedded world's translator does not know the question {question!r}")
