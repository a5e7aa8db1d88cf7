"""What pictures are made to count: The thing in #1 is worth three, or is so in the light of #2."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from . import vocabulary as v
from .answering import Unsupported
from .context_rules import Rule, Told, found, imagined, shown
from .material import made
from .naming import NUMBERS, named
from .scene import Group, Scene

_WORTH = r"the thing in (?P<thing>#\w) is worth (?P<worth>\w+)"
_WORTH_IN = _WORTH + r" in the (?P<part>light|mood|style) of (?P<like>#\w)"
_TABLES: Mapping[str, Mapping[str, v.Word]] = {"light": v.LIGHTS, "mood": v.MOODS, "style": v.STYLES}


def _counted(told: Told) -> Scene:
    """The thing in #1 is worth three. Paint as many red hats as the thing in #2 is worth."""
    thing = shown(told, told.asked["shown"]).groups
    return _so_many(told, [one for one in found(_WORTH, told.context) if shown(told, one["thing"]).groups == thing])


def _counted_there(told: Told) -> Scene:
    """The thing in #1 is worth three in the light of #2. … as the thing in #3 is worth in the light that it has."""
    asked, part = shown(told, told.asked["shown"]), told.asked["part"]
    said = [
        one
        for one in found(_WORTH_IN, told.context)
        if one["part"] == part and shown(told, one["thing"]).groups == asked.groups
        if getattr(shown(told, one["like"]), part) == getattr(asked, part)
    ]
    kept = ("style",) if told.asked["kept"] == "style" else ("light", "mood")
    return made(_so_many(told, said), **{name: getattr(asked, name) for name in kept})


def _so_many(told: Told, said: Sequence[re.Match[str]]) -> Scene:
    thing = named(told.asked["things"])
    if thing is None or not said or NUMBERS.get(said[0]["worth"]) not in v.COUNTS:
        raise Unsupported("the context does not say how many are wanted, or of what")
    return Scene((Group(thing.kind, thing.colour, NUMBERS[said[0]["worth"]]),))


def _worths(_: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    return [f"the thing in {picture} is worth {_number(chance)}" for picture in pictures]


def _worths_there(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    """Things and what their worth depends on take turns."""
    return [
        f"the thing in {thing} is worth {_number(chance)} in the {asked['part']} of {like}"
        for like in pictures[1::2]
        for thing in pictures[::2]
    ]


def _number(chance: random.Random) -> str:
    return v.COUNTS[chance.choice(list(v.COUNTS))].en


def _one_of_them(told: Told, missing: Sequence[str], chance: random.Random) -> Mapping[str, Scene]:
    """One of the pictures shows the thing that is asked about."""
    same = chance.choice(missing)
    asked = shown(told, told.asked["shown"])
    return {
        name: replace(imagined(chance), groups=asked.groups) if name == same else imagined(chance) for name in missing
    }


def _one_of_each(told: Told, missing: Sequence[str], chance: random.Random) -> Mapping[str, Scene]:
    """One of the things is the one that is asked about, one of the conditions is that under which it is."""
    asked, part = shown(told, told.asked["shown"]), told.asked["part"]
    likes = {one["like"] for one in found(_WORTH_IN, told.context)}
    values = [value for value in _TABLES[part] if value != getattr(asked, part)]
    scenes = {name: made(imagined(chance), **{part: chance.choice(values)}) for name in missing}
    for names in ([name for name in missing if name in likes], [name for name in missing if name not in likes]):
        if names:
            same = chance.choice(names)
            field = part if same in likes else "groups"
            scenes[same] = made(scenes[same], **{field: getattr(asked, field)})
    return scenes


RULES = (
    Rule(
        re.compile(r"paint as many (?P<things>.+) as the thing in (?P<shown>#\w) is worth"),
        _counted, _worths, 3, imagined, _one_of_them,
    ),
    Rule(
        re.compile(
            r"paint as many (?P<things>.+) as the thing in (?P<shown>#\w) is worth"
            r" in the (?P<part>light|mood|style) that it has,"
            r" and keep the (?P<kept>light and mood|style) of (#\w|that picture)"
        ),
        _counted_there, _worths_there, 4, imagined, _one_of_each,
    ),
)  # fmt: skip
