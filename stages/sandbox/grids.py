"""Looks at pictures of digits in a grid of lines, and writes digits into its cells in a like font."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from .answering import Unsupported
from .sudoku import BOXES

Grey = NDArray[np.float32]
_DARK = 128.0
_LINE = 0.6
"""Share of the grid's breadth that is dark along a line."""
_UNEVEN = 0.2
"""By how much of a cell distances of lines may differ."""
_INNER = 0.12
"""Share of a cell at each side that may belong to its lines."""
_LEAST_DIGIT = 0.2
"""Height of a digit, as a share of its cell's: what is lower is a speck."""
_SURE = 0.6
"""Likeness from which a digit is known."""
_SIDE = 24
"""Pixels of a digit as it is compared."""
_SHIFTS = (-3, -2, -1, 0, 1, 2, 3)
"""By how many of them to the side: a digit of few pixels may begin within one."""
_USUAL = 0.33
"""Height of a digit as a share of its cell's, where no other is there to be like."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels."""


@dataclass(frozen=True)
class Grid:
    """What is seen of a grid: its digits row by row, 0 for an empty cell, the boxes of its cells within their lines,
    the height of its digits in pixels and their colour.
    """

    digits: tuple[int, ...]
    cells: tuple[Box, ...]
    height: float
    ink: tuple[int, int, int]


def look(image: Image.Image) -> Grid:
    """Look at a picture, RGB. Unsupported: there is no grid of 4, 6 or 9 in it, or a sign in it is no digit."""
    grey = np.asarray(image.convert("L"), np.float32)
    dark = grey < _DARK
    rows, columns = lines(dark), lines(dark.T)
    if len(rows) != len(columns) or len(rows) - 1 not in BOXES:
        raise Unsupported("there is no grid of 4, 6 or 9 rows and columns in the picture")
    cells = [(x, y, right, bottom) for y, bottom in gaps(rows) for x, right in gaps(columns)]
    digits, heights, inks = [], [], []
    pixels = np.asarray(image, np.uint8)
    for left, top, right, bottom in cells:
        mark = sign(dark[top:bottom, left:right])
        if mark is None:
            digits.append(0)
            continue
        inside = slice(top + mark[1], top + mark[3]), slice(left + mark[0], left + mark[2])
        digits.append(digit_of(255 - grey[inside]))
        heights.append(mark[3] - mark[1])
        inks.append(np.median(pixels[inside][dark[inside]], axis=0))
    usual = _USUAL * (cells[0][3] - cells[0][1])
    red, green, blue = (round(float(level)) for level in (np.median(inks, axis=0) if inks else (20, 20, 20)))
    return Grid(tuple(digits), tuple(cells), float(np.median(heights)) if heights else usual, (red, green, blue))


def lines(dark: NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return where level lines of a grid begin and end, from top to bottom; [] where they are not evenly apart."""
    shares = dark.sum(1)
    on = np.flatnonzero(np.diff(np.pad((shares > _LINE * max(shares.max(), dark.shape[1] / 4)).astype(np.int8), 1)))
    found = [(int(start), int(end)) for start, end in on.reshape(-1, 2)]
    steps = np.diff([(start + end) / 2 for start, end in found])
    even = len(steps) > 0 and float(np.ptp(steps)) <= _UNEVEN * float(np.mean(steps))
    return found if even else []


def gaps(found: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return what lies between lines."""
    return [(end, start) for (_, end), (start, _) in pairwise(found)]


def sign(dark: NDArray[np.bool_]) -> Box | None:
    """Return the box of what is written in a cell, None where it is empty."""
    margins = [round(_INNER * side) for side in dark.shape]
    inner = dark[margins[0] : dark.shape[0] - margins[0], margins[1] : dark.shape[1] - margins[1]]
    rows, columns = np.flatnonzero(inner.any(1)), np.flatnonzero(inner.any(0))
    if not len(rows) or rows[-1] - rows[0] < _LEAST_DIGIT * dark.shape[0]:
        return None
    left, top = int(columns[0]) + margins[1], int(rows[0]) + margins[0]
    return left, top, int(columns[-1]) + margins[1] + 1, int(rows[-1]) + margins[0] + 1


def digit_of(ink: Grey) -> int:
    """Return which digit ink (h, w; the more, the darker) is like. Unsupported where it is like none."""
    shifted = np.stack([np.roll(unit(ink), shift, 1).ravel() for shift in _SHIFTS])
    likeness = [float((shifted @ template.ravel()).max()) for template in templates(ink.shape[0])]
    if max(likeness) < _SURE:
        raise Unsupported("a sign in the grid is no digit that the embedded world knows")
    return likeness.index(max(likeness)) + 1


def unit(ink: Grey) -> Grey:
    """Return ink scaled to one height, centred in a square or cut off at its sides, and of unit length."""
    height, width = ink.shape
    scaled = Image.fromarray(ink).resize((min(_SIDE, max(1, round(_SIDE * width / height))), _SIDE))
    square = np.zeros((_SIDE, _SIDE), np.float32)
    left = (_SIDE - scaled.width) // 2
    square[:, left : left + scaled.width] = np.asarray(scaled)
    flat = square - square.mean()
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1.0), np.float32)


@cache
def templates(height: int) -> tuple[Grey, ...]:
    """Return the digits 1 to 9 as `unit` makes them, of the font that Pillow carries and a height in pixels."""
    font = font_of(size_of(height))
    found = []
    for digit in range(1, 10):
        image = Image.new("L", (2 * height + 20, 2 * height + 20), 255)
        ImageDraw.Draw(image).text((height, height), str(digit), font=font, fill=20, anchor="mm")
        grey = np.asarray(image, np.float32)
        rows, columns = np.flatnonzero((grey < _DARK).any(1)), np.flatnonzero((grey < _DARK).any(0))
        found.append(unit(255 - grey[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]))
    return tuple(found)


def size_of(height: float) -> float:
    """Return the size of the font whose digits have a height in pixels."""
    _, above, _, below = font_of(100).getbbox("0", anchor="ls")
    return 100 * height / (below - above)


def font_of(size: float) -> ImageFont.FreeTypeFont:
    """Return the font that Pillow carries, of a size in pixels, set alike on every machine."""
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)


def write(image: Image.Image, grid: Grid, cell: int, digit: int) -> None:
    """Write a digit in the middle of a cell, like those of the grid; what was there is wiped out."""
    left, top, right, bottom = grid.cells[cell]
    draw = ImageDraw.Draw(image)
    if grid.digits[cell]:
        paper = image.getpixel((left + (right - left) // 16 + 1, top + (bottom - top) // 16 + 1))
        draw.rectangle((left + 1, top + 1, right - 2, bottom - 2), fill=paper)
    font = font_of(size_of(grid.height))
    _, above, _, below = font.getbbox(str(digit), anchor="ls")
    at = ((left + right) / 2, (top + bottom) / 2 - (above + below) / 2)
    draw.text(at, str(digit), font=font, fill=grid.ink, anchor="ms")
