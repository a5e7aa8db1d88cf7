"""The gap over both scores as a picture, a panel a judge: what the formula says at independence, and on it the points.

Beside it the lag curve. Bands instead of a smooth run: a reader can tell them apart, and rounding moves no pixel.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

from stages.evaluation.scoring.board_picture import GRID, LINE, MARGIN, WIDTH, shortened
from stages.gapeval.reports.heat_map import FEWEST, REACH, Point, at_independence, lag
from stages.gapeval.shared.items import CATEGORIES
from stages.project.files import write_whole
from stages.tables.drawing import FAINT, INK, PAPER, font, lossless

SIDE, LEFT, HEADING, AXIS = 480, 52, 46, 46
"""Pixels: a plot's side, what stands left of it, above it and below it."""
LAG = LEFT + SIDE + 120
"""Where the plot of the curve begins, behind the scale of colours."""
BANDS = 20
RADIUS = 10
LOW, MIDDLE, HIGH = (250, 243, 221), (222, 116, 74), (84, 20, 74)
"""Colours of a gap of 0, 50 and 100: they also differ in lightness."""
KEY = 3
"""Columns of names below the plots."""
Colour = tuple[int, int, int]
Place = Callable[[float, float], tuple[int, int]]


def draw_heat_map(path: Path, title: str, judges: Mapping[str, Sequence[Point]], said: Mapping[str, str]) -> None:
    """Draw the points of every judge as a lossless WebP file; `said`: what a reader has to know of a judge."""
    heights = {judge: HEADING + SIDE + AXIS + key_height(given) for judge, given in judges.items()}
    below = notes()
    height = 2 * MARGIN + 42 + sum(heights.values()) + LINE * len(below)
    canvas = Image.new("RGB", (WIDTH, height), PAPER)
    draw = ImageDraw.Draw(canvas)
    draw.text((MARGIN, MARGIN), title, INK, font(22))
    y = MARGIN + 42
    for judge, given in judges.items():
        draw.text((MARGIN, y), f"judged by {judge}", INK, font(17))
        draw.text((LAG, y), shortened(said.get(judge, ""), WIDTH - LAG - MARGIN, 13), INK, font(13))
        panel(canvas, draw, y + HEADING, given)
        y += heights[judge]
    for line in below:
        draw.text((MARGIN, y), shortened(line, WIDTH - 2 * MARGIN, 12), FAINT, font(12))
        y += LINE
    write_whole(path, lossless(canvas))


def notes() -> list[str]:
    """Return what a reader has to know, line by line."""
    return [
        "Ground: the gap by its formula if being right in words told nothing of being right as a picture. Points: a "
        "contestant's own gap in one category, higher where both sides",
        "are right, and wrong, in the same samples, and less extreme where it rests on few items: so they may be of "
        "another colour than what they lie on.",
        f"Curve: mean gap of the points within {REACH:g} of a score, the nearer the more; none of fewer than {FEWEST}. "
        "A contestant's points hang together, so it has no interval.",
    ]


