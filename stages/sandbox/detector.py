"""The embedded world as a detector: where in a picture are the things that labels name?"""

from __future__ import annotations

import io
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from .atmosphere import survey
from .looking import look
from .naming import looks, named, plain
from .scene import Group
from .spotting import colour_name, find


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
    pixels = np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), np.float32)
    spots, signs = find(pixels)
    light = survey(pixels, [spot.box for spot in spots] + [sign.box for sign in signs]).light
    groups = [Group(spot.kind, colour_name(spot.ink, light)) for spot in spots]
    found: list[Detection] = []
    for label in labels:
        words = plain(label)
        if thing := named(words):
            fitting = [spot for spot, group in zip(spots, groups, strict=True) if thing.fits(group)]
            found += [Detection(label, round(min(1.0, max(0.0, spot.likeness)), 4), spot.box) for spot in fitting]
        elif words in ("sign", "signs") or (seen and seen.sign and looks().get(words) == ("sign", seen.sign)):
            found += [Detection(label, 1.0, sign.box) for sign in signs]
    return found
