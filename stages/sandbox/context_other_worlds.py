"""Worlds in which nature goes by other rules, shown in pictures: a cow in old age is seen in #1, penguins grow as cows.

Things of a given picture, `#4` say, come into the picture that is wanted as they are there.
"""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace

from . import vocabulary as v
from .answering import Unsupported
from .context_rules import Rule, Told, imagined, the_one
from .reading import read
from .scene import Group, Scene

_AGES = ("youth", "middle age", "old age")
_HOUSE = "house"
"""What things fall from."""
_CAUSES = ("their colour", "their number", "the time of day")
"""What the way in which they fall may go by."""
_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")


def _grown(told: Told) -> Scene:
    """A cow in old age is seen in #1. Penguins grow as cows do. Paint a penguin of this world in old age."""
    seen = told.seen[the_one(rf"an? .+ in {told.asked['age']} is seen in (#\w)", told)[1]]
    return Scene((replace(_thing(told.asked["thing"]), colour=_only(seen).colour),))


def _fallen(told: Told) -> Scene:
    """Which way things fall from a house depends on their number alone. Paint the things of #4 as they fall from a
    house. They fall as other things did that are like them in this.
    """
    cause = the_one(rf"on this planet, which way things fall from a house depends on ({'|'.join(_CAUSES)}) alone", told)
    given = told.seen[told.asked["given"]]
    things, ways = _only(given), set[str]()
    for name, seen in told.seen.items():
        if name != told.asked["given"]:
            other, way = _from_house(seen)
            alike = (other.colour == things.colour, other.count == things.count, seen.light == given.light)
            ways |= {way} if alike[_CAUSES.index(cause[1])] else set()
    if len(ways) != 1:
        raise Unsupported(f"things that are alike fall in {len(ways)} ways, one is wanted")
    return Scene((things, Group(_HOUSE)), ways.pop(), light=given.light)


def _from_house(scene: Scene) -> tuple[Group, str]:
    """Return what falls from a house, and which way."""
    kinds = [group.kind == _HOUSE for group in scene.groups]
    if scene.relation is None or kinds.count(True) != 1:
        raise Unsupported("nothing is seen that falls from a house")
    at = kinds.index(False)
    return scene.groups[at], _from(scene.relation, at)


def _behaving(told: Told) -> Scene:
    """One animal hunts others as in #1. Paint a red rabbit that hunts two cows, as animals do in this world."""
    seen = told.seen[the_one(rf"one animal {re.escape(told.asked['deed'])} others as in (#\w)", told)[1]]
    alone = [group.count == 1 for group in seen.groups]
    if seen.relation is None or alone.count(True) != 1 or len(alone) != 2:
        raise Unsupported("not one animal and others are seen")
    groups = _thing(told.asked["one"]), _thing(told.asked["many"])
    return Scene(groups, _from(seen.relation, alone.index(True)))


def _counted(told: Told) -> Scene:
    """Time runs backwards. The apples of Monday are seen in #1. Paint as many of the things in #4 as there are apples
    on the day after Tuesday.
    """
    the_one(r".*\btime runs backwards\b.*", told)
    day = _DAYS[(_DAYS.index(told.asked["day"]) + _turned(told.asked["turn"])) % len(_DAYS)]
    seen = told.seen[the_one(rf"the .+ of {day} are seen in (#\w)", told)[1]]
    things, number = _only(told.seen[told.asked["given"]]), _only(seen).count
    if number == things.count:
        raise Unsupported("there would be as many things as there are")
    return Scene((replace(things, count=number),))


def _under_sky(told: Told) -> Scene:
    """When people are proud, the sky is as in #1. Paint what #4 shows under the sky of a day on which people are
    proud.
    """
    seen = told.seen[the_one(rf"when people are {re.escape(told.asked['feeling'])}, the sky is as in (#\w)", told)[1]]
    return replace(told.seen[told.asked["given"]], light=seen.light, surreal=seen.surreal)


def _thing(words: str) -> Group:
    scene = read(words)
    if scene is None:
        raise Unsupported(f"the embedded world does not know what {words[:60]!r} is")
    return _only(scene)


def _only(scene: Scene) -> Group:
    """Return the things of a scene that has but one kind of them."""
    if len(scene.groups) != 1:
        raise Unsupported(f"{len(scene.groups)} kinds of things are seen, one is wanted")
    return scene.groups[0]


def _from(relation: str, at: int) -> str:
    """Return how the first or second things of a scene, `at` 0 or 1, stand to the others."""
    return v.OPPOSITE[relation] if at else relation


def _turned(turn: str) -> int:
    """Return how many days later the day after or before is, as time runs backwards."""
    return {"after": -1, "before": 1}[turn]


def _each(sentence: str, labels: Sequence[str], pictures: Sequence[str], chance: random.Random) -> list[str]:
    """Say of each picture by which label it goes, at random."""
    mixed = zip(chance.sample(labels, len(labels)), pictures, strict=False)
    return [sentence.format(label=label, picture=picture) for label, picture in mixed]


def _ages(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    return _each("a thing in {label} is seen in {picture}", _AGES, pictures, chance)


def _causes(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    return [f"on this planet, which way things fall from a house depends on {chance.choice(_CAUSES)} alone"]


def _deeds(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    return _each("one animal {label} others as in {picture}", (asked["deed"], "eyes", "minds"), pictures, chance)


def _days(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    day = _DAYS.index(asked["day"])
    days = [_DAYS[(day + later) % len(_DAYS)] for later in (-1, 0, 1)]
    return ["time runs backwards", *_each("the things of {label} are seen in {picture}", days, pictures, chance)]


def _feelings(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    labels = (asked["feeling"], "tired", "hungry")
    return _each("when people are {label}, the sky is as in {picture}", labels, pictures, chance)


def _falling(chance: random.Random) -> Scene:
    """Return a scene in which things fall from a house."""
    scene = imagined(chance, 2)
    return replace(scene, groups=(scene.groups[0], replace(scene.groups[1], kind=_HOUSE)))


def _meeting(chance: random.Random) -> Scene:
    """Return a scene of one thing and several others."""
    scene = imagined(chance, 2)
    one, others = scene.groups
    return replace(scene, groups=(replace(one, count=1), replace(others, count=chance.choice(list(v.COUNTS)[1:]))))


RULES = (
    Rule(re.compile(rf"paint (?P<thing>.+) of this world in (?P<age>{'|'.join(_AGES)})"), _grown, _ages, 3, imagined),
    Rule(
        re.compile(r"paint the things of (?P<given>#\w) as they fall from a house on this planet at that time of day"),
        _fallen,
        _causes,
        3,
        _falling,
    ),
    Rule(
        re.compile(
            r"paint (?P<one>.+) that (?P<deed>.+?) (?P<many>(?:two|three|four|five) .+), as animals do in this world"
        ),
        _behaving,
        _deeds,
        3,
        _meeting,
    ),
    Rule(
        re.compile(
            r"paint as many of the things in (?P<given>#\w) as there are .+ on the day (?P<turn>after|before)"
            rf" (?P<day>{'|'.join(_DAYS)}) in this world"
        ),
        _counted,
        _days,
        3,
        imagined,
    ),
    Rule(
        re.compile(r"paint what (?P<given>#\w) shows under the sky of a day on which people are (?P<feeling>.+)"),
        _under_sky,
        _feelings,
        3,
        imagined,
    ),
)
