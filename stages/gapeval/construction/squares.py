"""Patterns of filled squares, and their pictures."""

from __future__ import annotations

from stages.gapeval.construction.canvas import GREY, PAPER, Colour, sheet
from stages.tables.images import as_png

Rows = tuple[tuple[int, ...], ...]
"""Squares row by row from the top, 1 where one is filled."""
SQUARE, MARGIN = 48, 24
"""Pixels of a square, and around the pattern."""


def shown(rows: Rows, fill: Colour, mirror: bool = False) -> bytes:
    """Draw a pattern as PNG; with a mirror between its left and its right half."""
    size = (len(rows[0]) * SQUARE + 2 * MARGIN, len(rows) * SQUARE + 2 * MARGIN)
    image, draw = sheet(*size)
    for y, row in enumerate(rows):
        for x, filled in enumerate(row):
            left, top = MARGIN + x * SQUARE, MARGIN + y * SQUARE
            colour = fill if filled else PAPER
            draw.rectangle((left, top, left + SQUARE, top + SQUARE), fill=colour, outline=GREY, width=2)
    if mirror:
        middle = size[0] // 2
        draw.rectangle((middle - 4, 4, middle + 4, size[1] - 5), fill=(0, 0, 0))
    return as_png(image)
