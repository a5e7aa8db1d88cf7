"""Cases: a context that defines a rule, an instruction, the content of their pictures, and what is right by the rule.

Texts say which picture counts, and pictures what it means: a case cannot be solved without both (section 2.2). The
painter, the judge and reviewers read a scene in words. A field of it that is None is left open.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Annotated, NamedTuple

import orjson
from pydantic import Field

from gamut.project.validation import Strict, read_checked
from gamut.tables.columns import Row

NUMBERS = ("zero", "one", "two", "three", "four", "five")
RELATIONS: Mapping[str, str] = {
    "left": "to the left of",
    "right": "to the right of",
    "above": "above",
    "below": "below",
}
"""The position of the first things of a scene relative to the second, in words."""
OPPOSITE: Mapping[str, str] = {"left": "right", "right": "left", "above": "below", "below": "above"}


class Pool(Strict):
    """What scenes are drawn from, with enough of each for the rules to draw a case with its other readings.

    `things`: by group, plurals by singular. `most`: of a kind in one picture.
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

    @property
    def ways(self) -> list[str]:
        """Return how one thing may be placed to another, seen from the first."""
        return [way for relation in self.relations for way in (relation, OPPOSITE[relation])]

    def things_for(self, chance: random.Random, count: int) -> list[Things]:
        groups = chance.sample(list(self.things.values()), count)
        colours = chance.sample(self.colours, count)
        return [Things(chance.choice(list(group)), colour) for group, colour in zip(groups, colours, strict=True)]


class Things(NamedTuple):
    """A number of things of one kind, named in the singular, and one colour, None for any."""

    kind: str
    colour: str | None = None
    number: int = 1


class Scene(NamedTuple):
    """The content of a picture: one or two groups of things. `relation`: the place of the first to the second."""

    groups: tuple[Things, ...]
    relation: str | None = None
    style: str | None = None
    light: str | None = None
    mood: str | None = None
    wonder: str | None = None


def read_pool(path: Path) -> Pool:
    return read_checked(Pool, path)


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
    noun = f"{things.colour} " * bool(things.colour) + noun_of(things, pool)
    return f"{article(noun)} {noun}" if things.number == 1 else f"{NUMBERS[things.number]} {noun}"


def noun_of(things: Things, pool: Pool) -> str:
    return things.kind if things.number == 1 else pool.plurals[things.kind]


def article(noun: str) -> str:
    return "an" if noun[0] in "aeiou" else "a"


STAYS_AS_IT_IS: Mapping[str, str] = {
    "things": "The things in this picture stay as they are.",
    "kinds": "The kinds of things in this picture stay as they are.",
    "colours": "The colours in this picture stay as they are.",
    "number": "The number of things in this picture stays as it is.",
    "places": "The places of the things in this picture stay as they are.",
    "style": "The style of this picture stays as it is.",
    "light and mood": "The light and the mood of this picture stay as they are.",
}
"""What has to stay in a picture: hints for visual consistency."""
PEOPLE = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hugo")


class Case(NamedTuple):
    """A case. Its `context` and one-sentence `prompt` name pictures as `<image:NAME>`.

    * `pictures`: what each shows, in the order in which they are named.
    * `right_scene`: what a right picture shows, without what the rule leaves open.
    * `wrong_scenes`: three scenes that are not right, the wrong options of a probe: other readings of the same context,
      first those that half of the context cannot exclude. Similarities of the four do not show which is right.
    * `text_rule`: the rule in words without pictures. `picture_rule`: the same, naming pictures.
    * `unchanged`: of `STAYS_AS_IT_IS`, with its picture. `absent`: kinds of things that must not be there.
    """

    context: str
    prompt: str
    pictures: tuple[tuple[str, Scene], ...]
    right_scene: Scene
    wrong_scenes: tuple[Scene, ...]
    text_rule: str
    picture_rule: str
    unchanged: tuple[tuple[str, str], ...] = ()
    absent: tuple[str, ...] = ()


Rule = Callable[[random.Random, Pool], Case | None]
"""Draws cases of a sub-task; None if a draw does not give a case."""


def hints_of(case: Case, pool: Pool) -> dict[str, str]:
    """Return what a right picture shows, and the rule with its result, in words alone and with the pictures."""
    absent = "".join(f" There is no {kind} in it." for kind in case.absent)
    wanted = f"So what is wanted is {describe_scene(case.right_scene, pool)}."
    return {
        "rule_hint": f"{scene_sentence(case.right_scene, pool)}{absent}",
        "text_hint": f"{case.text_rule} {wanted}",
        "multimodal_hint": f"{case.picture_rule} {wanted}",
    }


def scene_sentence(scene: Scene, pool: Pool) -> str:
    return f"The picture shows {describe_scene(scene, pool)}."


def full_text(case: Case, pool: Pool) -> str:
    shown = " ".join(f"{name}: {describe_scene(scene, pool)}." for name, scene in case.pictures)
    return f"{case.context} {case.prompt} {shown}"


def row_of(row_id: str, case: Case, pool: Pool) -> Row:
    """Return a case as a row. Its pictures are called `input_1` and so on."""
    names = {name: f"input_{number}" for number, (name, _) in enumerate(case.pictures, start=1)}
    hints = [{"hint": STAYS_AS_IT_IS[what], "reference": names[name]} for what, name in case.unchanged]
    words = {"context": case.context, "prompt": case.prompt} | hints_of(case, pool)
    return {
        "id": row_id,
        "status": "ok",
        **{name: rename_pictures(text, names) for name, text in words.items()},
        "distractors": "\n".join(scene_sentence(scene, pool) for scene in case.wrong_scenes),
        "consistency_hints": orjson.dumps(hints).decode(),
        "pictures": [{"name": names[name], "shows": describe_scene(scene, pool)} for name, scene in case.pictures],
    }


def rename_pictures(text: str, names: dict[str, str]) -> str:
    for name, other in names.items():
        text = text.replace(f"<image:{name}>", f"<image:{other}>")
    return text
