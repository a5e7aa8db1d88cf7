"""Drawing by a seed: distinct cases, where a smaller number is the beginning of a larger one; the best of many texts by
score; and the font of drawn pictures.
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
"""Draws in a row without anything new, after which there is hardly anything left to draw."""


def distinct_cases(
    name: str, seed: int, count: int, draw: Callable[[random.Random], Case | None], sameness: Callable[[Case], Hashable]
) -> Iterator[Case]:
    """Draw `count` cases, no two with the same `sameness`. UserError after `MOST_IN_VAIN` draws without a new one."""
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
    """A text, its dataset row, and its ranking key: a lower one comes first."""

    score: int
    lot: bytes
    row: str
    text: str


class BestTexts:
    """The `count` texts with the highest scores. Of equal texts the best one counts. `name` and `seed` decide ties."""

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
    """Return the font that Pillow includes, of a size in pixels. Its letters are the same on every machine."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)  # not every machine has the other engine
