"""The position of grids in pictures: the lines of a Sudoku, the tiles of a jigsaw. Pure functions of pixels."""

from __future__ import annotations

import itertools

import numpy as np
from numpy.typing import NDArray

from stages.gir.shared.items import Frame
from stages.gir.shared.measures.jigsaw import NOISE, tiles_of

Pixels = NDArray[np.uint8]
"""A picture: height, width, 3, in RGB."""
INK_LEVELS = 40
"""Levels of 255 by which a line differs from the paper, which is the level of most pixels."""
LINE_SHARE = 0.4
"""Least length of a grid's line, as a share of the picture's side."""
MOST_UNEVEN = 0.2
"""How far a line may be from its place among even cells, as a share of a cell."""
MOST_LINES = 100
MOST_TILES = 8
"""Most tiles along one side of a jigsaw."""
MOST_UNLIKE = 0.5
"""Largest difference of tiles from those of the solution, as a share of their variance. Of 240 pictures of noise like
that of nature, cut to whole pixels, all but 4 differ by less; cut wrongly all differ by 0.86 or more."""


def frame_of(picture: Pixels, size: int) -> Frame | None:
    """Return the outer edges of the widest grid of `size` cells per side with evenly spaced lines; None without one."""
    import cv2

    grey = cv2.cvtColor(picture, cv2.COLOR_RGB2GRAY)
    paper = int(np.bincount(grey.ravel(), minlength=256).argmax())
    ink = np.abs(grey.astype(np.int16) - paper) > INK_LEVELS
    across, down = ends_of(line_middles(ink.T), size), ends_of(line_middles(ink), size)
    if across is None or down is None:
        return None
    height, width = grey.shape
    return Frame(across[0] / width, down[0] / height, across[1] / width, down[1] / height)


def line_middles(ink: NDArray[np.bool_]) -> list[float]:
    """Return the middles of horizontal lines, in pixels from above: neighbouring rows with a long run of ink."""
    long = longest_ink_runs(ink) >= LINE_SHARE * ink.shape[1]
    edges = np.flatnonzero(np.diff(np.concatenate([[False], long, [False]]).astype(np.int8)))
    return [float(start + end) / 2 for start, end in edges.reshape(-1, 2)]


def longest_ink_runs(ink: NDArray[np.bool_]) -> NDArray[np.int64]:
    run = longest = np.zeros(len(ink), np.int64)
    for column in ink.T:
        run = np.where(column, run + 1, 0)
        longest = np.maximum(longest, run)
    return longest


def ends_of(lines: list[float], size: int) -> tuple[float, float] | None:
    """Return the ends of the widest set of `size` + 1 evenly spaced lines; None without one, or with too many lines."""
    if len(lines) > MOST_LINES:
        return None
    pairs = itertools.combinations(lines, 2)
    for first, last in sorted(pairs, key=lambda pair: pair[0] - pair[1]):
        cell = (last - first) / size
        if all(
            min(abs(first + number * cell - line) for line in lines) <= MOST_UNEVEN * cell for number in range(size + 1)
        ):
            return first, last
    return None


def tiling_of(question: Pixels, solution: Pixels) -> tuple[int, int] | None:
    """Return the fewest rows and columns, 2 to `MOST_TILES` each, by which tiles were moved. None if none fit."""
    numbers = itertools.product(range(2, MOST_TILES + 1), repeat=2)
    for rows, columns in sorted(numbers, key=lambda pair: (pair[0] * pair[1], pair)):
        if is_tiled(question, solution, rows, columns):
            return rows, columns
    return None


def is_tiled(question: Pixels, solution: Pixels, rows: int, columns: int) -> bool:
    from scipy.optimize import linear_sum_assignment  # scipy takes longer to import than a command to start

    mixed, whole = (tiles_of(picture, rows, columns) for picture in (question, solution))
    distances = np.stack([((mixed - tile) ** 2).mean(axis=(1, 2)) for tile in whole], axis=1)
    places, tiles = linear_sum_assignment(distances)
    allowed = max(MOST_UNLIKE * float(whole.var(axis=1).mean()), NOISE)
    return bool((tiles != places).any() and distances[places, tiles].mean() <= allowed)
