"""The embedded world as a detector: where in a picture are the things that labels name?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .looking import look
from .naming import looks, named, plain
from .things import things_in


class Detection(NamedTuple):
    """A label, how surely the thing is there, 0..1, and its box: left, top, right, bottom in pixels."""

    label: str
    score: float
    box: tuple[float, float, float, float]


def detect(picture: bytes, labels: Sequence[str]) -> list[Detection]:
    """Return all things of a picture that labels name, label by label and from left to right.

    A label names a kind of thing, in one or in many, with or without a colour ("car", "red cars"), or a sign
    ("banner"). Whatever else it is, is not found. A box holds the thing with its paper rim. Unsupported for a picture
    that is not of this world.
    """
    seen = look("a search for things", [picture]).impression
    spots, groups, signs, _ = things_in(picture)
    found: list[Detection] = []
    for label in labels:
        words = plain(label)
        if thing := named(words):
            fitting = [spot for spot, group in zip(spots, groups, strict=True) if thing.fits(group)]
            found += [Detection(label, round(min(1.0, max(0.0, spot.likeness)), 4), spot.box) for spot in fitting]
        elif words in ("sign", "signs") or (seen and seen.sign and looks().get(words) == ("sign", seen.sign)):
            found += [Detection(label, 1.0, sign.box) for sign in signs]
    return found
