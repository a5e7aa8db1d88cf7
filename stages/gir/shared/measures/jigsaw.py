"""Visual jigsaw: how many tiles of the answer are in their place, and how near the answer is to the solution. As
released: how far all answers are from all solutions by their features.

FID (Heusel et al. 2017) grows with fewer pictures: with n below the number of features, covariances are known in only n
- 1 directions. The kernel distance KID (Bińkowski et al. 2018) does not grow: it is unbiased.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray
from PIL import Image

Pixels = NDArray[np.uint8]
"""A picture: height, width, 3."""
Floats = NDArray[np.float64]
Features = NDArray[np.float64]
"""Of pictures: one row each."""
SIDE = 32
"""Pixels along a tile for comparison."""
NOISE = 8.0**2
"""Squared difference of levels, 0..255, without meaning: more than saving as a JPEG changes an even tile."""
FID_SCALE = 60.0


def accuracy(answer: Pixels, solution: Pixels, rows: int, columns: int) -> float:
    """Return the share of tiles in their place, 0..1. The answer may have any size.

    The tile at a place is right if it is nearest to the solution's tile of that place, and nearer to it than any even
    colour could be, except for noise. So a grey picture has no right tile, a repainted one may have all, and two tiles
    that look the same may replace each other.
    """
    made, meant = (tiles_of(picture, rows, columns) for picture in (answer, solution))
    own = meant.var(axis=1).mean(axis=1)
    distances = np.stack([((made - tile) ** 2).mean(axis=(1, 2)) for tile in meant], axis=1)
    itself = np.diagonal(distances)
    return float(((itself <= distances.min(axis=1)) & (itself < np.maximum(own, NOISE))).mean())


def similarity(answer: Pixels, solution: Pixels, rows: int, columns: int) -> float:
    """Return the share of the solution's variance in the answer, 0..1. ValueError for a solution of one colour."""
    made, meant = (tiles_of(picture, rows, columns) for picture in (answer, solution))
    whole = ((meant - meant.mean(axis=(0, 1))) ** 2).sum()
    if whole == 0:
        raise ValueError("the solution has only one colour, so it is not a jigsaw")
    return max(0.0, 1 - float(((made - meant) ** 2).sum() / whole))


def tiles_of(picture: Pixels, rows: int, columns: int) -> Floats:
    """Cut a picture into tiles row by row, each averaged down to pixels of shape (tiles, SIDE * SIDE, 3)."""
    small = Image.fromarray(picture).resize((columns * SIDE, rows * SIDE), Image.Resampling.BOX)
    tiles = np.asarray(small, np.float64).reshape(rows, SIDE, columns, SIDE, 3).swapaxes(1, 2)
    return tiles.reshape(rows * columns, SIDE * SIDE, 3)


def released_score(fid: float) -> float:
    """Return the score 0..1 of all answers together, from their Fréchet Inception distance to all solutions."""
    return math.exp(-max(fid, 0.0) / FID_SCALE)


def fid(first: Features, second: Features) -> float:
    """Return |m1 - m2|² + tr(S1 + S2 - 2 (S1 S2)^½) of the means and the covariances (n - 1) of two sets.

    The trace of the root is the sum of the singular values of X1 X2ᵀ, with X the centred features over √(n - 1): as S =
    XᵀX, the eigenvalues of S1 S2 are those of (X1 X2ᵀ)(X1 X2ᵀ)ᵀ. So no root of the covariances is needed. They have
    rank n - 1 at most, and rounding errors of their zero eigenvalues would add up.
    """
    one, other = centred_features(first, second)
    apart = first.mean(axis=0) - second.mean(axis=0)
    shared = np.linalg.svd(shortened_rows(one) @ shortened_rows(other).T, compute_uv=False).sum()
    return float(apart @ apart + (one**2).sum() + (other**2).sum() - 2 * shared)


def kid(first: Features, second: Features) -> float:
    """Return the unbiased squared maximum mean discrepancy, kernel (xᵀy / features + 1)³. It may be negative."""
    require_comparable(first, second)
    within = []
    for features in (first, second):
        values = kernel(features, features)
        within.append((values.sum() - np.trace(values)) / (len(features) * (len(features) - 1)))
    return float(sum(within) - 2 * kernel(first, second).mean())


def centred_features(*sets: Features) -> list[Features]:
    """Return sets of features minus their means, over the root of n - 1."""
    require_comparable(*sets)
    return [(one - one.mean(axis=0)) / np.sqrt(len(one) - 1) for one in sets]


def shortened_rows(features: Features) -> Features:
    """Return rows with the same products of columns (XᵀX), but no more rows than features."""
    return np.asarray(np.linalg.qr(features, mode="r")) if len(features) > features.shape[1] else features


def kernel(first: Features, second: Features) -> Features:
    values: Features = (first @ second.T / first.shape[1] + 1) ** 3
    return values


def require_comparable(*sets: Features) -> None:
    """Raise ValueError unless these are sets of the same features, each of at least two pictures."""
    if any(one.ndim != 2 or len(one) < 2 for one in sets) or len({one.shape[1] for one in sets}) != 1:
        raise ValueError("each side needs at least two pictures with the same features")
    if not all(np.isfinite(one).all() for one in sets):
        raise ValueError("some features are not finite numbers")
