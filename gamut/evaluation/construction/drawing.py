"""Drawing cases by a seed: the same seed, the same cases; none twice; fewer are the first of more."""

from __future__ import annotations

import random
from collections.abc import Callable, Hashable, Iterator
from typing import TypeVar

Case = TypeVar("Case")
MOST_IN_VAIN = 2000
"""Draws one after the other that bring nothing new: then there is hardly anything left to be drawn."""


def distinct(
    name: str, seed: int, count: int, draw: Callable[[random.Random], Case | None], sameness: Callable[[Case], Hashable]
) -> Iterator[Case]:
    """Draw so many cases, no two of the same `sameness`; ValueError when nothing new has been drawn for long."""
    seen: set[Hashable] = set()
    number, newest = 0, 0
    while len(seen) < count:
        case = draw(random.Random(f"{name} {seed} {number}"))
        number += 1
        if case is not None and (same := sameness(case)) not in seen:
            seen.add(same)
            newest = number
            yield case
        elif number - newest >= MOST_IN_VAIN:
            raise ValueError(
                f"{name}: {count:,} cases are wanted, after {len(seen):,} of them "
                f"{MOST_IN_VAIN:,} draws brought no other: want fewer, or widen what is drawn from"
            )
