"""Two kinds of things in one picture, whose numbers have to be exchanged. A detector counts what is there (2.2)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field, model_validator

from gamut.evaluation.construction.drawing import distinct_cases
from gamut.project.validation import Strict, read_checked, require_once
from stages.gapeval.construction.cases import Prompts

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
Name = Annotated[str, Field(pattern=r"^\S+( \S+)*$")]
Group = Annotated[dict[Name, Name], Field(min_length=1)]


class Countable(Strict):
    """Things that can be counted, `most` of a kind in one picture. `things`: by group, plurals by singular. The two
    kinds in a picture have different groups, so that no detector confuses them.
    """

    most: Annotated[int, Field(ge=2, le=12)]
    things: Annotated[dict[str, Group], Field(min_length=2)]

    @model_validator(mode="after")
    def _nothing_twice(self) -> Countable:
        require_once(name for group in self.things.values() for name in group)
        return self

    @property
    def plurals(self) -> Mapping[str, str]:
        return {one: many for group in self.things.values() for one, many in group.items()}


class Amount(NamedTuple):
    """A number of things of a kind, which is named in the singular."""

    thing: str
    number: int


Pair = tuple[Amount, Amount]
"""The content of a picture: two kinds of things, in different numbers."""


def read_countable(folder: Path) -> Countable:
    return read_checked(Countable, folder / "countable.yaml")


def draw_pairs(seed: int, count: int, pool: Countable) -> Iterator[Pair]:
    def draw(chance: random.Random) -> Pair:
        groups = chance.sample(list(pool.things), 2)
        one, other = (chance.choice(list(pool.things[group])) for group in groups)
        first, second = chance.sample(range(1, pool.most + 1), 2)
        return Amount(one, first), Amount(other, second)

    return distinct_cases("numbers", seed, count, draw, frozenset)


def exchange_numbers(pair: Pair) -> Pair:
    """Return the right answer: both kinds in their order, each with the number of the other."""
    one, other = pair
    return Amount(one.thing, other.number), Amount(other.thing, one.number)


def pair_text(pair: Pair, plurals: Mapping[str, str]) -> str:
    """Return a pair in words: "Two ducks and three cars."."""
    words = " and ".join(f"{WORDS[n]} {thing if n == 1 else plurals[thing]}" for thing, n in pair)
    return f"{words.capitalize()}."


def pair_prompts(pair: Pair, plurals: Mapping[str, str]) -> Prompts:
    """Return a pair as a case. Neither prompt states the numbers."""
    one, other = (plurals[amount.thing] for amount in pair)
    image = f"an image with as many {one} as this one has {other}, and as many {other} as it has {one}"
    question = f"How many {one} and {other} are there in {image}?"
    return Prompts(question, f"Generate {image}.", pair_text(exchange_numbers(pair), plurals))


def count_pair(labels: Sequence[str], pair: Pair) -> Pair:
    """Return how many of both kinds a detector found, by its labels."""
    found = Counter(labels)
    one, other = pair
    return Amount(one.thing, found[one.thing]), Amount(other.thing, found[other.thing])


def pair_mistake(pair: Pair, most: int) -> str | None:
    one, other = pair
    for thing, count in pair:
        if not count:
            return f"no {thing} was found"
        if count > most:
            return f"{count} of {thing!r} were found, at most {most} can be asked for"
    return f"as many of {one.thing!r} as of {other.thing!r} were found" if one.number == other.number else None
