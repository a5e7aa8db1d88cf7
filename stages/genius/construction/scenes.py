"""What pictures of constructed cases show: things in colours and numbers, how they stand, and how the picture is made.

A field that is None is left open. What a scene says in words its painter, its judge and whoever reviews it read.
"""

from __future__ import annotations

import random
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

from pydantic import Field

from gamut.project.validation import Strict, read_yaml, validated

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


def describe_scene(scene: Scene, pool: Pool) -> str:
    """Return such as `two red cats to the left of a blue dog, made as a print, at night, under twin moons`."""
    named = [describe_things(things, pool) for things in scene.groups]
    clauses = [f" {RELATIONS[scene.relation] if scene.relation else 'and'} ".join(named)]
    clauses += [f"made as a {scene.style}"] if scene.style else []
    clauses += [f"at {scene.light}"] if scene.light else []
    clauses += [f"under {scene.wonder}"] if scene.wonder else []
    clauses += [f"in a {scene.mood} mood"] if scene.mood else []
    return ", ".join(clauses)


def describe_things(things: Things, pool: Pool) -> str:
    """Return things with their number and colour: `two red cats`, `an orange`."""
    noun = f"{things.colour} " * bool(things.colour) + (
        things.kind if things.number == 1 else pool.plurals[things.kind]
    )
    return f"{article(noun)} {noun}" if things.number == 1 else f"{NUMBERS[things.number]} {noun}"


def article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"
