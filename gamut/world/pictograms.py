"""Pictures of one pictogram on plain ground, small enough for a model that is built on a laptop: painted by kind,
and seen again.
"""

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

SIDE = 64
"""Pixels."""
KNOWN = (
    *("bat", "duck", "elephant", "snail"),
    *("cactus", "mushroom"),
    *("airplane", "car", "rocket", "sailboat"),
    *("apple", "cocktail"),
    *("anchor", "hammer", "ladder", "umbrella"),
    *("crown", "sword"),
    *("heart", "star"),
)
"""Kinds that differ clearly at this size, two or four of a group: those that the laptop's model is taught."""
UNKNOWN = ("rabbit", "tulip", "helicopter", "clock", "castle", "robot")
"""Kinds that it is not taught."""
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
    out = io.BytesIO()
    Image.fromarray(canvas.round().clip(0, 255).astype(np.uint8)).save(out, "PNG")
    return out.getvalue()


def kind_shown(picture: bytes) -> str | None:
    """Return the kind of the one pictogram that a picture shows; None where it shows none clearly."""
    ink = _ink(picture)
    if ink is None:
        return None
    names, bank = _bank()
    likeness = bank @ _normal(ink)
    best = likeness.reshape(len(names), -1).max(axis=1)
    order = np.argsort(-best)
    sure = best[order[0]] >= _ALIKE and best[order[0]] - best[order[1]] >= _AHEAD
    return names[order[0]] if sure else None


def embed_pictogram(picture: bytes) -> NDArray[np.float32]:
    """A vector of length 1 for the shape of what is there, less what all kinds have in common; where nothing is there
    one that is at right angles to all others.
    """
    ink = _ink(picture)
    if ink is None:
        return np.append(np.zeros(_GRID * _GRID, np.float32), np.float32(1))
    own = _normal(ink) - _bank()[1].mean(axis=0)
    return np.append(own / np.linalg.norm(own), np.float32(0))


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
    mass = float(ink.sum())
    y, x = float((ink * rows).sum()) / mass, float((ink * columns).sum()) / mass
    spread = (float((ink * (np.square(rows - y) + np.square(columns - x))).sum()) / mass) ** 0.5
    scale, middle = _RADIUS / max(spread, 1.0), (_GRID - 1) / 2
    moved = np.array([[scale, 0, middle - scale * x], [0, scale, middle - scale * y]], np.float32)
    soft = cv2.GaussianBlur(ink, (0, 0), 0.5 / scale)
    flat = cv2.warpAffine(soft, moved, (_GRID, _GRID), flags=cv2.INTER_LINEAR).ravel()
    flat = flat - flat.mean()
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-6), np.float32)


@cache
def _bank() -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Names of the kinds, and their normal inks, (kinds · sizes, GRID·GRID)."""
    names = KNOWN + UNKNOWN
    return names, np.stack([_normal(ink_of(name, size, 6)) for name in names for size in (38, 46, 54)])
