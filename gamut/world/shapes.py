"""Pictogram shapes: the masks that are painted and, made from the same font, the templates that are seen by."""

from __future__ import annotations

from functools import cache, lru_cache
from pathlib import Path

import fonticon_mdi7
import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw, ImageFont

from .marks import depth, fill_holes
from .vocabulary import KINDS

Mask = NDArray[np.float32]
GRID = 40  # side of a template, cells
RIM = 3  # empty cells around it, so that a full square has an outline too

_FONT = next((Path(fonticon_mdi7.__file__).parent / "fonts").glob("*.ttf"))


@lru_cache(maxsize=64)
def _font(size: int) -> ImageFont.FreeTypeFont:
    return ImageFont.truetype(str(_FONT), size, layout_engine=ImageFont.Layout.BASIC)


def _character(kind: str) -> str:
    return str(getattr(fonticon_mdi7.MDI7, KINDS[kind].icon))[-1]


@cache
def _extent(kind: str) -> float:
    """Longer side of the glyph's cell, as a share of the font size."""
    left, top, right, bottom = _font(240).getbbox(_character(kind))
    return float(max(right - left, bottom - top) / 240)


@cache
def ink_share(kind: str) -> float:
    """Longer side of a pictogram's visible ink, as a share of the size that it is drawn at."""
    ink = ink_of(kind, 240, 2)
    rows, columns = np.flatnonzero(ink.max(1) > 0.5), np.flatnonzero(ink.max(0) > 0.5)
    return float(max(np.ptp(rows), np.ptp(columns)) + 1) / 240


@lru_cache(maxsize=1024)
def ink_of(kind: str, size: int, margin: int) -> Mask:
    """Ink of a pictogram whose cell's longer side is `size` pixels: (h, w) in 0..1, `margin` empty pixels around."""
    font = _font(max(8, round(size / _extent(kind))))
    left, top, right, bottom = font.getbbox(_character(kind))
    image = Image.new("L", (int(right - left) + 2 * margin, int(bottom - top) + 2 * margin))
    ImageDraw.Draw(image).text((margin - left, margin - top), _character(kind), font=font, fill=255)
    return np.asarray(image, dtype=np.float32) / np.float32(255)


def body_of(ink: Mask, ring: int) -> Mask:
    """Return the paper a cut-out stands on: the ink grown by `ring` pixels, narrow gaps bridged, holes closed."""
    bridge = max(2, round(0.05 * max(ink.shape)))
    grown = depth(np.pad(ink, bridge) < 0.5) < ring + bridge
    body: Mask = np.clip(depth(fill_holes(grown)) - bridge + 0.5, 0, 1).astype(np.float32)
    return np.ascontiguousarray(body[bridge:-bridge, bridge:-bridge])


@lru_cache(maxsize=1024)
def sticker(kind: str, size: int, ring: int) -> tuple[Mask, Mask]:
    """Ink and body of a whole pictogram, of the same shape (h, w)."""
    ink = ink_of(kind, size, ring + 2)
    return ink, body_of(ink, ring)


def normalise_ink(ink: Mask) -> Mask:
    """Fit an ink mask (h, w) into a GRID×GRID square: cropped to its ink, centred, aspect kept."""
    rows, columns = np.flatnonzero(ink.max(1) > 0.5), np.flatnonzero(ink.max(0) > 0.5)
    if not len(rows) or not len(columns):
        return np.zeros((GRID, GRID), np.float32)
    ink = ink[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1]
    height, width = ink.shape
    side = max(height, width)
    square = np.zeros((side, side), np.uint8)
    y, x = (side - height) // 2, (side - width) // 2
    square[y : y + height, x : x + width] = ink * 255
    inner = Image.fromarray(square).resize((GRID - 2 * RIM, GRID - 2 * RIM), Image.Resampling.BOX)
    return np.pad(np.asarray(inner, dtype=np.float32) / 255, RIM)


@cache
def templates() -> tuple[tuple[str, ...], NDArray[np.float32]]:
    """Return names of all kinds and their templates, (kinds, GRID·GRID), each centred and of unit length."""
    names = tuple(KINDS)
    return names, np.stack([_unit(normalise_ink(ink_of(name, 160, 4))) for name in names])


def _unit(grid: Mask) -> NDArray[np.float32]:
    flat = grid.ravel() - grid.mean()
    return np.asarray(flat / max(float(np.linalg.norm(flat)), 1e-6), np.float32)


def match_kind(ink: Mask) -> tuple[str, float]:
    """Return the kind an ink mask is most like, and its likeness (a correlation, at most 1)."""
    names, bank = templates()
    scores = bank @ _unit(normalise_ink(ink))
    best = int(scores.argmax())
    return names[best], float(scores[best])
