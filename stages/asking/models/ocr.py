"""What the readers of lettering have in common: the picture as pixels, and the reply's lines in reading order."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable

import numpy as np
import orjson
from numpy.typing import NDArray

from stages.asking.models.pictures import decoded
from stages.asking.requests import Read, Reply, Request
from stages.asking.seeing import Line

ReadLines = Callable[[NDArray[np.uint8]], Iterable[Line]]
"""Reads a picture, (height, width, 3) in BGR as OCR models were trained; ValueError when it cannot be read."""


def answer(request: Request, read: ReadLines, confidence: float) -> Reply:
    """Answer a `Read` with the JSON of its lines in reading order, without those below `confidence` (0..1).

    Confidences have three decimals and corners whole pixels: models give no more, and the rest differs by machine.
    """
    assert isinstance(request, Read)  # params.yaml gives it no other role
    try:
        lines = list(read(np.ascontiguousarray(np.asarray(decoded(request.picture))[..., ::-1])))
    except ValueError as error:
        return Reply(f"the picture {error}".encode(), "invalid")
    rounded = [
        Line(line.text, round(line.confidence, 3), tuple((round(x), round(y)) for x, y in line.corners))
        for line in lines
        if line.text.strip()
    ]
    kept = [list(line) for line in in_reading_order(rounded) if line.confidence >= confidence]
    return Reply(orjson.dumps(kept))


def in_reading_order(lines: Iterable[Line]) -> list[Line]:
    """Sort lines into rows from top to bottom, each from left to right.

    A line stands in the same row as the one before when its middle is above the lower edge of the row's first.
    """
    rows: list[list[Line]] = []
    for line in sorted(lines, key=lambda line: (middle(line), line)):
        if rows and middle(line) < max(y for _, y in rows[-1][0].corners):
            rows[-1].append(line)
        else:
            rows.append([line])
    return list(itertools.chain.from_iterable(sorted(row, key=lambda line: (line.corners[0], line)) for row in rows))


def middle(line: Line) -> float:
    """Return the height of a line's centre in pixels from the top."""
    heights = [y for _, y in line.corners]
    return (min(heights) + max(heights)) / 2
