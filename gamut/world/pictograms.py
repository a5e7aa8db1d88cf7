"""Pictures of one pictogram on plain ground, for a model that is built on a laptop: painted by kind, seen again."""

from __future__ import annotations

import io
import random
import zlib
from functools import cache

import cv2
import numpy as np
from numpy.typing import NDArray
from PIL import Image

from .answering import Unsupported
from .brush import blend
from .shapes import Mask, ink_of
from .vocabulary import KINDS, RGB

SIDE = 64  # pixels
KNOWN = ("bat", "duck", "elephant", "snail", "cactus", "mushroom", "airplane", "car", "rocket", "sailboat", "apple",
         "cocktail", "anchor", "hammer", "ladder", "umbrella", "crown", "sword", "heart", "star")  # fmt: skip
UNKNOWN = ("rabbit", "tulip", "helicopter", "clock", "castle", "robot")
"""Kinds that differ clearly at this size, which the laptop's model is taught, two or four of a group, and is not."""
CATEGORIES = {name: KINDS[name].group for name in KNOWN + UNKNOWN}
_SIZES, _OFF, _SHADE, _TINT = (45, 47), 1, 20, 10
"""Pixels of a pictogram's longer side, pixels off the middle, grey levels off red and off white."""
_GRID, _RADIUS = 32, 9.0
"""Side of what pictures are compared by, cells, and the root mean square of how far ink lies from its middle there."""
_FAINT, _FLOOR = 40.0, 0.25
"""Grey levels between ground and ink below which nothing is seen; how much of the ink's distance counts as ground."""
_ALIKE, _AHEAD = 0.82, 0.05
"""Likeness from which a kind is named, and how far it must be ahead of the next."""


def pictogram(kind: str, number: int) -> bytes:
    """Picture `number` of a kind, a PNG: its place, size and colour are drawn by both."""
    rng = random.Random(zlib.crc32(f"{kind} {number}".encode()))
    canvas = np.empty((SIDE, SIDE, 3), np.float32)
    canvas[:] = [rng.randint(255 - _TINT, 255) for _ in range(3)]
    ink = ink_of(kind, rng.randint(*_SIZES), 0)
    colour = [channel + rng.randint(-_SHADE, _SHADE) for channel in RGB["red"]]
    x, y = ((SIDE - side) // 2 + rng.randint(-_OFF, _OFF) for side in reversed(ink.shape))
    blend(canvas, ink, colour, x, y)
    return cv2.imencode(".png", canvas[..., ::-1].round().clip(0, 255).astype(np.uint8))[1].tobytes()


def kind_shown(picture: bytes) -> str | None:
    """Return the kind of the one pictogram that a picture shows; None where it shows none clearly."""
    ink = _ink(picture)
    if ink is None:
        return None
    best = (_bank() @ _normal(ink)).reshape(len(CATEGORIES), -1).max(axis=1)
    next_best, first = np.sort(best)[-2:]
    return [*CATEGORIES][best.argmax()] if first >= max(_ALIKE, next_best + _AHEAD) else None


def embed_pictogram(picture: bytes) -> NDArray[np.float32]:
    """Of length 1, for the shape of what is there less what all kinds share; for nothing it is like no other."""
    ink = _ink(picture)
    own = np.zeros(_GRID * _GRID, np.float32) if ink is None else _normal(ink) - _bank().mean(axis=0)
    return np.append(own / (np.linalg.norm(own) or 1), np.float32(ink is None))


def _ink(picture: bytes) -> Mask | None:
    """How much of each pixel is ink, 0..1, by its distance from the colour of the rim."""
    try:
        image = Image.open(io.BytesIO(picture)).convert("RGB").resize((SIDE, SIDE), Image.Resampling.BOX)
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise Unsupported(f"the picture cannot be decoded: {error}") from error
    pixels = np.asarray(image, np.float32)
    rim = np.concatenate([pixels[:2], pixels[-2:], pixels[:, :2].swapaxes(0, 1), pixels[:, -2:].swapaxes(0, 1)])
    far = np.sqrt(np.square(pixels - np.median(rim, axis=(0, 1))).mean(axis=2))
    full = float(np.percentile(far, 95))
    if full < _FAINT:
        return None
    return np.clip((far / full - _FLOOR) / (1 - _FLOOR), 0, 1).astype(np.float32)


def _normal(ink: Mask) -> NDArray[np.float32]:
    """Ink moved and scaled so that its middle and its spread are fixed; GRID·GRID cells about 0, of length 1."""
    rows, columns = np.indices(ink.shape, dtype=np.float32)
    y, x = (float(np.average(place, weights=ink)) for place in (rows, columns))
    spread = float(np.average(np.square(rows - y) + np.square(columns - x), weights=ink)) ** 0.5
    scale, middle = _RADIUS / max(spread, 1.0), (_GRID - 1) / 2
    moved = np.array([[scale, 0, middle - scale * x], [0, scale, middle - scale * y]], np.float32)
    flat = cv2.warpAffine(cv2.GaussianBlur(ink, (0, 0), 0.5 / scale), moved, (_GRID, _GRID)).ravel()
    flat -= flat.mean()
    return np.asarray(flat / np.linalg.norm(flat), np.float32)


@cache
def _bank() -> NDArray[np.float32]:  # (kinds · sizes, GRID·GRID)
    return np.stack([_normal(ink_of(name, size, 6)) for name in CATEGORIES for size in (38, 46, 54)])
