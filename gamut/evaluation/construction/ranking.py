"""The best of many texts by score, in bounded memory. Among equal scores a seeded hash decides, never their order."""

from __future__ import annotations

import hashlib
from typing import NamedTuple


class Ranked(NamedTuple):
    """A text, the dataset row that it belongs to, and what ranks it: lower comes first."""

    score: int
    lot: bytes
    row: str
    text: str


class Best:
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

    def ranked(self) -> list[Ranked]:
        return [Ranked(-negative, lot, row, text) for negative, lot, row, text in self._first()]

    def _first(self) -> list[tuple[int, bytes, str, str]]:
        by_text: dict[str, tuple[int, bytes, str, str]] = {}
        for entry in sorted(self.pool):
            by_text.setdefault(entry[-1], entry)
        return list(by_text.values())[: self.count]
