"""The embedded world as a translator: which question is answered by which rule."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from .answering import Unsupported, Values, cannot_read
from .reading import translate
from .vocabulary import CHINESE_FOR


def answer(question: str, fields: Mapping[str, str], images: Sequence[bytes], seed: int) -> Values:
    """Answer a question by its name; Unsupported for one that this role is not asked."""
    match question:
        case "translate":
            return translation(fields.get("caption", ""))
        case "translate_lengths":
            if "Chinese" not in (language := fields.get("language", "")):
                raise Unsupported(f"the embedded world's translator knows only Chinese, not {language!r}")
            return translation(fields.get("caption", ""))
        case "prism_translate":  # lettering is never translated here, whether or not the fields name it
            return translation(fields.get("prompt", ""))
        case "prism_adapt":
            return adaptation(fields.get("prompt", ""))
    raise Unsupported(f"the embedded world's translator does not know the question {question!r}")


def translation(text: str) -> Values:
    """Return a text of the world in Chinese, lettering left as it is. Raises Unsupported where it cannot be read."""
    return {"translation": _in_chinese(text)}


def adaptation(text: str) -> Values:
    """As `translation`, lettering and all: OPEN is 营业中."""
    return {
        "adaptation": re.sub(
            "“([^”]+)”", lambda quoted: f"“{CHINESE_FOR.get(quoted[1], quoted[1])}”", _in_chinese(text)
        )
    }


def _in_chinese(text: str) -> str:
    found = translate(text) if text else None
    if found is None:
        raise cannot_read(text)
    return found
