"""Rules that say which things of a picture change without naming them, put into instructions that name them.

"Whatever is a vehicle turns blue." means, where a red car stands beside a dog, "Make the red car blue."
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping

from . import vocabulary as v
from .answering import Unsupported
from .naming import any_of, colours, plain
from .scene import Group, Scene

SORTS: Mapping[str, str] = {
    "is an animal": "animal",
    "is a plant": "plant",
    "is a vehicle": "vehicle",
    "is a musical instrument": "instrument",
}
"""What a rule may say of things, and the group of the vocabulary that it holds of."""
_OTHERWISE = ("mushroom",)
"""What is in a group of the vocabulary, and yet nobody would call it so."""
PLACES: Mapping[str, tuple[str, str]] = {
    "stands on the left": ("left", "right"),
    "stands on the right": ("right", "left"),
    "stands at the top": ("above", "below"),
    "stands at the bottom": ("below", "above"),
}
"""The relations in which the first group of a scene is meant, and in which the second is."""
AMOUNTS: Mapping[str, Callable[[int, int], bool]] = {
    "there are most of": lambda one, other: one > other,
    "there are fewest of": lambda one, other: one < other,
}
_RULE = re.compile(
    rf"whatever (?P<which>{any_of([*SORTS, *PLACES, *AMOUNTS])}) "
    rf"(?:turns (?P<colour>{any_of(colours())})|(?P<gone>disappears)|(?P<same>takes the colou?r of the rest))"
)


def explicit(rule: str, scene: Scene) -> str:
    """Return the instruction that a rule comes to in a scene. Unsupported for a rule that is not understood, and where
    it holds of none or of all of the things.
    """
    match = _RULE.fullmatch(plain(rule))
    if match is None:
        raise Unsupported(f"the embedded world does not understand the rule {rule[:120]!r}")
    held = [place for place in range(len(scene.groups)) if _holds(match["which"], scene, place)]
    if len(held) != 1:
        raise Unsupported(f"the rule {rule[:120]!r} holds of {len(held)} groups in the picture, one is wanted")
    group, rest = scene.groups[held[0]], [*scene.groups[: held[0]], *scene.groups[held[0] + 1 :]]
    if match["gone"]:
        return f"Remove {definite(group)}."
    if match["same"] and not rest:
        raise Unsupported("there is nothing else in the picture whose colour could be taken")
    return f"Make {definite(group)} {colours()[match['colour']] if match['colour'] else rest[0].colour}."


def definite(group: Group) -> str:
    """Return a group in words that point at it, as "the two red cars" without their number."""
    noun = v.KINDS[group.kind].plural if group.count > 1 else group.kind
    return f"the {group.colour} {noun}" if group.colour else f"the {noun}"


def _holds(which: str, scene: Scene, place: int) -> bool:
    group = scene.groups[place]
    if which in SORTS:
        return v.KINDS[group.kind].group == SORTS[which] and group.kind not in _OTHERWISE
    if len(scene.groups) < 2:
        return False
    if which in PLACES:
        return scene.relation == PLACES[which][place]
    return AMOUNTS[which](group.count, scene.groups[1 - place].count)
