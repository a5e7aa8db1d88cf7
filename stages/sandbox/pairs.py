"""One question put twice, to be answered in words and as a picture: what both prompts of a pair mean.

Name a pet that purrs, chases mice and lands on its feet.
Generate an image of a pet that purrs, chases mice and lands on its feet.

How many ducks and birds are there in an image with as many ducks as this one has birds, and as many birds …?
Generate an image with as many ducks as this one has birds, and as many birds as it has ducks.

Describe the picture after this change: make the red car blue.       (or: after this rule: whatever is a …)
Generate the picture after this change: make the red car blue.
"""

from __future__ import annotations

import random
import re
from dataclasses import replace
from typing import Literal, NamedTuple

from . import vocabulary as v
from .answering import Unsupported
from .changes import place_of
from .descriptions import article, kinds_described
from .editing import wanted
from .material import Parts, made, material, pictures_of, texts_of
from .naming import named, plain
from .quantities import in_words
from .rules import explicit
from .scene import Group, Scene
from .writing import write

_NAME = re.compile(r"name (?:an?|the) [^.]+\.?", re.IGNORECASE)
_SHOW = re.compile(r"generate an image of (?:an?|the) [^.]+\.?", re.IGNORECASE)
_SWAP = re.compile(
    r"(?:how many (?P<a>[\w -]+?) and (?P<b>[\w -]+?) are there in|generate) an image with"
    r" as many (?P<one>[\w -]+?) as this one has (?P<other>[\w -]+?),"
    r" and as many (?P=other) as it has (?P=one)"
)
_CHANGE = re.compile(
    r"(?:generate|describe) the picture after this (?P<how>change|rule):\s*(?P<told>.+)", re.IGNORECASE | re.DOTALL
)


class Meaning(NamedTuple):
    """What both prompts of a pair mean: the scene that is right, and what the picture given shows. `thing`: the one
    thing of the scene is described, `numbers`: two kinds of things change their numbers, `change`: an edit.
    """

    sort: Literal["thing", "numbers", "change"]
    right: Scene
    given: Scene | None = None


def meaning(parts: Parts) -> Meaning | None:
    """Return what a prompt of a pair means, None for what is none. Unsupported where it is one and cannot be done."""
    text, pictures = " ".join(texts_of(parts)), pictures_of(parts)
    if not pictures:
        if not (_NAME.fullmatch(text) or _SHOW.fullmatch(text)) or (thing := kinds_described(text)) is None:
            return None
        return Meaning("thing", Scene((Group(*thing),)))
    if match := _SWAP.fullmatch(plain(text)):
        return _numbers(match["one"], match["other"], pictures)
    if match := _CHANGE.fullmatch(text):
        return _change(match["how"].lower(), match["told"], pictures)
    return None


def mistaken(meant: Meaning, rng: random.Random) -> Scene:
    """Return a scene that is wrong: another thing of its sort; numbers that are not exchanged, or one of them other; a
    picture that was not edited.
    """
    match meant.sort:
        case "thing":
            [thing] = meant.right.groups
            others = [one for one in v.KINDS.values() if one.group == v.KINDS[thing.kind].group]
            return Scene((replace(thing, kind=rng.choice([one.name for one in others if one.name != thing.kind])),))
        case "numbers":
            assert meant.given is not None
            if meant.given.groups != meant.right.groups and rng.random() < 0.5:
                return meant.given
            place = rng.randrange(2)
            groups = list(meant.right.groups)
            number = rng.choice([number for number in v.COUNTS if number != groups[place].count])
            groups[place] = replace(groups[place], count=number)
            return made(meant.right, groups=tuple(groups))
        case _:
            assert meant.given is not None
            return meant.given


def in_words_of(meant: Meaning, scene: Scene) -> str:
    """Return what a scene says to the question: "A cat."; "Two ducks and three birds."; all that is there."""
    if meant.sort == "thing":
        [thing] = scene.groups
        words = f"{thing.colour} {thing.kind}" if thing.colour else thing.kind
        return f"{article(words).capitalize()} {words}."
    if meant.sort == "numbers":
        return in_words({group.kind: group.count for group in scene.groups})
    return write(scene)


def _numbers(one: str, other: str, pictures: list[bytes]) -> Meaning:
    """The numbers of the two kinds of things in the one picture, exchanged."""
    given = material([*pictures, ""]).seen
    if len(given) != 1 or len(given[0].groups) != 2:
        raise Unsupported("numbers are exchanged in one picture that shows two kinds of things")
    [scene] = given
    first, second = (place_of(scene, thing) if (thing := named(words)) else None for words in (one, other))
    if first is None or second is None or first == second:
        raise Unsupported(f"the picture does not show both {one[:60]!r} and {other[:60]!r}")
    groups = scene.groups
    right = tuple(replace(group, count=groups[1 - place].count) for place, group in enumerate(groups))
    return Meaning("numbers", made(scene, groups=right), scene)


def _change(how: str, told: str, pictures: list[bytes]) -> Meaning:
    """What the one picture shows after an edit."""
    [given] = material([pictures[0], ""]).seen
    if len(pictures) != 1:
        raise Unsupported(f"one picture can be changed, not {len(pictures)}")
    wish = wanted(material([pictures[0], explicit(told, given) if how == "rule" else told]))
    if wish.edited is None:
        raise Unsupported(f"{told[:120]!r} changes no picture")
    return Meaning("change", wish.scene, given)
