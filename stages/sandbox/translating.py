"""The embedded world as a translator: its texts in Chinese."""

from __future__ import annotations

import re

from .answering import Values, unreadable
from .reading import translate
from .vocabulary import CHINESE_FOR


def translation(text: str) -> Values:
    """Return a text of the world in Chinese, lettering left as it is. Raises Unsupported where it cannot be read."""
    return {"translation": _in_chinese(text)}


def adaptation(text: str) -> Values:
    """Return a text of the world in Chinese, lettering and all: OPEN is 营业中. Raises Unsupported where it cannot be
    read.
    """
    return {
        "adaptation": re.sub(
            "“([^”]+)”", lambda quoted: f"“{CHINESE_FOR.get(quoted[1], quoted[1])}”", _in_chinese(text)
        )
    }


def _in_chinese(text: str) -> str:
    found = translate(text) if text else None
    if found is None:
        raise unreadable(text)
    return found
