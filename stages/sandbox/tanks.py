"""Looks at blocks above a tank of water, with the mass and the volume of each, and puts them into it."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from PIL import Image

from .answering import Unsupported
from .grids import Box
from .ocr import read_print

_GRAMS, _MILLILITRES = re.compile(r"(\d{1,4})\s*g"), re.compile(r"(\d{1,4})\s*ml")


class Block(NamedTuple):
    """A block: its box with its outline, and how its density is to that of water."""

    box: Box
    density: float


class Tank(NamedTuple):
    """The blocks from the left, and the rows at which the water and its bottom begin."""

    blocks: Sequence[Block]
    surface: int
    bottom: int


def look(image: Image.Image) -> Tank:
    """Look at a picture, RGB. Unsupported: it shows no blocks above water with a mass and a volume each."""
    pixels = np.asarray(image, np.int16)
    grey = np.asarray(image.convert("L"), np.float32)
    water = (pixels[..., 2] - pixels[..., 0] > 40) & (pixels[..., 2] > 180)
    wet = np.flatnonzero(water.mean(1) > 0.5)
    wood = pixels[..., 0] - pixels[..., 2] > 60
    if not len(wet):
        raise Unsupported("the picture shows no water")
    surface, bottom = int(wet[0]), int(wet[-1]) + 1
    wood[surface:] = False
    held = np.flatnonzero(wood.any(1))
    edges = np.flatnonzero(np.diff(np.pad(wood.any(0).astype(np.int8), 1))).reshape(-1, 2)
    if not len(edges) or len(edges) > 6:
        raise Unsupported("the picture shows no blocks above water")
    top, low = int(held[0]) - 3, int(held[-1]) + 4
    blocks = []
    for left, right in edges.tolist():
        wide = right - left
        lines = _lines(grey[:top, max(0, left - wide // 2) : right + wide // 2])
        grams = [int(found[1]) for line in lines if (found := _GRAMS.fullmatch(line))]
        volume = [int(found[1]) for line in lines if (found := _MILLILITRES.fullmatch(line))]
        if len(grams) != 1 or len(volume) != 1 or not volume[0]:
            raise Unsupported(f"the mass or the volume of a block cannot be read: {lines}")
        blocks.append(Block((left - 3, top, right + 3, low), grams[0] / volume[0]))
    return Tank(blocks, surface, bottom)


def at_rest(image: Image.Image, seen: Tank, afloat: Sequence[bool]) -> Image.Image:
    """Return the picture with the blocks in the water, some afloat and the others on its bottom."""
    made = image.copy()
    for (box, density), floats in zip(seen.blocks, afloat, strict=True):
        block = image.crop(box)
        made.paste((255, 255, 255), box)
        tall = box[3] - box[1]
        share = density if density < 1 else 0.5
        top = round(seen.surface - tall * (1 - share)) if floats else seen.bottom + 4 - tall
        made.paste(block, (box[0], top))
    return made


def in_words(afloat: Sequence[bool]) -> str:
    """Return what the blocks do: `A floats. B sinks.`"""
    return " ".join(
        f"{name} {'floats' if floats else 'sinks'}." for name, floats in zip("ABCDEF", afloat, strict=False)
    )


def _lines(grey: np.ndarray) -> list[str]:
    on = np.flatnonzero(np.diff(np.pad((grey < 128).any(1).astype(np.int8), 1))).reshape(-1, 2)
    return [read_print(grey[start:end]) for start, end in on.tolist()]
