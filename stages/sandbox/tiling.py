"""Puts the tiles of a shuffled picture back: the order in which their edges fit best, found by looking at them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from . import palette as p
from .answering import Unsupported

Pixels = NDArray[np.float32]
Costs = NDArray[np.float64]
Order = tuple[int, ...]
"""Which tile lies at each place, row by row."""
MOST_TILES = 36
LEAST_SIDE = 4
"""Pixels of a tile's shorter side."""
_KEPT, _TURNED = 600, 100
"""Beginnings of orders that are followed at a time, and whole orders of which all turns are compared."""
_BEGUN, _WHOLE = 0.3, 0.7
"""How much detail at edges that meet is worth, while an order is begun and when it is whole: what is at edges that do
not meet lies at the picture's border, where nothing stands.
"""
_STEP, _EVEN = 1.0, 0.5
"""Levels of 255 below which a step between edges, or one along an edge, says little: lossy compression makes as much of
an even area.
"""
_FRAMED, _FRAME_RANGE = 8.0, 16.0
"""What it costs to join an edge that is all frame, and how far from the frame's colour it may be, in levels of 255."""


def cut(pixels: Pixels, rows: int, columns: int) -> Pixels:
    """Return the tiles of a picture (h, w, 3), row by row: (tiles, height, width, 3).

    Unsupported for one tile, for too many, for tiles that are too small, and for a picture that is no whole number of
    them.
    """
    height, width = pixels.shape[:2]
    if not 2 <= rows * columns <= MOST_TILES or not rows or not columns:
        raise Unsupported(f"{rows} × {columns} tiles are no jigsaw that the embedded world can solve")
    if height % rows or width % columns or min(height // rows, width // columns) < LEAST_SIDE:
        raise Unsupported(f"a picture of {width}x{height} pixels is not cut into {rows} rows and {columns} columns")
    tiles = pixels.reshape(rows, height // rows, columns, width // columns, 3).swapaxes(1, 2)
    return tiles.reshape(rows * columns, *tiles.shape[2:])


def joined(tiles: Pixels, rows: int, columns: int) -> Pixels:
    """Return the picture that tiles make in their order; the reverse of `cut`."""
    _, height, width, _ = tiles.shape
    return tiles.reshape(rows, columns, height, width, 3).swapaxes(1, 2).reshape(rows * height, columns * width, 3)


def best_order(tiles: Pixels, rows: int, columns: int) -> Order:
    """Return the order in which all edges that meet fit best, and those at the picture's border are the plainest.

    Places are filled row by row; of all beginnings the best are followed. What is found may be turned around, the last
    rows or columns before the first: a sky goes on where it ends. So all such turns are compared.
    """
    beside, sides = misfits(tiles)
    beneath, ends = misfits(tiles.swapaxes(1, 2))
    found = fitting(beside - _BEGUN * sides, beneath - _BEGUN * ends, rows, columns)[:_TURNED]
    grids = found.reshape(-1, rows, columns)
    turns = np.concatenate([np.roll(grids, (down, on), (1, 2)) for down in range(rows) for on in range(columns)])
    across, along = beside - _WHOLE * sides, beneath - _WHOLE * ends
    costs = across[turns[:, :, :-1], turns[:, :, 1:]].sum(axis=(1, 2))
    costs += along[turns[:, :-1], turns[:, 1:]].sum(axis=(1, 2))
    return tuple(turns[int(costs.argmin())].ravel().tolist())


def fitting(beside: Costs, beneath: Costs, rows: int, columns: int) -> NDArray[np.intp]:
    """Return orders of all tiles (orders, tiles), the cheapest first, as far as they are found by following the best
    beginnings.
    """
    count = rows * columns
    orders = np.arange(count)[:, None]
    costs = np.zeros(count)
    for place in range(1, count):
        added = np.zeros((len(orders), count))
        if place % columns:
            added += beside[orders[:, place - 1]]
        if place >= columns:
            added += beneath[orders[:, place - columns]]
        np.put_along_axis(added, orders, np.inf, axis=1)
        totals = (costs[:, None] + added).ravel()
        best = np.argsort(totals, kind="stable")[:_KEPT]
        best = best[np.isfinite(totals[best])]
        costs = totals[best]
        orders = np.concatenate([orders[best // count], (best % count)[:, None]], axis=1)
    return orders


def misfits(tiles: Pixels) -> tuple[Costs, Costs]:
    """Return how badly each tile (rows of the result) goes on in each other one on its right (columns), and how much
    detail the two edges have that meet there; both logarithms.

    A step between two edges counts where it is larger than those within the tiles next to it.
    """
    last, before = tiles[:, :, -1], tiles[:, :, -2]
    first, after = tiles[:, :, 0], tiles[:, :, 1]
    usual = np.maximum(np.abs(last - before)[:, None], np.abs(first - after)[None])
    steps = np.clip(np.abs(last[:, None] - first[None]) - usual, 0, None).mean(axis=(2, 3))
    details = [
        np.log(np.abs(np.diff(edge, axis=1)).mean(axis=(1, 2)) + _EVEN) - _FRAMED * framing(edge)
        for edge in (last, first)
    ]
    return np.log(steps.astype(np.float64) + _STEP), (details[0][:, None] + details[1][None]).astype(np.float64)


def framing(edges: Pixels) -> NDArray[np.bool_]:
    """Return which edges (edges, length, 3) are all frame, as the world's posters and watercolours have around them."""
    near = [np.abs(edges - np.array(colour, np.float32)).max(2) < _FRAME_RANGE for colour in (p.FRAME, p.WASH)]
    return np.asarray(np.any([kind.mean(1) > 0.95 for kind in near], axis=0))
