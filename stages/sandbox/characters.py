"""Single printed characters, known by their likeness to those of the font that Pillow carries."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from .answering import Unsupported
from .grids import Grey, font_of, size_of, unit

DIGITS = "123456789"
CAPITALS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_DARK = 128.0
_SURE = 0.6
"""Likeness from which a character is known."""
_SHIFTS = (-3, -2, -1, 0, 1, 2, 3)


def character(grey: Grey, among: str) -> str:
    """Return which character stands on a piece of paper (h, w), dark on light. Unsupported: none, or an unknown one."""
    dark = grey < _DARK
    ink = 255 - trimmed(grey, dark)
    if min(ink.shape) < 2:
        raise Unsupported("there is no character where one is looked for")
    shifted = np.stack([np.roll(unit(ink), shift, 1).ravel() for shift in _SHIFTS])
    likeness = [float((shifted @ template.ravel()).max()) for template in _templates(among, ink.shape[0])]
    if max(likeness) < _SURE:
        raise Unsupported("a character in the picture is none that the embedded world knows")
    return among[likeness.index(max(likeness))]


def trimmed(grey: Grey, dark: NDArray[np.bool_]) -> Grey:
    """Return the part of a piece of paper that has something dark on it; it may be empty."""
    rows, columns = np.flatnonzero(dark.any(1)), np.flatnonzero(dark.any(0))
    if not len(rows):
        return grey[:0, :0]
    return grey[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]


@cache
def _templates(among: str, height: int) -> tuple[Grey, ...]:
    font = font_of(size_of(height))
    found = []
    for sign in among:
        image = Image.new("L", (3 * height + 20, 3 * height + 20), 255)
        ImageDraw.Draw(image).text((height, height), sign, font=font, fill=20, anchor="mm")
        grey = np.asarray(image, np.float32)
        found.append(unit(255 - trimmed(grey, grey < _DARK)))
    return tuple(found)
