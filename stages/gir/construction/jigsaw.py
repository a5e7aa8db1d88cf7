"""Jigsaws: a picture cut into a grid of nearly square tiles, of which at least half are moved.

The proof of a case is its order: which tile of the solution lies at each place of the shuffled picture. No two tiles
look alike, so no other order restores the picture.
"""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterable, Iterator
from typing import NamedTuple

from PIL import Image

from stages.tables.images import UnusableError, as_png, upright_rgb

LEAST_SIDE = 8
"""Pixels of a tile's shorter side."""

Box = tuple[int, int, int, int]
"""Left, top, right, bottom in pixels, right and bottom exclusive."""


class Jigsaw(NamedTuple):
    """A case: `order` says which tile of the solution lies at each place of the shuffled picture, `boxes` where those
    places are; both row by row.
    """

    rows: int
    columns: int
    boxes: tuple[Box, ...]
    order: tuple[int, ...]
    shuffled: bytes
    solution: bytes


def jigsaws(seed: int, pictures: Iterable[bytes], shorter: int) -> Iterator[Jigsaw]:
    """Make a jigsaw of every picture, with so many tiles along its shorter side, two or more.

    ValueError for a picture that comes twice, or of which none can be made.
    """
    if shorter < 2:
        raise ValueError(f"jigsaw: {shorter} tiles along the shorter side are wanted: have 2 or more")
    seen: set[str] = set()
    for picture in pictures:
        digest = hashlib.sha256(picture).hexdigest()
        if digest in seen:
            raise ValueError(f"the picture {digest[:8]}… comes twice: leave one of them out")
        seen.add(digest)
        yield cut(picture, shorter, random.Random(f"jigsaw {seed} {digest}"))


def cut(picture: bytes, shorter: int, chance: random.Random) -> Jigsaw:
    """Cut a picture and shuffle its tiles; what is left over at its edges is taken off on both sides.

    UnusableError for a picture that cannot be read, is too small, or has two tiles that look alike.
    """
    image = upright_rgb(picture)
    rows, columns = grid_of(*image.size, shorter)
    wide, high = image.width // columns, image.height // rows
    if min(wide, high) < LEAST_SIDE:
        raise UnusableError(f"is too small for {rows} x {columns} tiles: {image.width}x{image.height} pixels")
    left, top = (image.width - wide * columns) // 2, (image.height - high * rows) // 2
    whole = image.crop((left, top, left + wide * columns, top + high * rows))
    boxes = boxes_of(*whole.size, rows, columns)
    tiles = [whole.crop(box) for box in boxes]
    if len({tile.tobytes() for tile in tiles}) < len(tiles):
        raise UnusableError(f"has tiles that look alike among its {rows} x {columns}: they have more than one order")
    order = moved(len(tiles), chance)
    shuffled = Image.new("RGB", whole.size)
    for box, number in zip(boxes, order, strict=True):
        shuffled.paste(tiles[number], box)
    return Jigsaw(rows, columns, boxes, order, as_png(shuffled), as_png(whole))


def grid_of(width: int, height: int, shorter: int) -> tuple[int, int]:
    """Return rows and columns of tiles as nearly square as they can be."""
    longer = round(shorter * max(width, height) / min(width, height))
    return (shorter, longer) if width >= height else (longer, shorter)


def boxes_of(width: int, height: int, rows: int, columns: int) -> tuple[Box, ...]:
    """Return the boxes of equal tiles, row by row."""
    wide, high = width // columns, height // rows
    return tuple((c * wide, r * high, (c + 1) * wide, (r + 1) * high) for r in range(rows) for c in range(columns))


def moved(tiles: int, chance: random.Random) -> tuple[int, ...]:
    """Draw an order in which at least half of the tiles are not at their own place."""
    while True:
        order = tuple(chance.sample(range(tiles), tiles))
        if 2 * sum(place != tile for place, tile in enumerate(order)) >= tiles:
            return order
