"""Looks at a ball above tilted ramps and bins, follows its way, and puts it into the bin in which it ends."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import cv2
import numpy as np
from PIL import Image

from .answering import Unsupported
from .grids import Box

BINS = "ABCDEFGHIJ"
_DARK = 80
_BEYOND = 6
"""Pixels between the end of a ramp and a ball that falls from it."""
_MOST_RAMPS = 20


class BallRun(NamedTuple):
    """The box of the ball, where it ends from the left, the edges of bins, and the row at which their floor begins."""

    ball: Box
    end: float
    edges: Sequence[float]
    floor: int

    @property
    def bin(self) -> int:
        """Return the bin in which the ball ends, from 0."""
        return sum(edge < self.end for edge in self.edges) - 1


def look(image: Image.Image) -> BallRun:
    """Look at a picture, RGB, and follow the ball. Unsupported: there is no such run, or the ball leaves it."""
    pixels = np.asarray(image, np.int16)
    red = (pixels[..., 0] - pixels[..., 1] > 80).astype(np.uint8)
    rows, columns = np.flatnonzero(red.any(1)), np.flatnonzero(red.any(0))
    if not len(rows):
        raise Unsupported("the picture shows no ball")
    ball = int(columns[0]) - 3, int(rows[0]) - 3, int(columns[-1]) + 4, int(rows[-1]) + 4
    dark = np.asarray(image.convert("L")) < _DARK
    dark[ball[1] : ball[3], ball[0] : ball[2]] = False
    _, parts, boxes, _ = cv2.connectedComponentsWithStats(dark.astype(np.uint8))
    x, y = (ball[0] + ball[2]) / 2, ball[3]
    for _ in range(_MOST_RAMPS):
        if not 0 <= x < image.width or not len(met := np.flatnonzero(dark[y:, int(x)])):
            break
        part = parts[y + met[0], int(x)]
        left, top, width, height, _ = boxes[part].tolist()
        if width > 0.7 * image.width:
            edges = _edges(parts[top + 10] == part)
            floor = next(row for row in range(top, top + height) if (parts[row] == part).sum() > 0.9 * width)
            return BallRun(ball, x, edges, floor)
        ends = [float(np.flatnonzero(parts[:, column] == part).mean()) for column in (left + 2, left + width - 3)]
        reach = (ball[2] - ball[0]) / 2 + _BEYOND - 3
        x = left + width - 1 + reach if ends[1] > ends[0] else left - reach
        y = round(max(ends)) + 8
    raise Unsupported("the ball in the picture ends in no bin")


def ended(image: Image.Image, seen: BallRun, number: int) -> Image.Image:
    """Return the picture with the ball in a bin: where it falls, or in the middle of another one."""
    made = image.copy()
    ball = image.crop(seen.ball)
    made.paste((255, 255, 255), seen.ball)
    x = seen.end if number == seen.bin else (seen.edges[number] + seen.edges[number + 1]) / 2
    made.paste(ball, (round(x - ball.width / 2), seen.floor - ball.height))
    return made


def _edges(on: np.ndarray) -> list[float]:
    runs = np.flatnonzero(np.diff(np.pad(on.astype(np.int8), 1))).reshape(-1, 2)
    return [float(start + end - 1) / 2 for start, end in runs]
