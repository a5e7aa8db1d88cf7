"""Drawing by a seed: cases that differ, of which fewer are the first of more; the best of many texts by score; and the
letters of pictures that are drawn by rule.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Callable, Hashable, Iterator
from functools import cache
from typing import NamedTuple, TypeVar

from PIL import ImageFont

from gamut.project.errors import UserError
from gamut.project.pipeline import EDITIONS

Case = TypeVar("Case")
MOST_IN_VAIN = 2000
"""Draws one after the other that bring nothing new: then there is hardly anything left to be drawn."""


def distinct_cases(
    name: str, seed: int, count: int, draw: Callable[[random.Random], Case | None], sameness: Callable[[Case], Hashable]
) -> Iterator[Case]:
    """Draw so many cases, no two of the same `sameness`; UserError when nothing new has been drawn for long."""
    drawn: set[Hashable] = set()
    number, newest = 0, 0
    while len(drawn) < count:
        case = draw(random.Random(f"{name} {seed} {number}"))
        number += 1
        if case is not None and (same := sameness(case)) not in drawn:
            drawn.add(same)
            newest = number
            yield case
        elif number - newest >= MOST_IN_VAIN:
            raise UserError(
                f"{EDITIONS}: {name}: {count:,} cases are expected, but after {len(drawn):,} the next "
                f"{MOST_IN_VAIN:,} draws found no other: ask for fewer, or add entries to the pool"
            )


class RankedText(NamedTuple):
    """A text, the dataset row that it belongs to, and what ranks it: lower comes first."""

    score: int
    lot: bytes
    row: str
    text: str


class BestTexts:
    """The `count` texts of the highest scores; of equal texts the best one counts. `name` and `seed` draw the lots."""

    def __init__(self, count: int, seed: int, name: str) -> None:
        self.count, self.seed, self.name = count, seed, name
        self.pool: list[tuple[int, bytes, str, str]] = []

    def add(self, score: int, row: str, text: str) -> None:
        """Take a text into account. At most twice `count` are in memory."""
        lot = hashlib.sha256(f"{self.seed}:{self.name}:{row}".encode()).digest()
        self.pool.append((-score, lot, row, text))
        if len(self.pool) > 2 * self.count:
            self.pool = self._first()

    def ranked(self) -> list[RankedText]:
        return [RankedText(-negative, lot, row, text) for negative, lot, row, text in self._first()]

    def _first(self) -> list[tuple[int, bytes, str, str]]:
        by_text: dict[str, tuple[int, bytes, str, str]] = {}
        for entry in sorted(self.pool):
            by_text.setdefault(entry[-1], entry)
        return list(by_text.values())[: self.count]


@cache
def font_of(size: float) -> ImageFont.FreeTypeFont:
    """Return the font that Pillow carries, of a size in pixels, whose letters are set alike on every machine."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)  # the other one is not on every machine
