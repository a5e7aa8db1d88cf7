"""Texts that are at odds: each names a colour, number, time of day or lettering that the other does not.

Such two are hardly the same test, however alike they are otherwise. Two texts of which one alone names more are not at
odds: it may add what is beside the point. Other words for a colour, and numbers of one, are not known here.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Named = NDArray[np.int64]
"""What texts name, shape (texts, 4): a bit for each colour, number, time of day and, by their hashes, lettering."""

COLOURS = (
    "red|crimson|scarlet|红色",
    "orange|橙色",
    "yellow|黄色",
    "green|绿色",
    "blue|蓝色",
    "purple|violet|紫色",
    "pink|粉色",
    "brown|棕色|褐色",
    "black|黑色",
    "white|白色",
    "gr[ae]y|灰色",
)
CLASSIFIER = "[只个艘把座朵棵架辆头条匹支本顶盏台块件片双位名颗张]"
NUMBERS = ("two|[两二]", "three|三", "four|四", "five|五", "six|六", "seven|七", "eight|八", "nine|九", "ten|十")
TIMES = ("dawn|sunrise|黎明", "noon|midday|正午", "sunset|dusk|twilight|黄昏|日落", "night|midnight|夜晚")
LETTERING = re.compile('["“「]([^"“”「」]+)["”」]')
BITS = 63


def pattern(words: Sequence[str], classifier: str = "") -> re.Pattern[str]:
    """One group a word; English ones stand alone, Chinese numbers before a classifier."""
    found = []
    for some in words:
        english, chinese = (
            "|".join(part for part in some.split("|") if part.isascii() == ascii_) for ascii_ in (True, False)
        )
        found.append(rf"(\b(?:{english})\b|(?:{chinese}){classifier})")
    return re.compile("|".join(found))


KINDS = (pattern(COLOURS), pattern(NUMBERS, CLASSIFIER), pattern(TIMES))


def named(texts: Sequence[str]) -> Named:
    return np.array([[*_words(text.lower()), _lettering(text.lower())] for text in texts], np.int64).reshape(-1, 4)


def _words(text: str) -> list[int]:
    return [_bits(found.lastindex or 0 for found in kind.finditer(text)) for kind in KINDS]


def _lettering(text: str) -> int:
    return _bits(crc32(said.encode()) % BITS for said in LETTERING.findall(text))


def _bits(places: Iterable[int]) -> int:
    return sum(1 << place for place in set(places))


def at_odds(one: Named, others: Named) -> NDArray[np.bool_]:
    """Return which of others' texts are at odds with one text, shape (4,)."""
    return (((one & ~others) != 0) & ((others & ~one) != 0)).any(axis=1)
