"""Phrases that are meant literally or figuratively, as pictures show: Ana says "top dog" and means it as in #1."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

from . import vocabulary as v
from .answering import Unsupported
from .context_rules import Rule, Told, found, imagined, shown, the_one
from .idioms import LITERALLY, named_by
from .naming import NUMBERS
from .scene import Group, Scene


def _meant_alike(told: Told) -> Scene:
    """Ana says "top dog" and means it as in #1. Ben says it too, and means it as in #2. Paint two iron horses at night,
    meant literally or figuratively as Ben would mean them.
    """
    kinds = named_by(told.asked["name"])
    if kinds is None:
        raise Unsupported(f"the embedded world does not know what {told.asked['name'][:60]!r} may mean")
    kind = kinds[0] if _literally(told) else kinds[1]
    light = next((key for key, word in v.LIGHTS.items() if told.asked["light"] in (word.en, *word.also)), None)
    number = NUMBERS[told.asked["number"]]
    if light is None or number not in v.COUNTS:
        raise Unsupported(f"{told.asked[0][:60]!r} is nothing that the embedded world paints")
    return Scene((Group(kind, count=number),), light=light)


def _literally(told: Told) -> bool:
    """Return whether the one in question means things literally: the picture shows what is there only then."""
    outright = found(rf"{told.asked['who']} means things (literally|figuratively), as in #\w", told.context)
    if outright:
        return outright[0][1] == "literally"
    phrase = _said(told)
    picture = the_one(rf".*\b{told.asked['who']} (?:says|means)\b[^#]*(#\w).*", told)[1]
    if phrase not in LITERALLY:
        raise Unsupported(f"the embedded world does not know the phrase {phrase[:60]!r}")
    return any(group.kind == LITERALLY[phrase] for group in shown(told, picture).groups)


def _said(told: Told) -> str:
    return the_one(r'[^"]*"([^"]+)"[^"]*', told)[1].lower()


def _senses(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    """Whoever is not told which phrase a picture shows does not know how it is meant."""
    sense = chance.choice(("literally", "figuratively"))
    return [f"{asked['who']} means things {sense}, as in {chance.choice(pictures)}"]


_ASKED = (
    r"paint (?P<number>\w+) (?P<name>.+) at (?P<light>\w+), "
    r"meant literally or figuratively as (?P<who>\w+) would mean (?:it|them)",
    r"at (?P<light>\w+), paint (?P<number>\w+) (?P<name>.+), literally or figuratively, "
    r"whichever (?P<who>\w+) would mean",
    r"paint what (?P<who>\w+) would mean by (?P<number>\w+) (?P<name>.+) at (?P<light>\w+), "
    r"be it literal or figurative",
)
RULES = tuple(Rule(re.compile(asked), _meant_alike, _senses, 2, imagined) for asked in _ASKED)
