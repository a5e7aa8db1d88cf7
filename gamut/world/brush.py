"""Soft-edged shapes laid on a picture: discs, capsules, polygons, clouds. A canvas is (h, w, 3) float32 in 0..255."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

Canvas = NDArray[np.float32]
Mask = NDArray[np.float32]
_FINE = 3  # polygons are drawn this many times larger


def blend(canvas: Canvas, mask: NDArray[np.floating], colour: object, x: int, y: int) -> None:
    """Lay a colour (three numbers or an (h, w, 3) array) on the canvas where the mask is 1; the rest is cut off."""
    height, width = canvas.shape[:2]
    top, left = max(0, y), max(0, x)
    bottom, right = min(height, y + mask.shape[0]), min(width, x + mask.shape[1])
    if top >= bottom or left >= right:
        return
    cut = (slice(top - y, bottom - y), slice(left - x, right - x))
    paint = np.asarray(colour, np.float32)
    if paint.ndim == 3:
        paint = paint[cut]
    for channel in range(3):  # one at a time: several times faster than all three, pixel by pixel
        plane = canvas[top:bottom, left:right, channel]
        plane += (paint[..., channel] - plane) * mask[cut]


def soften(mask: Mask, reach: int) -> Mask:
    """Return a mask whose pixels are means of the squares around them, up to `reach` pixels away; around it is 0."""
    side = 2 * reach + 1
    for _ in ("columns", "rows"):
        sums = np.pad(mask, ((reach + 1, reach), (0, 0))).cumsum(0, np.float64)
        mask = ((sums[side:] - sums[:-side]) / side).astype(np.float32).T
    return mask


def capsule(canvas: Canvas, x0: float, x1: float, y: float, radius: float, colour: object, alpha: float = 1.0) -> None:
    """Draw a level bar with round ends; a disc where x0 = x1."""
    left, top = int(x0 - radius) - 2, int(y - radius) - 2
    columns = np.arange(left, int(x1 + radius) + 3, dtype=np.float32)
    rows = np.arange(top, int(y + radius) + 3, dtype=np.float32)
    along = columns - np.clip(columns, x0, x1)
    distance = np.sqrt(along[None, :] ** 2 + (rows[:, None] - y) ** 2)
    blend(canvas, np.clip(radius - distance + 0.5, 0, 1) * alpha, colour, left, top)


def disc(canvas: Canvas, x: float, y: float, radius: float, colour: object, alpha: float = 1.0) -> None:
    capsule(canvas, x, x, y, radius, colour, alpha)


def cloud(canvas: Canvas, x: float, y: float, width: float, colour: object, alpha: float) -> None:
    left, top = int(x - 0.6 * width), int(y - 0.5 * width)
    columns = np.arange(left, int(x + 0.6 * width) + 1, dtype=np.float32)[None, :]
    rows = np.arange(top, int(y) + 2, dtype=np.float32)[:, None]
    mask = np.zeros((rows.shape[0], columns.shape[1]), np.float32)
    for dx, dy, r in ((-0.33, 0.10, 0.13), (-0.10, 0.17, 0.20), (0.15, 0.12, 0.16), (0.36, 0.07, 0.10)):
        distance = np.sqrt((columns - x - dx * width) ** 2 + (rows - y + dy * width) ** 2)
        mask = np.maximum(mask, np.clip(r * width - distance + 0.5, 0, 1))
    base = (np.abs(columns - x) < 0.36 * width) & (rows > y - 0.12 * width)
    mask = np.maximum(mask, base.astype(np.float32)) * np.clip(y - rows + 0.5, 0, 1)
    blend(canvas, mask * alpha, colour, left, top)


def polygon(canvas: Canvas, points: Sequence[tuple[float, float]], colour: object, alpha: float = 1.0) -> None:
    left, top = int(min(x for x, _ in points)) - 1, int(min(y for _, y in points)) - 1
    width = int(max(x for x, _ in points)) + 2 - left
    height = int(max(y for _, y in points)) + 2 - top
    image = Image.new("L", (width * _FINE, height * _FINE))
    ImageDraw.Draw(image).polygon([((x - left) * _FINE, (y - top) * _FINE) for x, y in points], fill=255)
    mask = np.asarray(image.reduce(_FINE), np.float32) / np.float32(255)
    blend(canvas, mask * alpha, colour, left, top)
