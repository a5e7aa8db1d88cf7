"""Precision and recall of every filter at every threshold, in one picture: for who would rather look than read."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from PIL import Image, ImageDraw

from stages.dataset.calibration.measures import Measures
from stages.dataset.calibration.operating_points import THRESHOLDS, Points
from stages.project.files import write_whole
from stages.tables.drawing import FAINT, INK, PAPER, font, lossless

SIDE, PITCH_X, PITCH_Y, TITLE, MARGIN, ACROSS = 190, 236, 250, 46, 28, 5
"""Pixels: the side of a plot, from plot to plot, above and around all; and plots in a row."""
DOT = 4
TELLING = (
    "Recall to the right, precision upwards, 0 to 1; a dot is a threshold, the red one today's with 95 % intervals"
)
RED, BLUE, GREY = "#c1584f", "#4a78b5", "#d9dee2"


def draw_curves(path: Path, curves: Mapping[str, Points], report: Mapping[str, Measures]) -> None:
    """Draw a plot for each filter as a lossless WebP file: recall to the right, precision upwards, both 0..1. A dot is
    a threshold, with its number; the red one is today's, with its 95 % intervals.
    """
    rows = -(-len(curves) // ACROSS)
    width, height = (ACROSS - 1) * PITCH_X + SIDE, TITLE + rows * PITCH_Y
    sheet = Image.new("RGB", (2 * MARGIN + width, 2 * MARGIN + height), PAPER)
    draw = ImageDraw.Draw(sheet)
    draw.text((MARGIN, MARGIN), TELLING, INK, font(19))
    for number, (name, curve) in enumerate(curves.items()):
        row, place = divmod(number, ACROSS)
        plot(draw, MARGIN + place * PITCH_X, MARGIN + TITLE + row * PITCH_Y, name, curve, report[name])
    write_whole(path, lossless(sheet))


def plot(draw: ImageDraw.ImageDraw, left: int, top: int, name: str, curve: Points, found: Measures) -> None:
    draw.text((left, top), name, INK, font(16))
    draw.text((left + SIDE, top + 2), f"{found.labels:,} labels", FAINT, font(13), anchor="ra")
    top += 24
    for share in (0, 0.5, 1):
        at = round(SIDE * share)
        draw.line((left, top + SIDE - at, left + SIDE, top + SIDE - at), GREY)
        draw.line((left + at, top, left + at, top + SIDE), GREY)
    points = [
        (left + SIDE * recall, top + SIDE * (1 - precision), threshold)
        for threshold, precision, recall in zip(THRESHOLDS, curve.precision, curve.recall, strict=True)
        if precision == precision and recall == recall  # NaN, which is undefined, is not itself
    ]
    draw.line([(x, y) for x, y, _ in points], BLUE, 2)
    for x, y, threshold in sorted(points, key=lambda point: point[2] == found.threshold):  # today's on top
        colour = RED if threshold == found.threshold else BLUE
        if threshold == found.threshold:
            low, high = curve.recall_low[threshold], curve.recall_high[threshold]
            draw.line((left + SIDE * low, y, left + SIDE * high, y), RED)
            low, high = curve.precision_low[threshold], curve.precision_high[threshold]
            draw.line((x, top + SIDE * (1 - high), x, top + SIDE * (1 - low)), RED)
        draw.ellipse((x - DOT, y - DOT, x + DOT, y + DOT), colour)
        draw.text((x - DOT - 2, y + DOT), str(threshold), colour, font(12), anchor="ra")
