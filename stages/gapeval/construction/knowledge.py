"""Entities that are meant and not named (section 2.2, World Knowledge): a pool of them in six domains, and how they are
asked for.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Literal, get_args

from pydantic import Field, model_validator

from stages.gapeval.construction.cases import Prompts
from stages.project.validation import Strict, read_yaml, validated

Domain = Literal["animals", "plants", "landmarks", "instruments", "literature", "culture"]
DOMAINS: tuple[Domain, ...] = get_args(Domain)
Words = Annotated[str, Field(pattern=r"^[^\s.]+( [^\s.]+)*$")]
"""Words of one sentence, without its full stop."""
PLAIN = {"a", "an", "the", "and", "or", "of", "in", "on", "at", "by", "for", "from", "to", "with", "de", "la", "le"}
"""Words of names that name nothing."""


class Entity(Strict):
    """An entity. `name`: what is right in words; `names`: what is right too. `meant`: a noun phrase, with its article,
    that means it alone and has no word of its names. `shown`: what its picture is painted of, where a name is no
    picture, such as that of a book; else `name`.
    """

    name: Words
    names: list[Words] = Field(default_factory=list)
    meant: Words
    shown: Words | None = None

    @model_validator(mode="after")
    def _is_not_named(self) -> Entity:
        if word := named_in(self.meant, [self.name, *self.names]):
            raise ValueError(f"{word!r} is a word of its name: `meant` does without")
        return self

    @property
    def painted(self) -> str:
        return self.shown or self.name


class Pool(Strict):
    """Entities by domain; neither a name nor what means one stands there twice. A domain may be empty."""

    animals: list[Entity] = Field(default_factory=list)
    plants: list[Entity] = Field(default_factory=list)
    landmarks: list[Entity] = Field(default_factory=list)
    instruments: list[Entity] = Field(default_factory=list)
    literature: list[Entity] = Field(default_factory=list)
    culture: list[Entity] = Field(default_factory=list)

    @model_validator(mode="after")
    def _nothing_twice(self) -> Pool:
        texts = Counter(
            text.casefold() for _, one in self.listed() for text in {one.name, *one.names, one.meant, one.painted}
        )
        if twice := [text for text, times in texts.items() if times > 1]:
            raise ValueError(f"{twice[0]!r} stands there {texts[twice[0]]} times")
        return self

    def listed(self) -> Iterator[tuple[Domain, Entity]]:
        """Yield all entities with their domains, in order."""
        for domain in DOMAINS:
            yield from ((domain, entity) for entity in getattr(self, domain))


def read_pool(folder: Path) -> Pool:
    """Read the entities of a folder of pools; UserError for a file that is malformed."""
    path = folder / "knowledge.yaml"
    return validated(Pool, read_yaml(path), path)


def asked(entity: Entity) -> Prompts:
    """Return an entity as a case. Whatever else is right in words stands behind its name."""
    names = f"{entity.name[0].upper()}{entity.name[1:]}" + (f" ({', '.join(entity.names)})" if entity.names else "")
    return Prompts(f"Name {entity.meant}.", f"Generate an image of {entity.meant}.", f"{names}.")


def named_in(text: str, names: list[str]) -> str | None:
    """Return a word of the names that stands in a text, in one or in many; None where there is none."""
    said = set(words_of(text))
    said |= {word.removesuffix("s") for word in said} | {word.removesuffix("es") for word in said}
    for name in names:
        for word in words_of(name):
            if word not in PLAIN and {word, word.removesuffix("s")} & said:
                return word
    return None


def words_of(text: str) -> list[str]:
    return re.findall(r"\w+", text.casefold())
