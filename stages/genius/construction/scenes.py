"""What pictures of constructed cases show: things in colours and numbers, how they stand, and how the picture is made.

A field that is None is left open. What a scene says in words its painter, its judge and whoever reviews it read.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from stages.project.validation import Strict, read_yaml, validated

NUMBERS = ("zero", "one", "two", "three", "four", "five")
RELATIONS: Mapping[str, str] = {
    "left": "to the left of",
    "right": "to the right of",
    "above": "above",
    "below": "below",
}
"""How the first things of a scene stand to the second, in words."""
OPPOSITE: Mapping[str, str] = {"left": "right", "right": "left", "above": "below", "below": "above"}


class Pool(Strict):
    """What scenes are drawn from, as many of each at least as the rules take to draw a case with its other readings.

    `things`: by group, plurals by singular; `most`: of a kind in one picture.
    """

    things: dict[str, dict[str, str]]
    colours: list[str] = Field(min_length=8)
    relations: list[str] = Field(min_length=2)
    styles: list[str] = Field(min_length=4)
    lights: list[str] = Field(min_length=5)
    moods: list[str] = Field(min_length=5)
    wonders: list[str] = Field(min_length=4)
    most: Annotated[int, Field(ge=5, le=5)]

    @cached_property
    def plurals(self) -> Mapping[str, str]:
        return {one: many for group in self.things.values() for one, many in group.items()}

    def things_for(self, chance: random.Random, count: int) -> list[Things]:
        groups = chance.sample(list(self.things.values()), count)
        colours = chance.sample(self.colours, count)
        return [Things(chance.choice(list(group)), colour) for group, colour in zip(groups, colours, strict=True)]


class Things(NamedTuple):
    """So many things of one kind, which is named in the singular, and one colour; None: not said."""

    kind: str
    colour: str | None = None
    number: int = 1


class Scene(NamedTuple):
    """What a picture shows: one or two groups of things; `relation`: how the first stands to the second."""

    groups: tuple[Things, ...]
    relation: str | None = None
    style: str | None = None
    light: str | None = None
    mood: str | None = None
    wonder: str | None = None


def read_pool(path: Path) -> Pool:
    return validated(Pool, read_yaml(path), path)


def in_words(scene: Scene, pool: Pool) -> str:
    """Return such as `two red cats to the left of a blue dog, made as a print, at night, under twin moons`."""
    named = [thing_in_words(things, pool) for things in scene.groups]
    clauses = [f" {RELATIONS[scene.relation] if scene.relation else 'and'} ".join(named)]
    clauses += [f"made as a {scene.style}"] if scene.style else []
    clauses += [f"at {scene.light}"] if scene.light else []
    clauses += [f"under {scene.wonder}"] if scene.wonder else []
    clauses += [f"in a {scene.mood} mood"] if scene.mood else []
    return ", ".join(clauses)


def thing_in_words(things: Things, pool: Pool) -> str:
    """Return things with their number and colour: `two red cats`, `an orange`."""
    noun = f"{things.colour} " * bool(things.colour) + (
        things.kind if things.number == 1 else pool.plurals[things.kind]
    )
    return f"{article(noun)} {noun}" if things.number == 1 else f"{NUMBERS[things.number]} {noun}"


def read(text: str, pool: Pool) -> Scene | None:
    """Return the scene that words of `in_words` say, with clauses in whatever order; None for any other words."""
    told, *clauses = text.split(", ")
    joints = {words: relation for relation, words in RELATIONS.items()} | {"and": None}
    match = re.fullmatch(f"(.+?)(?: ({_any_of(joints)}) (.+))?", told)
    groups = [things_read(part, pool) for part in (match[1], match[3]) if part] if match else []
    values = {
        "style": ("made as a {}", pool.styles),
        "light": ("at {}", pool.lights),
        "wonder": ("under {}", pool.wonders),
        "mood": ("in a {} mood", pool.moods),
    }
    known = {form.format(value): (name, value) for name, (form, named) in values.items() for value in named}
    said = dict(known[clause] for clause in clauses if clause in known)
    if match is None or None in groups or len(said) < len(clauses):
        return None
    return Scene(tuple(group for group in groups if group), joints.get(match[2]), **said)


def things_read(text: str, pool: Pool) -> Things | None:
    """Return the things that words of `thing_in_words` say; None for any other words."""
    numbers = {word: number for number, word in enumerate(NUMBERS)} | {"a": 1, "an": 1}
    match = re.fullmatch(rf"({_any_of(numbers)}) (?:({_any_of(pool.colours)}) )?(.+)", text)
    if match is None:
        return None
    number = numbers[match[1]]
    kinds = {(one if number == 1 else many): one for one, many in pool.plurals.items()}
    return Things(kinds[match[3]], match[2], number) if match[3] in kinds else None


def _any_of(words: Iterable[str]) -> str:
    return "|".join(sorted(map(re.escape, words), key=len, reverse=True))


def article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


def canonical(scene: Scene) -> Scene:
    """Return the same scene with `left` or `above`: A to the right of B is B to the left of A."""
    if scene.relation in ("right", "below"):
        return scene._replace(groups=scene.groups[::-1], relation=OPPOSITE[scene.relation])
    return scene


def compatible(one: Scene, other: Scene) -> bool:
    """Return whether one picture could show both: neither says anything that the other one rules out."""
    one, other = canonical(one), canonical(other)
    if len(one.groups) != len(other.groups):
        return False
    orders = [other.groups] if one.relation and other.relation else [other.groups, other.groups[::-1]]
    said = zip(one[1:], other[1:], strict=True)
    return all(None in pair or pair[0] == pair[1] for pair in said) and any(
        all(_fits(first, second) or _fits(second, first) for first, second in zip(one.groups, order, strict=True))
        for order in orders
    )


def _fits(wanted: Things, shown: Things) -> bool:
    return (wanted.kind, wanted.number) == (shown.kind, shown.number) and wanted.colour in (None, shown.colour)
