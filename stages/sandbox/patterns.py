"""Looks at patterns of filled squares, finds what comes next or what a mirror shows, and fills squares."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .answering import Unsupported
from .grids import Box, gaps, lines

Squares = NDArray[np.bool_]
"""Which squares are filled, rows from the top."""
_MOST = 12
"""Rows or columns of a pattern at most."""


class Pattern(NamedTuple):
    """What is seen: which squares are filled, the box of each row by row, and what they are filled with."""

    squares: Squares
    boxes: Sequence[Box]
    fill: tuple[int, int, int] | None


def look(image: Image.Image) -> Pattern:
    """Look at a picture, RGB. Unsupported: it shows no pattern of squares."""
    pixels = np.asarray(image, np.int16)
    level = pixels.mean(2)
    line = (np.ptp(pixels, axis=2) < 30) & (level < 175)
    rows, columns = gaps(lines(line)), gaps(lines(line.T))
    if not 2 <= len(rows) <= _MOST or not 2 <= len(columns) <= _MOST:
        raise Unsupported("the picture shows no pattern of squares")
    boxes = [(left, top, right, bottom) for top, bottom in rows for left, right in columns]
    inside = [
        np.median(pixels[top + 2 : bottom - 2, left + 2 : right - 2], axis=(0, 1)) for left, top, right, bottom in boxes
    ]
    filled = np.array([float(colour.min()) < 215 for colour in inside])
    red, green, blue = np.median(np.array(inside)[filled], axis=0) if filled.any() else (0, 0, 0)
    fill = (round(float(red)), round(float(green)), round(float(blue))) if filled.any() else None
    return Pattern(filled.reshape(len(rows), len(columns)), boxes, fill)


def filled_in(image: Image.Image, seen: Pattern, wanted: Squares, fill: tuple[int, int, int]) -> Image.Image:
    """Return a picture with other squares filled."""
    made = image.copy()
    for box, is_filled, shall_be in zip(seen.boxes, seen.squares.flat, wanted.flat, strict=True):
        if is_filled != shall_be:
            made.paste(fill if shall_be else (255, 255, 255), box)
    return made


def in_words(squares: Squares) -> str:
    """Return which squares of each row are filled: `Row 1: 2, 4. Row 2: none.`"""
    told = [", ".join(str(place + 1) for place in np.flatnonzero(row)) or "none" for row in squares]
    return " ".join(f"Row {number}: {places}." for number, places in enumerate(told, 1))


def following(states: Sequence[Squares], rule_is_told: bool) -> Squares:
    """Return the state after the last: by the Game of Life where the rule is told, else the only one that any rule
    leads to that fits. Unsupported where there is none such.
    """
    if len({state.shape for state in states}) != 1 or states[0].shape[0] != states[0].shape[1] or len(states) < 2:
        raise Unsupported("the pictures are no states of one pattern")
    if rule_is_told:
        return _generation(states[-1])
    found = {}
    for rule in _rules(states[0].shape[0]):
        if all(np.array_equal(rule(one), other) for one, other in itertools.pairwise(states)):
            found[rule(states[-1]).tobytes()] = rule(states[-1])
    if len(found) != 1:
        raise Unsupported(f"{len(found)} states may come next, one is wanted")
    return found.popitem()[1]


def in_mirror(squares: Squares) -> Squares:
    """Return a pattern whose right half is the mirror image of its left one."""
    half = squares[:, : squares.shape[1] // 2]
    return np.hstack([half, half[:, ::-1]])


def _rules(side: int) -> Iterator[Callable[[Squares], Squares]]:
    turns: list[Callable[[Squares], Squares]] = [*(partial(np.rot90, k=k) for k in range(4)), np.fliplr, np.flipud]
    moves = itertools.product(turns, itertools.product(range(-2, 3), repeat=2))
    plain = [lambda s, turn=turn, by=by: np.roll(turn(s), by, (0, 1)) for turn, by in moves]
    yield from plain
    yield from (lambda s, rule=rule: ~rule(s) for rule in plain)
    yield from (lambda s, by=by: _more(s, by) for by in range(1, 5))


def _more(squares: Squares, by: int) -> Squares:
    """Fill so many squares more; none where the filled ones are not the first."""
    count = int(squares.sum())
    first = (np.arange(squares.size) < count).reshape(squares.shape)
    more = (np.arange(squares.size) < count + by).reshape(squares.shape)
    return more if np.array_equal(first, squares) else squares


def _generation(squares: Squares) -> Squares:
    wide = np.pad(squares.astype(int), 1)
    rows, columns = squares.shape
    around = sum(
        wide[1 + down : 1 + down + rows, 1 + right : 1 + right + columns]
        for down, right in itertools.product((-1, 0, 1), repeat=2)
        if down or right
    )
    return np.asarray((around == 3) | (squares & (around == 2)), np.bool_)
