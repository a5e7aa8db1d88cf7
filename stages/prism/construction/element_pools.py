"""The pools of elements that curated prompts are composed of, and how each track deals from its own.

FLUX-Reason-6M and PRISM-Bench, section 3.1, "Category-Specific Prompt Construction". The paper names the categories and
a few examples; what stands in `pools/` is this project's own.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import chain
from math import comb, prod
from typing import Annotated

from numpy.random import Generator
from pydantic import Field, model_validator

from stages.project.validation import Strict

FEWEST_OBJECTS = 2
ATTRIBUTES = ("quantity", "size", "pattern", "colour", "material")
MOST_ATTRIBUTES = 3
"""Attributes of one object, at least one."""

Elements = tuple[tuple[str, str], ...]
"""(role, text) pairs, such as ("style", "Impressionism")."""
MaybeEmpty = list[Annotated[str, Field(pattern=r"^\S+( \S+)*$")]]
Pool = Annotated[MaybeEmpty, Field(min_length=1)]
ByFamily = Annotated[dict[str, Pool], Field(min_length=1)]
ByIntensity = Annotated[dict[str, Annotated[Pool, Field(min_length=3, max_length=3)]], Field(min_length=1)]
"""Plutchik's emotions by the basic one, each in its mild, basic and strong form."""


class Pools(Strict):
    """A track's pools: a draw has one element of each, and those of the first pool come equally often.

    A pool that is empty is not drawn from.
    """

    def elements(self) -> list[Elements]:
        """List the elements of each pool that has any, with their role, families one after the other."""
        found: list[Elements] = []
        for role, pool in self:
            if isinstance(pool, dict):
                pool = [*chain(*pool.values())]
            if isinstance(pool, list) and pool:
                found.append(tuple((role, text) for text in pool))
        return found

    def possible(self) -> int:
        """Return how many different draws there are."""
        return prod(map(len, self.elements()))

    def deal(self, chance: Generator) -> Iterator[Elements]:
        """Deal draws without end; may repeat one, or an element within one."""
        firsts, *others = [_shuffled(chance, pool) for pool in self.elements()]
        seen: set[Elements] = set()
        for first in firsts:
            while (drawn := (first, *map(next, others))) in seen:
                pass
            seen.add(drawn)
            yield drawn

    @model_validator(mode="after")
    def no_element_twice(self) -> Pools:
        """Refuse a text that stands in the file twice, whatever its case."""
        [(text, times)] = Counter(text.casefold() for _, text in chain(*self.elements())).most_common(1)
        if times > 1:
            raise ValueError(f"{text!r} stands there {times} times")
        return self


class Families(Pools):
    """Imaginative concepts, or entities: one to `at_most` in a draw, the family of each drawn anew."""

    at_most: Annotated[int, Field(ge=1)] = 3
    families: ByFamily

    def possible(self) -> int:
        return sum(comb(len(self.elements()[0]), together) for together in range(1, self.at_most + 1))

    def deal(self, chance: Generator) -> Iterator[Elements]:
        shuffled = [_shuffled(chance, tuple((family, text) for text in pool)) for family, pool in self.families.items()]
        while True:
            families = chance.integers(len(shuffled), size=chance.integers(1, self.at_most, endpoint=True))
            yield tuple(next(shuffled[family]) for family in families)


class Lettering(Pools):
    """What is written, how, and where."""

    content: Pool
    font: MaybeEmpty
    surface: Pool


class Styles(Pools):
    """Styles by family, and what is to be seen in each of them."""

    style: ByFamily
    subject: Pool


class Emotions(Pools):
    """Plutchik's emotions; who may feel them, and where."""

    emotion: ByIntensity
    person: Pool
    setting: Pool


class Composition(Pools):
    """Two to `at_most` objects, each after one to three of its attributes, and between two objects their relation."""

    at_most: Annotated[int, Field(ge=FEWEST_OBJECTS)] = 4
    quantity: Pool
    size: MaybeEmpty
    pattern: MaybeEmpty
    colour: Pool
    material: MaybeEmpty
    object: Pool
    relation: Pool

    def possible(self) -> int:
        """Return how many there are of two objects with a colour each; with all other attributes there are far more."""
        return comb(len(self.object), 2) * comb(len(self.colour), 2) * len(self.relation)

    def deal(self, chance: Generator) -> Iterator[Elements]:
        shuffled = {pool[0][0]: _shuffled(chance, pool) for pool in self.elements()}
        attributes = [role for role in ATTRIBUTES if role in shuffled]
        while True:
            roles: list[str] = []
            for _ in range(chance.integers(FEWEST_OBJECTS, self.at_most, endpoint=True)):
                some = chance.permutation(len(attributes))[: chance.integers(1, MOST_ATTRIBUTES, endpoint=True)]
                roles += ["relation"] * bool(roles) + [attributes[number] for number in sorted(some)] + ["object"]
            yield tuple(next(shuffled[role]) for role in roles)


TRACKS: dict[str, type[Pools]] = {
    "imagination": Families,
    "entity": Families,
    "text_rendering": Lettering,
    "style": Styles,
    "affection": Emotions,
    "composition": Composition,
}


def _shuffled(chance: Generator, pool: Elements) -> Iterator[tuple[str, str]]:
    """Deal a pool like shuffled cards, again and again: no element comes again before all others have come."""
    while True:
        yield from (pool[number] for number in chance.permutation(len(pool)))
