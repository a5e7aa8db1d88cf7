"""Which items' texts are nearest to the texts of a picture, by their embeddings, and which are at odds with them."""

from __future__ import annotations

import re
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

Traits = NDArray[np.int64]
"""What texts name, shape (texts, 4): bits for colours, numbers, times of day and (by hash) lettering."""

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
    "gray|grey|灰色",
)
CLASSIFIER = "[只个艘把座朵棵架辆头条匹支本顶盏台块件片双位名颗张]"
NUMBERS = ("two|两|二", "three|三", "four|四", "five|五", "six|六", "seven|七", "eight|八", "nine|九", "ten|十")
TIMES = ("dawn|sunrise|黎明", "noon|midday|正午", "sunset|dusk|twilight|黄昏|日落", "night|midnight|夜晚")
KINDS = (COLOURS, NUMBERS, TIMES)
PLACES = {
    word: (kind, place)
    for kind, words in enumerate(KINDS)
    for place, some in enumerate(words)
    for word in some.split("|")
}
"""Where a word counts, as a kind and one of its bits."""
WORD = re.compile(r"\w+")
CHINESE = re.compile(
    "|".join(f"{word}(?={CLASSIFIER})" if word in "|".join(NUMBERS) else word for word in PLACES if not word.isascii())
)
"""Words within Chinese text: numbers before a classifier."""
LETTERING = re.compile('["“「]([^"“”「」]+)["”」]')
BITS = 63
Vectors = NDArray[np.float32]
"""Embeddings, shape (texts, dimensions)."""
NO_VECTORS: Vectors = np.zeros((0, 0), np.float32)
DIGITS = 4
"""Decimals of a similarity: further ones depend on the order in which a processor adds."""


def traits_of(texts: Sequence[str]) -> Traits:
    """Return what each text names; English words count only as whole words."""
    traits = np.zeros((len(texts), len(KINDS) + 1), np.int64)
    for row, text in zip(traits, map(str.lower, texts), strict=True):
        words = [word for word in WORD.findall(text) if word in PLACES and word.isascii()]
        for word in words if text.isascii() else [*words, *CHINESE.findall(text)]:
            kind, place = PLACES[word]
            row[kind] |= 1 << place
        for said in LETTERING.findall(text):
            row[-1] |= 1 << crc32(said.encode()) % BITS
    return traits


def at_odds(ones: Traits, others: Traits) -> NDArray[np.bool_]:
    """Return which texts of `others` are at odds with each of `ones`, shape (ones, others): in some kind each of the
    two names something that the other does not.
    """
    odd = np.zeros((len(ones), len(others)), np.bool_)
    for own, their in zip(ones.T[:, :, None], others.T[:, None], strict=True):
        common = own & their
        odd |= (own != common) & (their != common)
    return odd


class Near(NamedTuple):
    """The nearest pair of a text and an item's text, by their places, and the cosine of their embeddings, -1..1."""

    text: int
    item_text: int
    similarity: float


@dataclass(frozen=True)
class ItemEmbeddings:
    """Embeddings of items' texts, of length 1; those of one item are adjacent. `starts` are the places where items
    begin, `numbers` the numbers of the texts in their table.
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
    """Return embeddings with their items; `owners` names the item of each vector."""
    starts = [place for place, owner in enumerate(owners) if not place or owner != owners[place - 1]]
    return ItemEmbeddings(with_length_1(np.array(vectors, np.float32)), np.array(starts, np.int64), numbers)


def with_length_1(vectors: Vectors) -> Vectors:
    """Scale embeddings to length 1; those of length 0 stay as they are."""
    if not vectors.size:
        return np.zeros((len(vectors), 0), np.float32)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def nearest_items(
    vectors: Vectors, items: ItemEmbeddings, most: int, but: NDArray[np.bool_] | None = None
) -> list[Near]:
    """Like `nearest_of_each`, for one group of texts."""
    starts = np.zeros(min(1, len(vectors)), np.int64)
    return next(iter(nearest_of_each(vectors, starts, items, most, None if but is None else but[None])), [])


BLOCK = 1 << 22
"""How many similarities are in memory at a time."""


def nearest_of_each(
    vectors: Vectors,
    starts: NDArray[np.int64],
    items: ItemEmbeddings,
    most: int,
    but: NDArray[np.bool_] | None = None,
) -> list[list[Near]]:
    """Return for each group of texts the items that are nearest to any of its texts, at most `most`, the nearest first.
    Groups begin at `starts`. Each item comes with its nearest pair of texts; among equal ones the first counts. `but`
    marks items' texts that a group ignores. Items with similarity 0 or less are left out.
    """
    if not len(vectors) or not len(items.starts) or vectors.shape[1] != items.vectors.shape[1]:
        return [[] for _ in starts]
    ends, found, first = np.append(starts[1:], len(vectors)), list[list[Near]](), 0
    while first < len(starts):
        room = starts[first] + max(1, BLOCK // len(items.vectors))
        last = max(first + 1, int(np.searchsorted(ends, room, side="right")))
        block = slice(starts[first], ends[last - 1])
        passed_over = None if but is None else but[first:last]
        found += nearest_in_block(vectors[block], starts[first:last] - starts[first], items, most, passed_over)
        first = last
    return found


def nearest_in_block(
    vectors: Vectors, starts: NDArray[np.int64], items: ItemEmbeddings, most: int, but: NDArray[np.bool_] | None
) -> list[list[Near]]:
    similarity = with_length_1(vectors) @ items.vectors.T
    if but is not None:
        similarity[np.repeat(but, np.diff(starts, append=len(vectors)), axis=0)] = 0
    by_text = np.round(np.maximum.reduceat(similarity, items.starts, axis=1), DIGITS)
    values = np.maximum.reduceat(by_text, starts, axis=0)
    count = values.shape[1]
    order = np.rint(values * 10**DIGITS).astype(np.int64) * count - np.arange(count)  # of equal ones the first
    places = np.argpartition(-order, min(most, count) - 1, axis=1)[:, :most]
    places = np.take_along_axis(places, np.argsort(-np.take_along_axis(order, places, axis=1), axis=1), axis=1)
    groups, ranks = np.nonzero(np.take_along_axis(values, places, axis=1) > 0)
    ends, found = [*starts[1:].tolist(), len(vectors)], [list[Near]() for _ in starts]
    for group, item in zip(groups.tolist(), places[groups, ranks].tolist(), strict=True):
        begin, (start, end) = int(starts[group]), items.bounds[item]
        text = int(by_text[begin : ends[group], item].argmax())
        own = start if end - start == 1 else start + int(similarity[begin + text, start:end].argmax())
        found[group].append(Near(text, items.numbers[own], round(float(by_text[begin + text, item]), DIGITS)))
    return found
