"""Curated prompts before they are words: which elements each has to have, and the check that it has them all.

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
"""Attributes of one object, at least one."""

Elements = tuple[tuple[str, str], ...]
"""(role, text) pairs, such as ("style", "Impressionism")."""
MaybeEmpty = list[Annotated[str, Field(pattern=r"^\S+( \S+)*$")]]
Pool = Annotated[MaybeEmpty, Field(min_length=1)]
ByFamily = Annotated[dict[str, Pool], Field(min_length=1)]
ByIntensity = Annotated[dict[str, Annotated[Pool, Field(min_length=3, max_length=3)]], Field(min_length=1)]
"""Plutchik's emotions by the basic one, each in its mild, basic and strong form."""


class Pools(Strict):
    """A draw has one element of each pool, those of the first equally often; an empty pool is not drawn from."""

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
        [(text, times)] = Counter(text.casefold() for _, text in chain(*self.elements())).most_common(1)
        if times > 1:
            raise ValueError(f"{text!r} occurs {times} times")
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


FOLDER = Path(__file__).parents[1] / "pools"
CONTENT = "content"
"""The role of what is to be written in the picture."""
QUOTES = (('"', '"'), ("'", "'"), ("「", "」"), ("『", "』"), ("«", "»"))
STRAIGHT = str.maketrans("“”„‘’", '"""\'\'')
SPACED = str.maketrans("-‐‑", "   ")


class Sample(NamedTuple):
    """What one curated prompt of a track is composed of; `number` counts from 0."""

    track: str
    number: int
    elements: Elements


@cache
def pools(track: str, folder: Path = FOLDER) -> Pools:
    return read_checked(TRACKS[track], folder / f"{track}.yaml")


def draw_samples(track: str, count: int, seed: int, folder: Path = FOLDER) -> list[Sample]:
    """Draw what `count` prompts of a track are composed of, no two of the same elements; fewer are the first of more.

    Pools are dealt like shuffled cards: no element comes again before all others of its pool have come. So of 50 draws
    each of 25 styles has two, and each of 24 emotions has two, all in the first 48; the two emotions that come a third
    time, drawn by the seed, are those of the last two draws. A composition reads in order: the attributes of an object
    stand before it, its relation to the next object after it. ValueError for more draws than there are.
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

    What is to be written has to stand in quotation marks of any kind, with nothing else between them, letter by letter
    as it was drawn; a comma or full stop that is not part of it belongs after the quotation mark. All other elements
    have to occur as whole words in their order, whatever the case; each word may have a plural -s or -es more, an
    article in front counts for nothing, a hyphen is a space. In both, any white space is one space and curly quotation
    marks and apostrophes are straight.
    """
    return [text for role, text in draw.elements if not _occurs(role, text, prompt)]


def _occurs(role: str, text: str, prompt: str) -> bool:
    text, prompt = " ".join(text.translate(STRAIGHT).split()), " ".join(prompt.translate(STRAIGHT).split())
    if role == CONTENT:
        return any(opening + text + closing in prompt for opening, closing in QUOTES)
    text = re.sub(r"^(an?|the) ", "", text, flags=re.IGNORECASE)
    words = " ".join(re.escape(word) + "(?:e?s)?" for word in text.translate(SPACED).split())
    return re.search(rf"(?<!\w){words}(?!\w)", " ".join(prompt.translate(SPACED).split()), re.IGNORECASE) is not None