def key_height(given: Sequence[Point]) -> int:
    """Return the height of the names of categories and contestants below the plots."""
    return LINE * (2 - len({one.contestant for one in given}) // -KEY) + 12


def panel(canvas: Image.Image, draw: ImageDraw.ImageDraw, top: int, given: Sequence[Point]) -> None:
    """Draw the two plots of a judge and what their marks mean."""
    left = MARGIN + LEFT
    canvas.paste(Image.fromarray(ground()).resize((SIDE, SIDE), Image.Resampling.NEAREST), (left, top))
    place = axes(draw, left, top, "right in words, %", "right as a picture, %")
    draw.line((*place(0, 0), *place(100, 100)), PAPER)
    scale(draw, left + SIDE + 22, top)
    numbers = {name: number for number, name in enumerate(dict.fromkeys(one.contestant for one in given), start=1)}
    for one in given:
        mark(draw, place(one.und, one.gen), one.category, colour(one.gap), str(numbers[one.contestant]))
    place = axes(draw, LAG, top, "mean of both scores, %", "gap", grid=True)
    curve(draw, place, given)
    for one in given:
        mark(draw, place(one.score, one.gap), one.category, colour(one.gap), str(numbers[one.contestant]))
    y = top + SIDE + AXIS
    x = MARGIN + RADIUS
    for category in CATEGORIES:
        words = category.replace("_", " ")
        mark(draw, (x, y + 8), category, PAPER, "")
        draw.text((x + RADIUS + 6, y + 8), words, INK, font(13), anchor="lm")
        x += RADIUS * 2 + 30 + round(font(13).getlength(words))
    wide = (WIDTH - 2 * MARGIN) // KEY
    for name, number in numbers.items():
        row, column = divmod(number - 1, KEY)
        words = shortened(f"{number}  {name}", wide - 8, 13)
        draw.text((MARGIN + column * wide, y + LINE * (row + 1) + 8), words, INK, font(13))


def ground() -> NDArray[np.uint8]:
    """Return the gap at independence as colours, a pixel a point of either score: generation rises upwards."""
    middles = np.arange(100, dtype=np.float64) + 0.5
    gap = at_independence(middles[None, :], middles[::-1, None])
    bands = np.clip(gap * BANDS // 100, 0, BANDS - 1).astype(int)
    return np.array([colour(100 * (band + 0.5) / BANDS) for band in range(BANDS)], np.uint8)[bands]


def colour(gap: float) -> Colour:
    """Return the colour of a gap, 0..100."""
    start, end, share = (LOW, MIDDLE, gap / 50) if gap < 50 else (MIDDLE, HIGH, gap / 50 - 1)
    red, green, blue = (round(a + share * (b - a)) for a, b in zip(start, end, strict=True))
    return red, green, blue


def axes(draw: ImageDraw.ImageDraw, left: int, top: int, x_label: str, y_label: str, grid: bool = False) -> Place:
    """Draw a frame of 0..100 both ways with its ticks, and lines at these if so; return where a value lies."""

    def place(x: float, y: float) -> tuple[int, int]:
        return left + round(x / 100 * SIDE), top + SIDE - round(y / 100 * SIDE)

    for tick in range(0, 101, 20):
        x, y = place(tick, tick)
        if grid:
            draw.line((x, top, x, top + SIDE), GRID)
            draw.line((left, y, left + SIDE, y), GRID)
        draw.text((x, top + SIDE + 4), str(tick), FAINT, font(11), anchor="ma")
        draw.text((left - 5, y), str(tick), FAINT, font(11), anchor="rm")
    draw.rectangle((left, top, left + SIDE, top + SIDE), outline=FAINT)
    draw.text((left + SIDE // 2, top + SIDE + 20), x_label, FAINT, font(12), anchor="ma")
    draw.text((left, top - 6), y_label, FAINT, font(12), anchor="ls")
    return place


def scale(draw: ImageDraw.ImageDraw, left: int, top: int) -> None:
    """Draw which colour is which gap."""
    for band in range(BANDS):
        bottom, above = (top + SIDE - round(SIDE * end / BANDS) for end in (band, band + 1))
        draw.rectangle((left, above, left + 14, bottom), colour(100 * (band + 0.5) / BANDS))
    for tick in range(0, 101, 20):
        draw.text((left + 19, top + SIDE - round(SIDE * tick / 100)), str(tick), FAINT, font(11), anchor="lm")
    draw.text((left, top - 6), "gap", FAINT, font(12), anchor="ls")


def curve(draw: ImageDraw.ImageDraw, place: Place, given: Sequence[Point]) -> None:
    """Draw the lag curve, broken where there is none."""
    before = None
    for score in range(101):
        told = lag(given, score)
        here = None if told is None else place(score, told)
        if before is not None and here is not None:
            draw.line((*before, *here), INK, 3)
        before = here


CORNERS: Mapping[str, Sequence[tuple[float, float]]] = {
    "numerical": ((-0.9, -0.9), (0.9, -0.9), (0.9, 0.9), (-0.9, 0.9)),
    "instruction_following": ((0, -1.25), (1.25, 0), (0, 1.25), (-1.25, 0)),
    "reasoning": ((0, -1.3), (1.25, 0.9), (-1.25, 0.9)),
}
"""Of the marks of categories, in radii; world knowledge has a circle."""


def mark(draw: ImageDraw.ImageDraw, at: tuple[int, int], category: str, fill: Colour | str, text: str) -> None:
    """Draw a point: its shape says the category, its colour the gap, its number the contestant."""
    x, y = at
    ink = PAPER if is_dark(fill) else INK
    if category in CORNERS:
        corners = [(x + round(RADIUS * a), y + round(RADIUS * b)) for a, b in CORNERS[category]]
        draw.polygon(corners, fill, ink)
    else:
        draw.ellipse((x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS), fill, ink)
    draw.text((x, y + (2 if category == "reasoning" else 0)), text, ink, font(11), anchor="mm")


def is_dark(fill: Colour | str) -> bool:
    """Return whether letters on a colour are to be light: by its luma, as television weighs the three."""
    return not isinstance(fill, str) and 0.299 * fill[0] + 0.587 * fill[1] + 0.114 * fill[2] < 130
