"""Judgments made by hand: boxes, lines, pictures."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from gamut.asking.seeing import Detection, Line


def boxes(**counts: int) -> list[Detection]:
    """So many boxes of each label, somewhere."""
    return [Detection(label, 1.0, (10.0, 10.0, 20.0, 20.0)) for label, count in counts.items() for _ in range(count)]


def placed(**places: tuple[float, float, float, float] | list[tuple[float, float, float, float]]) -> list[Detection]:
    listed = {label: box if isinstance(box, list) else [box] for label, box in places.items()}
    return [Detection(label, 1.0, box) for label, some in listed.items() for box in some]


def line(text: str, confidence: float = 0.9, box: tuple[float, float, float, float] = (0, 0, 100, 20)) -> Line:
    left, top, right, bottom = box
    return Line(text, confidence, ((left, top), (right, top), (right, bottom), (left, bottom)))


def digit(value: int, x: float, y: float, confidence: float = 0.9) -> Line:
    return line(str(value), confidence, (x - 10, y - 10, x + 10, y + 10))


def picture(side: int, colour: tuple[int, int, int] = (120, 120, 120)) -> NDArray[np.uint8]:
    return np.full((side, side, 3), colour, np.uint8)
