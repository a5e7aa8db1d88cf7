"""Edits that are puzzles, answered by looking at the picture alone: jigsaws, Sudoku, and regions painted green.

At the rate of wrong reasoning they are answered wrongly: some tiles stay mixed up, digits are wrong, another region is
green.
"""

from __future__ import annotations

import random
import re

import cv2
import numpy as np
from PIL import Image

from . import grids, silhouettes, tiling
from .answering import Unsupported
from .decoding import opened
from .descriptions import kinds_described
from .material import Parts, pictures_of, texts_of
from .sudoku import solution

_JIGSAW = re.compile(r"cut into (\d{1,3}) rows? and (\d{1,3}) columns? of tiles.*mixed up", re.IGNORECASE | re.DOTALL)
_SUDOKU = re.compile(r"\bsolve this sudoku\b", re.IGNORECASE)
_REGION = re.compile(r"^\s*Find (.+?)\.?\s+Paint exactly that region in pure green\b", re.IGNORECASE | re.DOTALL)
_GREEN = (0, 255, 0)
_OFF = 0.04
"""By how much of the picture's shorter side a region is too large or too small."""


def solved_puzzle(parts: Parts, rate: float, rng: random.Random) -> bytes | None:
    """Return the answer to a puzzle as a PNG of its picture's size, None where no puzzle is put. It is wrong at a rate
    0..1. Unsupported where the picture cannot be read.
    """
    text = " ".join(texts_of(parts))
    jigsaw, region = _JIGSAW.search(text), _REGION.match(text)
    if not (jigsaw or region or _SUDOKU.search(text)):
        return None
    pictures = pictures_of(parts)
    if len(pictures) != 1:
        raise Unsupported(f"a puzzle has one picture, not {len(pictures)}")
    image = opened(pictures[0])
    wrong = rng.random() < rate
    if jigsaw:
        made = put_back(image, int(jigsaw[1]), int(jigsaw[2]), wrong, rng)
    elif region:
        made = painted_green(pictures[0], image, region[1], wrong, rng)
    else:
        made = filled_in(image, wrong, rng)
    return silhouettes.png(made)


def put_back(image: Image.Image, rows: int, columns: int, wrong: bool, rng: random.Random) -> Image.Image:
    """Return a jigsaw's picture whole; wrong: with 2 to half of its tiles in each other's places."""
    tiles = tiling.cut(np.asarray(image, np.float32), rows, columns)
    order = list(tiling.best_order(tiles, rows, columns))
    if wrong:
        places = rng.sample(range(len(order)), rng.randint(2, max(2, len(order) // 2)))
        taken = [order[place] for place in places]
        for place, tile in zip(places, [*taken[1:], taken[0]], strict=True):
            order[place] = tile
    return Image.fromarray(tiling.joined(tiles[order], rows, columns).astype(np.uint8))


def filled_in(image: Image.Image, wrong: bool, rng: random.Random) -> Image.Image:
    """Return a Sudoku with its empty cells filled in; wrong: up to half of them with other digits, or a given altered
    beside one.
    """
    grid = grids.look(image)
    if (right := solution(grid.digits)) is None:
        raise Unsupported("the Sudoku has no solution")
    size = len(right) ** 0.5
    written = {cell: right[cell] for cell, given in enumerate(grid.digits) if not given}
    if wrong and written:
        spoilt = rng.sample(sorted(written), rng.randint(1, max(1, len(written) // 2)))
        givens = [cell for cell in range(len(right)) if cell not in written]
        if givens and rng.random() < 1 / 3:
            spoilt[-1] = rng.choice(givens)
        for cell in spoilt:
            written[cell] = rng.choice([digit for digit in range(1, round(size) + 1) if digit != right[cell]])
    for cell, digit in written.items():
        grids.write(image, grid, cell, digit)
    return image


def painted_green(picture: bytes, image: Image.Image, description: str, wrong: bool, rng: random.Random) -> Image.Image:
    """Return a picture with all things of the kind described in green; wrong: those of the other kinds, or a region too
    large or too small.
    """
    if (thing := kinds_described(description)) is None:
        raise Unsupported(f"the embedded world does not know what is meant by {description[:120]!r}")
    things = silhouettes.seen(picture, image)
    fits = [kind == thing[0] and thing[1] in (None, colour) for kind, colour, _ in things]
    if not any(fits):
        raise Unsupported(f"there is nothing in the picture that is {description[:120]}")
    other = wrong and not all(fits) and rng.random() < 0.5
    regions = [region for (_, _, region), fit in zip(things, fits, strict=True) if fit != other]
    marks = np.any(regions, axis=0).astype(np.uint8)
    if wrong and not other:
        reach = 2 * max(2, round(_OFF * min(image.size))) + 1
        change = cv2.dilate if rng.random() < 0.5 else cv2.erode
        marks = np.asarray(change(marks, np.ones((reach, reach), np.uint8)), np.uint8)
    pixels = np.array(image)
    pixels[marks > 0] = _GREEN
    return Image.fromarray(pixels)
