"""Curated prompts before they are written: the elements of each, and the check that a prompt has them all.

FLUX-Reason-6M and PRISM-Bench, section 3.1, "Category-Specific Prompt Construction". Long text is not drawn.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from itertools import chain
from math import comb, prod
from pathlib import Path
from typing import Annotated, NamedTuple

from numpy.random import Generator, default_rng
from pydantic import Field, model_validator

from gamut.project.validation import Strict, read_checked

FEWEST_OBJECTS = 2
ATTRIBUTES = ("quantity", "size", "pattern", "colour", "material")
MOST_ATTRIBUTES = 3
"""Most attributes of one object; it has at least one."""

Elements = tuple[tuple[str, str], ...]
"""(role, text) pairs, such as ("style", "Impressionism")."""
MaybeEmpty = list[Annotated[str, Field(pattern=r"^\S+( \S+)*$")]]
Pool = Annotated[MaybeEmpty, Field(min_length=1)]
ByFamily = Annotated[dict[str, Pool], Field(min_length=1)]
ByIntensity = Annotated[dict[str, Annotated[Pool, Field(min_length=3, max_length=3)]], Field(min_length=1)]
"""Plutchik's emotions by the basic one, each in its mild, basic and strong form."""


class Pools(Strict):
    """A draw has one element of each pool, those of the first pool equally often. An empty pool is skipped."""

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
        return prod(map(len, self.elements()))

    def deal(self, chance: Generator) -> Iterator[Elements]:
        """Yield draws without end. A draw may repeat another one, or an element within itself."""
        firsts, *others = [_shuffled(chance, pool) for pool in self.elements()]
        seen: set[Elements] = set()
        for first in firsts:
            while (drawn := (first, *map(next, others))) in seen:
                pass
            seen.add(drawn)
            yield drawn

    @model_validator(mode="after")
    def no_element_twice(self) -> Pools:
        [(text, times)] = Counter(text.casefold() for _, text in chain(*self.elements())).most_common(1)
        if times > 1:
            raise ValueError(f"{text!r} occurs {times} times")
        return self


class Families(Pools):
    """Imaginative concepts, or entities: one to `at_most` in a draw, with the family of each drawn separately."""

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
    content: Pool
    font: MaybeEmpty
    surface: Pool


class Styles(Pools):
    style: ByFamily
    subject: Pool


class Emotions(Pools):
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
        """Return the number of draws of two objects with a colour each. With other attributes there are more."""
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
    """Yield a pool like a shuffled deck, again and again: no element repeats before all others were used."""
    while True:
        yield from (pool[number] for number in chance.permutation(len(pool)))


FOLDER = Path(__file__).parents[1] / "pools"
CONTENT = "content"
"""The role of the words to write in the picture."""
QUOTES = (('"', '"'), ("'", "'"), ("「", "」"), ("『", "』"), ("«", "»"))
STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')
SPACED = str.maketrans("-‐‑", "   ")


class Sample(NamedTuple):
    """The elements of one curated prompt of a track. `number` counts from 0."""

    track: str
    number: int
    elements: Elements


@cache
def pools(track: str, folder: Path = FOLDER) -> Pools:
    return read_checked(TRACKS[track], folder / f"{track}.yaml")


def draw_samples(track: str, count: int, seed: int, folder: Path = FOLDER) -> list[Sample]:
    """Draw the elements of `count` prompts of a track, no two with the same elements. A smaller count is the beginning
    of a larger one.

    Pools are used like shuffled decks: no element repeats before all others of its pool were used. So in 50 draws each
    of 25 styles occurs twice, and each of 24 emotions twice in the first 48; the seed draws the emotions of the last
    two. A composition reads in order: an object's attributes come before it, its relation to the next object after it.
    ValueError for more draws than are possible.
    """
    possible = pools(track, folder).possible()
    if not 0 <= count <= possible:
        raise ValueError(f"{track}: {count:,} draws are expected, the pools allow 0 to {possible:,}")
    dealt = pools(track, folder).deal(default_rng([seed, *track.encode()]))
    found: dict[frozenset[tuple[str, str]], Elements] = {}
    while len(found) < count:
        elements = next(dealt)
        different = frozenset(elements)
        if len(different) == len(elements):
            found.setdefault(different, elements)
    return [Sample(track, number, elements) for number, elements in enumerate(found.values())]


def missing(draw: Sample, prompt: str) -> list[str]:
    """List the drawn elements that do not occur in a prompt composed of them.

    Words to write must be in quotation marks of any kind, alone and letter by letter; a comma or full stop that is not
    part of them belongs after the mark. All other elements must occur as whole words in order, ignoring case. Each word
    may have an extra plural -s or -es, an article in front is ignored, and a hyphen is a space. In both cases all white
    space is one space, and curly quotation marks and apostrophes are straight.
    """
    return [text for role, text in draw.elements if not _occurs(role, text, prompt)]


def _occurs(role: str, text: str, prompt: str) -> bool:
    text, prompt = " ".join(text.translate(STRAIGHT).split()), " ".join(prompt.translate(STRAIGHT).split())
    if role == CONTENT:
        return any(opening + text + closing in prompt for opening, closing in QUOTES)
    text = re.sub(r"^(an?|the) ", "", text, flags=re.IGNORECASE)
    words = " ".join(re.escape(word) + "(?:e?s)?" for word in text.translate(SPACED).split())
    return re.search(rf"(?<!\w){words}(?!\w)", " ".join(prompt.translate(SPACED).split()), re.IGNORECASE) is not None
