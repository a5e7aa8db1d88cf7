"""The embedded world as an observer: it finds things in pictures, and embeds what they show."""

from __future__ import annotations

import io
import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from . import vocabulary as v
from .answering import Unsupported, normalise_text
from .atmosphere import Atmosphere, survey
from .looking import look, sight_of
from .pictograms import SIDE, embed_pictogram
from .scene import Group, Scene
from .spotting import SignSpot, Spot, colour_name, find_cut_outs


class Detection(NamedTuple):
    """A label, how surely the thing is there, 0..1, and its box: left, top, right, bottom in pixels."""

    label: str
    score: float
    box: tuple[float, float, float, float]


def detect(picture: bytes, labels: Sequence[str]) -> list[Detection]:
    """Find things by labels, label by label and from left to right; a box holds the thing with its paper rim.

    A label names a kind of thing, in one or in many, with or without a colour ("car", "red cars"), or a sign
    ("banner"). Whatever else it is, is not found.
    """
    seen = look("a search for things", [picture]).impression
    spots, groups, signs, _ = things_in(picture)
    found: list[Detection] = []
    for label in labels:
        words = normalise_text(label)
        if thing := read_noun_phrase(words):
            kind, colour = thing
            things = zip(spots, groups, strict=True)
            fitting = [spot for spot, one in things if one.kind == kind and colour in (None, one.colour)]
            found += [Detection(label, round(min(1.0, max(0.0, spot.likeness)), 4), spot.box) for spot in fitting]
        elif words in ("sign", "signs") or (seen and seen.sign and looks_by_name().get(words) == ("sign", seen.sign)):
            found += [Detection(label, 1.0, sign.box) for sign in signs]
    return found


_NUMBERS = (
    *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
    *map(str, range(11)),
    *("no", "none", "a", "an", "a single", "a pair of"),
    *"零一二三四五六七八九十两",
)
_DEFINITE = r"(?:(?:all|both|each|every)(?: of)?(?: the| these| those)?|the|this|these|those|that|its) "


def read_noun_phrase(text: str) -> tuple[str, str | None] | None:
    """Kind and colour of what a noun phrase names ("the two red cars", "cars", "两辆汽车"), or None."""
    bare = re.sub(f"^{_DEFINITE}", "", text)
    for word in ("", *_NUMBERS):  # single words come first: "a pair of scissors" is one
        rest = bare.removeprefix(word)
        if word and (rest == bare or (word.isascii() and not rest.startswith(" "))):
            continue
        if not rest.isascii() and rest not in things_by_name():
            rest = re.sub(f"^(?:{measure_words()})(?=.)", "", rest)
        if found := things_by_name().get(rest.strip().removeprefix("of the " if word else "")):
            return found
    return None


@cache
def things_by_name() -> dict[str, tuple[str, str | None]]:
    """Every name of a kind in lower case, alone and after every name of a colour → kind, colour."""
    found: dict[str, tuple[str, str | None]] = {}
    for kind in v.KINDS.values():
        names = {name.lower() for pair in ((kind.name, kind.plural), *kind.synonyms) for name in pair}
        for name in (*sorted(names), kind.zh.lower()):
            found[name] = kind.name, None
            for colour, word in v.COLOURS.items():
                for said in (word.en, word.zh, *word.also):
                    if said.isascii() == (name != kind.zh.lower()):
                        found[f"{said} {name}" if said.isascii() else f"{said}的{name}"] = kind.name, colour
    return found


@cache
def measure_words() -> str:
    return "|".join(sorted({kind.measure for kind in v.KINDS.values()}))


@cache
def looks_by_name() -> dict[str, tuple[str, str]]:
    """Every name of a light, style, mood, wonder or sign, without article → part of a scene, value."""
    found = {"emerald": ("surreal", "emerald sky")}
    for part, table in v.LOOKS.items():
        for key, word in table.items():
            for name in (word.en, word.zh, *word.also):
                found[re.sub("^(?:an?|the) ", "", name)] = part, key
    return found


class Things(NamedTuple):
    """The spots of pictograms, what each is, the spots of signs, and what is around them."""

    spots: Sequence[Spot]
    groups: Sequence[Group]
    signs: Sequence[SignSpot]
    around: Atmosphere


def things_in(picture: bytes) -> Things:
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), np.float32)
    spots, signs = find_cut_outs(pixels)
    around = survey(pixels, [spot.box for spot in spots] + [sign.box for sign in signs])
    return Things(spots, [Group(spot.kind, colour_name(spot.ink, around.light)) for spot in spots], signs, around)


_LETTERING = (*v.LETTERING, *v.LETTERING_ZH)
_KIND, _COLOUR, _COUNT, _PLACE, _LETTERED, _LOOK, _LIGHT = 1.0, 0.8, 0.4, 0.3, 0.5, 0.3, 0.1
"""Weights of the parts: what a thing is counts most, and the time of day, which prompts leave open, hardly at all."""


def embed(picture: bytes) -> NDArray[np.float32]:
    """A vector of length 1 for what is seen: kinds, colours, numbers, places, lettering, style, light, mood.

    Pictures of one scene have one vector, whatever their seed; with each part in which scenes differ their cosine
    falls. Where no whole scene is seen (broken things, mixed-up tiles), single things and what is around them count. A
    picture of the size of one pictogram on plain ground has a vector of another length.
    """
    sight = sight_of(picture)
    if Image.open(io.BytesIO(picture)).size == (SIDE, SIDE):
        return embed_pictogram(picture)
    if sight.impression:
        vector = np.concatenate(_blocks(sight.impression.groups, sight.impression))
    else:
        things = things_in(picture)
        if not (things.groups or sight.familiar):
            raise Unsupported("the picture does not show the embedded world")
        vector = np.concatenate(_blocks(_groups(things.groups), things.around))
    return (vector / np.linalg.norm(vector)).astype(np.float32)


def _groups(things: Sequence[Group]) -> list[Group]:
    """Single things as groups of those that are alike, of at most as many as have a name."""
    return [replace(thing, count=min(number, max(v.COUNTS))) for thing, number in Counter(things).items()]


def _blocks(groups: Sequence[Group], scene: Scene | Atmosphere) -> list[NDArray[np.float64]]:
    """Return the parts of the vector; of no whole scene those of groups and of what is around."""
    kinds, colours = np.zeros(len(v.KINDS)), np.zeros(len(v.COLOURS))
    counts, places = np.zeros(len(v.COUNTS)), np.zeros((2, len(v.KINDS)))
    relation, lettering = getattr(scene, "relation", None), getattr(scene, "lettering", None)
    for number, group in enumerate(groups):
        kind = list(v.KINDS).index(group.kind)
        kinds[kind] += _KIND
        colours[list(v.COLOURS).index(str(group.colour))] += _COLOUR
        counts[group.count - 1] += _COUNT
        if relation and number == 0:  # the one that stands left or above
            places[int(relation == "above"), kind] = _PLACE
    looks = [
        _one_hot(list(table), getattr(scene, part, None), _LIGHT if part == "light" else _LOOK)
        for part, table in v.LOOKS.items()
    ]
    return [kinds, colours, counts, places.ravel(), _one_hot(list(_LETTERING), lettering, _LETTERED), *looks]


def _one_hot(names: list[str], name: str | None, weight: float) -> NDArray[np.float64]:
    return weight * np.array([float(one == name) for one in names])
