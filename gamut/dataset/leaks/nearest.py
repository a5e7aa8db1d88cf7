"""Which items' texts lie nearest to the texts of a picture, by their embeddings, and which are at odds with them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Traits = NDArray[np.int64]
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
Vectors = NDArray[np.float32]
"""Embeddings, shape (texts, dimensions)."""
DIGITS = 4
"""Of a similarity: what lies behind them differs with the order in which a processor adds up."""


def pattern_of_words(words: Sequence[str], classifier: str = "") -> re.Pattern[str]:
    """One group a word; English ones stand alone, Chinese numbers before a classifier."""
    found = []
    for some in words:
        english, chinese = ("|".join(w for w in some.split("|") if w.isascii() == latin) for latin in (True, False))
        found.append(rf"(\b(?:{english})\b|(?:{chinese}){classifier})")
    return re.compile("|".join(found))


KINDS = (pattern_of_words(COLOURS), pattern_of_words(NUMBERS, CLASSIFIER), pattern_of_words(TIMES))


def traits_of(texts: Sequence[str]) -> Traits:
    def bits(places: Iterable[int]) -> int:
        return sum(1 << place for place in set(places))

    rows = [
        [
            *(bits(found.lastindex or 0 for found in kind.finditer(text)) for kind in KINDS),
            bits(crc32(said.encode()) % BITS for said in LETTERING.findall(text)),
        ]
        for text in map(str.lower, texts)
    ]
    return np.array(rows, np.int64).reshape(-1, 4)


def at_odds(one: Traits, others: Traits) -> NDArray[np.bool_]:
    """Return which of others' texts are at odds with one text, shape (4,)."""
    return (((one & ~others) != 0) & ((others & ~one) != 0)).any(axis=1)


class Near(NamedTuple):
    """A text and one of an item, the nearest of both, by their places, and the cosine of their embeddings, -1..1."""

    text: int
    item_text: int
    similarity: float


@dataclass(frozen=True)
class ItemEmbeddings:
    """Embeddings of items' texts, of length 1, those of one item in a row: `starts` are the places where items begin,
    `numbers` what each text is called elsewhere.
    """

    vectors: Vectors
    starts: NDArray[np.int64]
    numbers: Sequence[int]

    @cached_property
    def bounds(self) -> list[tuple[int, int]]:
        return list(pairwise([*self.starts.tolist(), len(self.vectors)]))


def embeddings_of(
    vectors: Sequence[Sequence[float]], owners: Sequence[Hashable], numbers: Sequence[int]
) -> ItemEmbeddings:
    """`owners` names the item of each."""
    starts = [place for place, owner in enumerate(owners) if not place or owner != owners[place - 1]]
    return ItemEmbeddings(with_length_1(np.array(vectors, np.float32)), np.array(starts, np.int64), numbers)


def with_length_1(vectors: Vectors) -> Vectors:
    """Embeddings of length 0 stay as they are."""
    if not vectors.size:
        return np.zeros((len(vectors), 0), np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def nearest_items(
    vectors: Vectors, items: ItemEmbeddings, most: int, but: NDArray[np.bool_] | None = None
) -> list[Near]:
    """Return at most `most` items that lie nearest to any of some texts, the nearest first, each with the two texts
    that are nearest; of equal ones the first. `but`: which of the items' texts are passed over. Similarity 0 and less
    is none.
    """
    if not len(vectors) or not len(items.starts) or vectors.shape[1] != items.vectors.shape[1]:
        return []
    similarity = with_length_1(vectors) @ items.vectors.T
    if but is not None:
        similarity[:, but] = 0
    by_item = np.round(np.maximum.reduceat(similarity, items.starts, axis=1), DIGITS)
    nearest_texts, values = by_item.argmax(axis=0), by_item.max(axis=0)
    if len(values) > most:
        least = np.partition(values, len(values) - most)[len(values) - most]
        places = np.flatnonzero(values >= max(least, 1e-6))
    else:
        places = np.flatnonzero(values > 0)
    places = places[np.argsort(-values[places], kind="stable")][:most]
    found = []
    for item, text, value in zip(places.tolist(), nearest_texts[places].tolist(), values[places].tolist(), strict=True):
        start, end = items.bounds[item]
        own = start if end - start == 1 else start + int(similarity[text, start:end].argmax())
        found.append(Near(text, items.numbers[own], round(value, DIGITS)))
    return found
