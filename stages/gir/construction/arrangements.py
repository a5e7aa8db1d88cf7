"""Facts about where things are, each in a place of its own in rows and columns, and all arrangements they allow."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import permutations
from typing import NamedTuple

Place = tuple[int, int]
"""Row and column, from 0."""
Arrangement = tuple[Place, ...]
"""The place of every thing, in the order of the things."""


class Layout(NamedTuple):
    """So many places, one for every thing."""

    rows: int
    columns: int

    @property
    def places(self) -> Arrangement:
        """Return all places, row by row."""
        return tuple((row, column) for row in range(self.rows) for column in range(self.columns))


class Kind(NamedTuple):
    """What a fact says of the places of so many things, and in which layouts it says something."""

    things: int
    holds: Callable[..., bool]
    applies: Callable[[Layout], bool]


class Fact(NamedTuple):
    """A kind of fact, and the things that it is about, by their number."""

    kind: str
    things: tuple[int, ...]

    def holds(self, arrangement: Arrangement) -> bool:
        """Return whether it is so in an arrangement."""
        return KINDS[self.kind].holds(*(arrangement[thing] for thing in self.things))


def wide(layout: Layout) -> bool:
    """Return whether things can stand left of each other."""
    return layout.columns > 1


def high(layout: Layout) -> bool:
    """Return whether things can stand above each other."""
    return layout.rows > 1


def long_line(layout: Layout) -> bool:
    """Return whether there are a middle and two ends."""
    return min(layout) == 1 and max(layout) > 2


KINDS: Mapping[str, Kind] = {
    "left": Kind(2, lambda a, b: a[1] < b[1], wide),
    "right": Kind(2, lambda a, b: a[1] > b[1], wide),
    "above": Kind(2, lambda a, b: a[0] < b[0], high),
    "below": Kind(2, lambda a, b: a[0] > b[0], high),
    "next_left": Kind(2, lambda a, b: (a[0], a[1] + 1) == b, wide),
    "next_above": Kind(2, lambda a, b: (a[0] + 1, a[1]) == b, high),
    "not_left": Kind(2, lambda a, b: a[1] >= b[1], wide),
    "not_above": Kind(2, lambda a, b: a[0] >= b[0], high),
    "leftmost": Kind(1, lambda a: a[1] == 0, wide),
    "topmost": Kind(1, lambda a: a[0] == 0, high),
    "between": Kind(3, lambda a, b, c: b < a < c or c < a < b, long_line),
    "apart": Kind(2, lambda a, b: abs(a[0] - b[0]) + abs(a[1] - b[1]) > 1, long_line),
}
"""By the name of their sentence."""


def true_facts(layout: Layout, arrangement: Arrangement) -> list[Fact]:
    """List all that can be said of an arrangement."""
    numbers = range(len(arrangement))
    possible = (
        Fact(name, things)
        for name, kind in KINDS.items()
        if kind.applies(layout)
        for things in permutations(numbers, kind.things)
    )
    return [fact for fact in possible if fact.holds(arrangement)]


def allowed(layout: Layout, facts: Iterable[Fact]) -> Iterator[Arrangement]:
    """Yield every arrangement in which all facts hold."""
    facts = list(facts)
    return (found for found in permutations(layout.places) if all(fact.holds(found) for fact in facts))


def needed(layout: Layout, facts: Iterable[Fact]) -> list[Fact]:
    """Take of true facts the first that allow one arrangement alone, and of those none that could be left out."""
    left = list(permutations(layout.places))
    chosen: list[Fact] = []
    for fact in facts:
        fewer = [arrangement for arrangement in left if fact.holds(arrangement)]
        if len(fewer) < len(left):
            left = fewer
            chosen.append(fact)
    for fact in chosen[:-1]:
        without = [other for other in chosen if other != fact]
        chosen = without if len(list(allowed(layout, without))) == 1 else chosen
    return chosen
