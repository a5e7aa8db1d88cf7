"""Binary trees and graphs as grey pictures, to be put above a question."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import cos, hypot, pi, sin

from PIL import Image, ImageDraw

from stages.gapeval.construction.canvas import GREY, INK, PALE, PAPER, WIDTH, sheet, write

RADIUS = 24
"""Pixels of a node."""
STEP = 88
"""Pixels from level to level of a tree."""
TOP = 52
MOST_LEVELS = 5
HEIGHT = 400
"""Pixels of a graph's picture."""
Point = tuple[float, float]


def tree(places: Mapping[str, tuple[int, int]], links: Sequence[tuple[str, str]]) -> Image.Image:
    """Draw a tree, of whose nodes column and level are given."""
    columns, levels = len(places), max(level for _, level in places.values())
    step = WIDTH / (columns + 1)
    points = {name: ((column + 1) * step, TOP + level * STEP) for name, (column, level) in places.items()}
    image, draw = sheet(WIDTH, TOP * 2 + levels * STEP)
    for one, other in links:
        draw.line((*points[one], *points[other]), fill=GREY, width=4)
    nodes(draw, points)
    return image


def graph(names: Sequence[str], edges: Mapping[tuple[str, str], int], directed: bool) -> Image.Image:
    """Draw a graph with its nodes round an ellipse, and arrows or lengths on its edges."""
    angles = [2 * pi * (number / len(names)) - pi / 2 for number in range(len(names))]
    points = {
        name: (WIDTH / 2 + 240 * cos(angle), HEIGHT / 2 + 150 * sin(angle))
        for name, angle in zip(names, angles, strict=True)
    }
    image, draw = sheet(WIDTH, HEIGHT)
    for one, other in edges:
        draw.line((*points[one], *points[other]), fill=GREY, width=3)
    for (one, other), length in edges.items():
        (x, y), (u, v) = points[one], points[other]
        if directed:
            arrow(draw, points[one], points[other])
            continue
        middle = ((x + u) / 2, (y + v) / 2)
        draw.ellipse((middle[0] - 17, middle[1] - 17, middle[0] + 17, middle[1] + 17), fill=PAPER)
        write(draw, middle, str(length), 26)
    nodes(draw, points)
    return image


def arrow(draw: ImageDraw.ImageDraw, start: Point, end: Point) -> None:
    """Draw the head of an arrow before a node."""
    far = hypot(end[0] - start[0], end[1] - start[1])
    x, y = ((b - a) / far for a, b in zip(start, end, strict=True))
    tip, back = RADIUS + 1, RADIUS + 21
    draw.polygon(
        [
            (end[0] - tip * x, end[1] - tip * y),
            (end[0] - back * x - 9 * y, end[1] - back * y + 9 * x),
            (end[0] - back * x + 9 * y, end[1] - back * y - 9 * x),
        ],
        fill=INK,
    )


def nodes(draw: ImageDraw.ImageDraw, points: Mapping[str, Point]) -> None:
    """Draw nodes with their names."""
    for name, (x, y) in points.items():
        draw.ellipse((x - RADIUS, y - RADIUS, x + RADIUS, y + RADIUS), fill=PALE, outline=INK, width=3)
        write(draw, (x, y), name, 28)
