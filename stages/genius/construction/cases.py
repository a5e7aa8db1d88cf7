"""Cases: a context that lays down a rule, an instruction, what their pictures show, and what is right by the rule.

Texts say which picture counts and pictures what it stands for: without either a case cannot be solved (section 2.2).
What a scene says in words its painter, its judge and whoever reviews it read; a field of it that is None is left open.
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

    @property
    def ways(self) -> list[str]:
        """Return how one thing may stand to another, seen from the first."""
        return [way for relation in self.relations for way in (relation, OPPOSITE[relation])]

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
"""What of a picture has to stay: hints for visual consistency."""
PEOPLE = ("Ana", "Ben", "Cleo", "Dan", "Eva", "Finn", "Gita", "Hugo")
"""Whom a context tells of."""


class Case(NamedTuple):
    """A case. `context` and `prompt`, which is one sentence, name pictures as `<image:NAME>`.

    `pictures`: what each shows, in the order in which they are named. `right_scene`: what a right picture shows, and
    nothing that the rule leaves open. `wrong_scenes`: three, none of which is right, the wrong options of a probe: what
    other readings of the same context would come to, first of all those that cannot be told from the right one by half
    of the context. How the four are alike says nothing of which is right. `text_rule`: the rule in words that need no
    picture; `picture_rule`: the same beside the pictures, which it names. `unchanged`: of `STAYS_AS_IT_IS`, with the
    picture that it is about. `absent`: kinds of things that must not be there.
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
"""How cases of a sub-task are drawn; None where what was drawn comes to nothing."""


def hints_of(case: Case, pool: Pool) -> dict[str, str]:
    """Return what a right picture shows, and the rule and what it comes to, in words alone and beside the pictures."""
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
    """Return a case as a row; its pictures are called `input_1` and so on."""
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
