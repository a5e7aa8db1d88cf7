"""Looks at a beam with numbered weights on two props, and shows how it comes to rest without them."""

from __future__ import annotations

from typing import Literal, NamedTuple

import cv2
import numpy as np
from PIL import Image

from .answering import Unsupported
from .characters import DIGITS, character

Side = Literal["left", "right", "level"]
SIDES: tuple[Side, ...] = ("left", "right", "level")
_WHITE = (255, 255, 255)
_BEAM, _PALE = (105, 135), (215, 240)
"""Grey levels of the beam, and of weights."""
_LEAST = 600
"""Pixels of a weight at least."""
_TILT = 12.0


class Balance(NamedTuple):
    """What is seen: by how much the right side outweighs the left one; where the beam rests, from the left; the first
    row of pixels below it.
    """

    moment: int
    pivot: float
    below: int

    @property
    def side(self) -> Side:
        """Return which side goes down."""
        return "level" if self.moment == 0 else "right" if self.moment > 0 else "left"


def look(image: Image.Image) -> Balance:
    """Look at a picture, RGB. Unsupported: it shows no such beam."""
    pixels = np.asarray(image, np.int16)
    grey = np.asarray(image.convert("L"))
    plain = np.ptp(pixels, axis=2) < 12
    beam = plain & (grey > _BEAM[0]) & (grey < _BEAM[1])
    rows = np.flatnonzero(beam.mean(1) > 0.5)
    if not 4 < len(rows) < 60 or rows[-1] + 8 >= image.height:
        raise Unsupported("the picture shows no level beam")
    middle, below = int(rows[len(rows) // 2]), int(rows[-1]) + 1
    columns = np.flatnonzero(beam[middle])
    marks = _runs(grey[middle, columns[0] : columns[-1]] < 80) + columns[0]
    rests = _runs(grey[below + 4] < 80)
    if len(marks) < 3 or len(rests) != 1:
        raise Unsupported("the picture shows no beam with marks that rests on one point")
    step = float(np.median(np.diff(marks)))
    pale = (plain & (grey > _PALE[0]) & (grey < _PALE[1])).astype(np.uint8)
    _, _, boxes, _ = cv2.connectedComponentsWithStats(pale, connectivity=4)
    moment = 0
    for left, top, width, height, area in boxes[1:].tolist():
        if area >= _LEAST and top < middle:
            inside = grey[top + 4 : top + height - 4, left + 4 : left + width - 4].astype(np.float32)
            moment += round((left + width / 2 - rests[0]) / step) * int(character(inside, DIGITS))
    return Balance(moment, float(rests[0]), below)


def at_rest(image: Image.Image, seen: Balance, side: Side) -> Image.Image:
    """Return the picture without its props, a side of the beam down, or none."""
    upper, lower = image.copy(), image.copy()
    upper.paste(_WHITE, (0, seen.below, *image.size))
    tilt = {"left": _TILT, "right": -_TILT, "level": 0.0}[side]
    upper = upper.rotate(tilt, Image.Resampling.BICUBIC, center=(seen.pivot, seen.below - 1), fillcolor=_WHITE)
    foot = np.asarray(lower.convert("L")) < 80
    foot[: seen.below] = False
    upper.paste(lower, (0, 0), Image.fromarray(foot))
    return upper


def _runs(on: np.ndarray) -> np.ndarray:
    """Return the middles of what is on."""
    edges = np.flatnonzero(np.diff(np.pad(on.astype(np.int8), 1))).reshape(-1, 2)
    return (edges[:, 0] + edges[:, 1] - 1) / 2
