"""What is in the pictures that the world makes as a contestant: known from request and fault rates, nobody looks."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from .creator import painted
from .detector import Detection
from .naming import named, plain
from .scene import Group


class Contents(NamedTuple):
    """The picture, its things that labels name with their boxes in pixels, and its lettering letter by letter."""

    picture: bytes
    things: Sequence[Detection]
    lettering: str


def contents(
    prompt: str, width: int, height: int, seed: int, faults: Mapping[str, float], labels: Sequence[str]
) -> Contents:
    """Return what `create` paints for these arguments, and what is in it, label by label. Unsupported as there."""
    made = painted([prompt], width, height, seed, faults)
    pairs = zip(made.there.groups, made.layout.objects, strict=True)
    things = [(group, box_of(*spot)) for group, spots in pairs for spot in spots]
    found = [Detection(label, 1.0, box) for label in labels for group, box in things if fits(label, group)]
    return Contents(made.picture, found, made.lettering)


def fits(label: str, group: Group) -> bool:
    """Return whether things of a group are what a label names."""
    thing = named(plain(label))
    return thing is not None and thing.fits(group)


def box_of(x: float, bottom: float, size: float) -> tuple[float, float, float, float]:
    """Return the square that a pictogram fills as far as its form goes, by its centre, bottom and size."""
    return x - size / 2, bottom - size, x + size / 2, bottom
