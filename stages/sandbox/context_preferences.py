"""What somebody likes, to be found out from pictures: I like the style of #1. I dislike the style of #2."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from . import vocabulary as v
from .answering import Unsupported
from .context_rules import Rule, Told, found, imagined, shown, the_one
from .naming import named
from .reading import read
from .scene import Group, Scene, canonical


def _styled(told: Told) -> Scene:
    """I like the style of #1. Paint a red cat in the style that I like."""
    liked = the_one(r"i like the style of (#\w)", told)[1]
    return replace(_thing(told.asked["thing"]), style=told.seen[liked].style)


def _thing(words: str) -> Scene:
    scene = read(words)
    if scene is None:
        raise Unsupported(f"the embedded world does not know what {words[:60]!r} is")
    return scene


def _verdicts(of: str, asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    """One of the pictures is liked, the others are not."""
    liked = chance.choice(pictures)
    return [f"i {'like' if picture == liked else 'dislike'} the {of} of {picture}" for picture in pictures]


def _featured(told: Told) -> Scene:
    """Ana likes the light of #1 and dislikes that of #2. Give the cats in #3 the light and the mood that Ana likes."""
    scene = shown(told, told.asked["picture"])
    wanted = replace(scene, light=_liked("light", told).light, mood=_liked("mood", told).mood)
    return _changed(wanted, scene.light != wanted.light and scene.mood != wanted.mood)


def _changed(wanted: Scene, other: bool) -> Scene:
    """Return what is wanted. Unsupported where it is there already: nobody wants a change to that, and whoever imagines
    it imagines something else.
    """
    if not other:
        raise Unsupported("what is wanted is there already")
    return wanted


def _liked(of: str, told: Told) -> Scene:
    who = told.asked["who"]
    first = found(rf"{who} likes the {of} of (#\w)(?: and dislikes that of #\w)?", told.context)
    second = found(rf"{who} dislikes the {of} of #\w and likes that of (#\w)", told.context)
    if len(first + second) != 1:
        raise Unsupported(f"the context does not say whose {of} is liked")
    return shown(told, (first + second)[0][1])


def _feature_verdicts(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    """The light of any picture is liked, and the mood of any."""
    return [f"{asked['who']} likes the {of} of {chance.choice(pictures)}" for of in ("light", "mood")]


def _moved(told: Told) -> Scene:
    """Ana likes where the cat stands in #1. Ben likes where it stands in #2. Move the cat in #3 to where Ben likes
    it.
    """
    liked = the_one(rf"{told.asked['who']} likes where .+ stands in (#\w)", told)[1]
    thing, beside, before = _standing(told, told.asked["picture"])
    wanted = _standing(told, liked)[2]
    scene = shown(told, told.asked["picture"])
    return _changed(replace(scene, groups=(thing, beside), relation=wanted), before != wanted)


def _standing(told: Told, pointer: str) -> tuple[Group, Group, str]:
    """Return the thing in question, what it stands to in a picture, and how; where it is not there, the first."""
    scene = shown(told, pointer)
    first, second = _two(scene)
    thing = named(told.asked["thing"])
    if scene.relation is None or thing is None:
        raise Unsupported(f"the embedded world does not know where {told.asked['thing'][:60]!r} is")
    if thing.fits(second) and not thing.fits(first):
        return second, first, v.OPPOSITE[scene.relation]
    return first, second, scene.relation


def _two(scene: Scene) -> tuple[Group, Group]:
    if len(scene.groups) != 2:
        raise Unsupported(f"a picture of two things is wanted, not of {len(scene.groups)}")
    return scene.groups[0], scene.groups[1]


def _places(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    return [f"{asked['who']} likes where {asked['thing']} stands in {chance.choice(pictures)}"]


def _repainted(told: Told) -> Scene:
    """Ana likes the palette of #1. Repaint the car and the hat in #3 in the palette that Ana likes, colour by colour
    from left to right.
    """
    liked = the_one(rf"{told.asked['who']} likes the palette of (#\w)", told)[1]
    scene = canonical(shown(told, told.asked["picture"]))
    colours = [group.colour for group in _two(canonical(shown(told, liked)))]
    groups = tuple(replace(group, colour=colour) for group, colour in zip(_two(scene), colours, strict=True))
    return _changed(replace(scene, groups=groups), not {group.colour for group in scene.groups} & set(colours))


def _palette_verdicts(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    return [f"{asked['who']} likes the palette of {chance.choice(pictures)}"]


def _put_in_place(told: Told) -> Scene:
    """In #1 Ana likes the thing on the left, but not the one on the right. Replace the hat in #3 by the two things that
    Ana likes.
    """
    liked = rf"in (#\w) {told.asked['who']} likes the thing on the (left|right), but not the one on the (?:left|right)"
    matches = found(liked, told.context)
    if len(matches) != 2:
        raise Unsupported(f"the context says of {len(matches)} things that they are liked, two are wanted")
    first, second = (_two(canonical(shown(told, match[1])))[match[2] == "right"] for match in matches)
    if first.kind == second.kind:
        raise Unsupported(f"{first.kind!r} is liked twice")
    return replace(shown(told, told.asked["picture"]), groups=(first, second), relation=None)


def _entity_verdicts(asked: re.Match[str], pictures: Sequence[str], chance: random.Random) -> Sequence[str]:
    sides = [chance.sample(("left", "right"), 2) for _ in pictures]
    return [
        f"in {picture} {asked['who']} likes the thing on the {liked}, but not the one on the {other}"
        for picture, (liked, other) in zip(pictures, sides, strict=True)
    ]


_PAIR = partial(imagined, groups=2)
RULES = (
    Rule(
        re.compile(r"paint (?P<thing>.+) in the style that i like"), _styled, partial(_verdicts, "style"), 2, imagined
    ),
    Rule(
        re.compile(r"give .+ in (?P<picture>#\w) the light and the mood that (?P<who>\w+) likes"),
        _featured,
        _feature_verdicts,
        2,
        imagined,
    ),
    Rule(
        re.compile(r"move (?P<thing>.+) in (?P<picture>#\w) to where (?P<who>\w+) likes it"),
        _moved,
        _places,
        2,
        _PAIR,
    ),
    Rule(
        re.compile(
            r"repaint .+ in (?P<picture>#\w) in the palette that (?P<who>\w+) likes, "
            r"colour by colour from left to right"
        ),
        _repainted,
        _palette_verdicts,
        2,
        _PAIR,
    ),
    Rule(
        re.compile(r"replace .+ in (?P<picture>#\w) by the two things that (?P<who>\w+) likes"),
        _put_in_place,
        _entity_verdicts,
        2,
        _PAIR,
    ),
)
