"""Facts about how many of some things there are: each an equation and what fills the slots of its sentence.

Every maker returns all that it can say of the things, or some of it, drawn.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from itertools import combinations, permutations
from typing import Annotated, NamedTuple

from pydantic import Field

from stages.gir.construction.words import Amount, Said, Slot
from stages.project.validation import Strict

MOST_TAKEN = 12
"""The largest number of things that have gone."""
MOST_SHARES = 6
MOST_OTHERS = 6
"""The largest number of other things of a kind whose parts are counted."""


class Part(Strict):
    """What things have a known number of, such as legs: its name in a sentence, and how many each kind of thing has."""

    name: Said
    of: Annotated[dict[str, Annotated[int, Field(ge=0)]], Field(min_length=2)]


class Fact(NamedTuple):
    """That the sum of weight times number, over the things that have one, is `total`."""

    weights: Mapping[str, int]
    total: int
    slots: Mapping[str, Slot]


Counts = Mapping[str, int]
Parts = Mapping[str, Part]


def parts(counts: Counts, known: Parts, chance: random.Random) -> list[Fact]:
    """Say how many parts of one sort the things have in all."""
    found = []
    for part in known.values():
        weights = {thing: part.of[thing] for thing in counts if thing in part.of}
        if total := sum(weight * counts[thing] for thing, weight in weights.items()):
            found.append(Fact(weights, total, {"things": list(weights), "total": total, "part": part.name}))
    return found


def number(counts: Counts, known: Parts, chance: random.Random) -> list[Fact]:
    """Say how many things there are in all."""
    total = sum(counts.values())
    slots: dict[str, Slot] = {"things": list(counts), "total": total}
    return [Fact(dict.fromkeys(counts, 1), total, slots)] if len(counts) > 1 else []


def more(counts: Counts, known: Parts, chance: random.Random) -> list[Fact]:
    """Say by how much one thing outnumbers another."""
    return [
        Fact({a: 1, b: -1}, counts[a] - counts[b], {"a": a, "b": b, "total": counts[a] - counts[b]})
        for a, b in permutations(counts, 2)
        if counts[a] > counts[b]
    ]


def alike(counts: Counts, known: Parts, chance: random.Random) -> list[Fact]:
    """Say that there are as many of one thing as of another."""
    return [Fact({a: 1, b: -1}, 0, {"a": a, "b": b}) for a, b in combinations(counts, 2) if counts[a] == counts[b]]


def times(counts: Counts, known: Parts, chance: random.Random) -> list[Fact]:
    """Say how many times as many there are of one thing as of another."""
    return [
        Fact({a: 1, b: -(counts[a] // counts[b])}, 0, {"a": a, "b": b, "times": counts[a] // counts[b]})
        for a, b in permutations(counts, 2)
        if counts[b] and counts[a] >= 2 * counts[b] and counts[a] % counts[b] == 0
    ]


def share(counts: Counts, known: Parts, chance: random.Random) -> list[Fact]:
    """Say of how many things those in the picture are one of some equal shares."""
    found = []
    for thing, count in counts.items():
        shares = chance.randint(2, MOST_SHARES)
        slots: dict[str, Slot] = {"a": thing, "times": shares, "amount": Amount(shares * count, thing)}
        if count:
            found.append(Fact({thing: shares}, shares * count, slots))
    return found


def gone(counts: Counts, known: Parts, chance: random.Random) -> list[Fact]:
    """Say how many there were, and how many of them have gone."""
    found = []
    for thing, count in counts.items():
        taken = chance.randint(2, MOST_TAKEN)
        slots: dict[str, Slot] = {"a": thing, "total": taken, "amount": Amount(count + taken, thing)}
        found.append(Fact({thing: 1}, count, slots))
    return found


def parts_of(counts: Counts, known: Parts, chance: random.Random) -> list[Fact]:
    """Say that things have as many parts as some others, which the picture does not show."""
    found = []
    for part in known.values():
        others = [thing for thing, has in part.of.items() if has and thing not in counts]
        for thing, count in counts.items():
            total = part.of.get(thing, 0) * count
            if total and len(others) > 1:
                a, b = chance.sample(others, 2)
                fitting = [
                    [Amount(n, a), Amount(rest // part.of[b], b)]
                    for n in range(1, MOST_OTHERS + 1)
                    if (rest := total - n * part.of[a]) > 0
                    and rest % part.of[b] == 0
                    and rest // part.of[b] <= MOST_OTHERS
                ]
                if fitting:
                    slots: dict[str, Slot] = {"a": thing, "part": part.name, "others": chance.choice(fitting)}
                    found.append(Fact({thing: part.of[thing]}, total, slots))
    return found


MAKERS: Mapping[str, Callable[[Counts, Parts, random.Random], list[Fact]]] = {
    make.__name__: make for make in (parts, number, more, alike, times, share, gone, parts_of)
}
"""By the name of their sentence."""
