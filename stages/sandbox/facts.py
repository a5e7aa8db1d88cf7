"""Single facts: that a thing is there, how many of it, its colour, how it stands to another, a look; where they hold.

Pictures show them, and texts say them: of one aspect a scene has one value, or none.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from . import vocabulary as v
from .looking import look
from .material import Parts, pictures_of, tellings, texts_of
from .scene import Group, Scene
from .statements import Statement, said_in, without_noise

Sort = Literal[
    "kind", "count", "colour", "relation", "lettering", "sign", "light", "style", "mood", "surreal", "truth", "which"
]
_LOOKS: tuple[Sort, ...] = ("lettering", "sign", "light", "style", "mood", "surreal")
Value = object
"""A number, a name of the vocabulary, whether something is so, which pictures; for a kind, that it is there."""


class Thing(NamedTuple):
    """Things of a kind, by their colour too where that tells them apart. `many`: a text speaks of several."""

    kind: str
    colour: str | None = None
    many: bool = False

    def fits(self, group: Group) -> bool:
        """Return whether a group is of such things."""
        return group.kind == self.kind and self.colour in (None, group.colour)


class Fact(NamedTuple):
    """That an aspect has a value: `sort` of the thing `of`, for a relation to `other`; None where it is of all.

    `truth` and `which` are answers to questions: yes or no, and which pictures, from 1. The value is None where only
    the aspect is spoken of.
    """

    sort: Sort
    value: Value
    of: Thing | None = None
    other: Thing | None = None


class Reading(NamedTuple):
    """What an answer says and shows: scenes that its texts tell, other statements of theirs, scenes on its pictures."""

    told: Sequence[Scene]
    statements: Sequence[Statement]
    shown: Sequence[Scene]


def reading_of(answer: Parts) -> Reading:
    """Return what an answer says and shows; Unsupported for a picture that is not of this world.

    Its texts are read for statements alone; a picture on which nothing can be recognised shows nothing.
    """
    texts = [without_noise(text) for text in texts_of(answer)]
    seen = [look("an answer", [picture]).impression for picture in pictures_of(answer)]
    told = [scene for text in texts for scene in tellings(text)]
    return Reading(told, said_in("\n".join(texts)), [scene for scene in seen if scene])


def facts_of(scene: Scene) -> list[Fact]:
    """Return every fact that a scene states, each once; what is None in it is none."""
    found: list[Fact] = []
    kinds = [group.kind for group in scene.groups]
    things = []
    for group in scene.groups:
        twins = kinds.count(group.kind) > 1
        thing = Thing(group.kind, group.colour if twins else None, group.count > 1)
        things.append(thing)
        found += [Fact("kind", True, thing), Fact("count", group.count, thing)]
        found += [Fact("colour", group.colour, thing)] if group.colour and not twins else []
    if scene.relation:
        found.append(Fact("relation", scene.relation, *things))
    return found + [Fact(sort, value) for sort in _LOOKS if (value := getattr(scene, sort)) is not None]


def shown(fact: Fact, scene: Scene) -> Value | None:
    """Return the value that a scene has of the aspect of a fact; None where it has none."""
    if fact.of is None:
        return getattr(scene, fact.sort) if fact.sort in _LOOKS else None
    groups = [group for group in scene.groups if fact.of.fits(group)]
    if not groups:
        return None
    match fact.sort:
        case "kind":
            return True
        case "count":
            return sum(group.count for group in groups)
        case "colour":
            colours = {group.colour for group in groups}
            return colours.pop() if len(colours) == 1 else None
        case "relation" if scene.relation and fact.other and len(scene.groups) == 2:
            first, second = scene.groups
            if fact.of.fits(first) and fact.other.fits(second):
                return scene.relation
            return v.OPPOSITE[scene.relation] if fact.of.fits(second) and fact.other.fits(first) else None
    return None


def stated(fact: Fact, statement: Statement) -> Value | None:
    """Return the value that a statement gives of the aspect of a fact; None where it speaks of another."""
    if statement.sort != {"count": "number"}.get(fact.sort, fact.sort):
        return None
    if statement.about and fact.of:
        kind, colour = statement.about
        if kind != fact.of.kind or (colour and fact.of.colour and colour != fact.of.colour):
            return None
    return statement.value


def values(fact: Fact, scenes: Sequence[Scene], statements: Sequence[Statement] = ()) -> list[Value]:
    """Return every value of the aspect of a fact that scenes have and statements give."""
    found = [shown(fact, scene) for scene in scenes] + [stated(fact, statement) for statement in statements]
    return [value for value in found if value is not None]
