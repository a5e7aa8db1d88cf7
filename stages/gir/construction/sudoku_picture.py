"""Grids of Sudoku as pictures, and where in them the cells are: the same shares of the side, however large it is."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageFont

from stages.gir.construction.sudoku import BOXES
from stages.tables.images import as_png

MARGIN = 0.04
"""White around the grid, as a share of the picture's side."""
DIGIT = 0.45
"""Size of the digits' font, as a share of a cell's side. Readers of whole pictures lose larger ones: of full grids of 6
and 512 pixels with digits of 0.6 RapidOCR reads three cells in four, with these all."""
PAPER, INK = "white", (20, 20, 24)

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def cells_of(size: int) -> list[Box]:
    """Return the box of every cell, row by row, as shares of the picture's side."""
    step = (1 - 2 * MARGIN) / size
    edges = [MARGIN + number * step for number in range(size + 1)]
    return [
        (edges[column], edges[row], edges[column + 1], edges[row + 1]) for row in range(size) for column in range(size)
    ]


def drawn(grid: Sequence[int], size: int, side: int) -> bytes:
    """Draw a grid with the digits that it has, as a square PNG; boxes have thicker lines than cells."""
    image = Image.new("RGB", (side, side), PAPER)
    draw = ImageDraw.Draw(image)
    high, wide = BOXES[size]
    low, far = MARGIN * side, (1 - MARGIN) * side
    step = (far - low) / size
    thin = max(1, round(side / 400))
    for number in range(size + 1):
        middle = low + number * step
        for every, horizontal in ((high, True), (wide, False)):
            thick = thin * (3 if number % every == 0 else 1)
            near, end = middle - thick / 2, middle + thick / 2 - 1
            line = (low, near, far, end) if horizontal else (near, low, end, far)
            draw.rectangle(tuple(map(round, line)), fill=INK)
    font = ImageFont.load_default(DIGIT * step)
    assert isinstance(font, ImageFont.FreeTypeFont)
    font = font.font_variant(layout_engine=ImageFont.Layout.BASIC)  # the other one is not on every machine
    for digit, (left, top, right, bottom) in zip(grid, cells_of(size), strict=True):
        if digit:
            _, above, _, below = font.getbbox(str(digit), anchor="ls")
            at = (side * (left + right) / 2, side * (top + bottom) / 2 - (above + below) / 2)
            draw.text(at, str(digit), font=font, fill=INK, anchor="ms")
    return as_png(image)
