"""Visual jigsaw: how many tiles of the answer lie where they belong, and how near the answer is to the solution."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]
"""A picture: height, width, 3."""
Floats = NDArray[np.float64]
SIDE = 32
"""Pixels along a tile as it is compared."""
NOISE = 8.0**2
"""Squared difference of levels, 0..255, that says nothing: what saving as a JPEG makes of an even tile, and more."""
FID_SCALE = 60.0


def accuracy(answer: Pixels, solution: Pixels, rows: int, columns: int) -> float:
    """Return the share of tiles that are where they belong, 0..1; the answer may have any size.

    The tile at a place is right if of the solution's tiles it is nearest to the one that belongs there, and nearer to
    that one than any even colour could be, but for mere noise. So a grey picture has no tile right, one that was
    painted anew may have all, and of two tiles that look the same either may stand in the place of the other.
    """
    made, meant = (tiles_of(picture, rows, columns) for picture in (answer, solution))
    own = meant.var(axis=1).mean(axis=1)
    distances = np.stack([((made - tile) ** 2).mean(axis=(1, 2)) for tile in meant], axis=1)
    itself = np.diagonal(distances)
    return float(((itself <= distances.min(axis=1)) & (itself < np.maximum(own, NOISE))).mean())


def similarity(answer: Pixels, solution: Pixels, rows: int, columns: int) -> float:
    """Return which share of the solution's variance the answer has, 0..1; ValueError for a solution of one colour."""
    made, meant = (tiles_of(picture, rows, columns) for picture in (answer, solution))
    whole = ((meant - meant.mean(axis=(0, 1))) ** 2).sum()
    if whole == 0:
        raise ValueError("the solution has one colour: it is no jigsaw")
    return max(0.0, 1 - float(((made - meant) ** 2).sum() / whole))


def tiles_of(picture: Pixels, rows: int, columns: int) -> Floats:
    """Cut a picture into tiles row by row, each averaged down to pixels of shape (tiles, SIDE * SIDE, 3)."""
    small = Image.fromarray(picture).resize((columns * SIDE, rows * SIDE), Image.Resampling.BOX)
    tiles = np.asarray(small, np.float64).reshape(rows, SIDE, columns, SIDE, 3).swapaxes(1, 2)
    return tiles.reshape(rows * columns, SIDE * SIDE, 3)


def released_score(fid: float) -> float:
    """Return the score 0..1 of all answers together, from their Fréchet Inception distance to all solutions."""
    return math.exp(-max(fid, 0.0) / FID_SCALE)
