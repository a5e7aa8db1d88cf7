"""Lettering in a picture: the banner or board that carries it, and the fonts."""

from __future__ import annotations

import random
from functools import lru_cache
from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw, ImageFont

from . import palette as p
from .brush import Canvas, Mask, blend, polygon
from .layout import Box, Layout

CHINESE_FONT = Path(__file__).with_name("signs.ttf")
"""It comes along, so that Chinese lettering has the same pixels on every machine."""


@lru_cache(maxsize=64)
def _font(size: int, latin: bool) -> ImageFont.FreeTypeFont:
    if not latin:
        return ImageFont.truetype(str(CHINESE_FONT), size, layout_engine=ImageFont.Layout.BASIC)
    font = ImageFont.load_default(size)
    assert isinstance(font, ImageFont.FreeTypeFont)
    return font.font_variant(layout_engine=ImageFont.Layout.BASIC)  # the other one is not on every machine


def lettering_mask(text: str, width: int, height: int) -> Mask:
    """The text in one line, as large as fits into width × height pixels with a margin; (height, width) in 0..1."""
    latin = text.isascii()
    size = max(8, int(0.66 * height))
    while size > 8:
        left, _, right, _ = _font(size, latin).getbbox(text, stroke_width=_stroke(size, latin))
        if right - left <= 0.88 * width:
            break
        size -= 1
    image = Image.new("L", (width, height))
    draw = ImageDraw.Draw(image)
    stroke = _stroke(size, latin)
    left, top, right, bottom = draw.textbbox((0, 0), text, font=_font(size, latin), stroke_width=stroke)
    at = ((width - right - left) / 2, (height - bottom - top) / 2)
    draw.text(at, text, font=_font(size, latin), fill=255, stroke_width=stroke)
    return np.asarray(image, np.float32) / np.float32(255)


def letter_mask(letter: str) -> Mask:
    """Return one letter on a square in which any has room, its middle in the middle: (64, 64) in 0..1."""
    image = Image.new("L", (64, 64))
    ImageDraw.Draw(image).text(
        (32, 48), letter, font=_font(44, letter.isascii()), fill=255, anchor="ms", stroke_width=1
    )
    return np.asarray(image, np.float32) / np.float32(255)


def _stroke(size: int, latin: bool) -> int:
    """By how many pixels letters are made bolder: the Latin font is light, and a sign wants weight."""
    return size // 26 if latin else 0


def paint_sign(
    canvas: Canvas, text: str, sign: str, layout: Layout, rng: random.Random, contrast: float | None
) -> None:
    """Paint a banner on cords or a board on posts with its lettering, white or so many grey levels above its ground."""
    box, unit = layout.sign, layout.unit
    assert box is not None
    cloth = rng.choice(p.CLOTHS if sign == "banner" else p.WOODS)
    _hold(canvas, box, sign, unit)
    ring = max(2, round(unit / 110))
    left, top, width, height = round(box.x0), round(box.y0), round(box.width), round(box.height)
    shadow = _rounded(width, height, 0.12)
    blend(canvas, shadow * 0.30, (18, 22, 44), left + ring // 2, top + ring)
    blend(canvas, _rounded(width, height, 0.12), p.PAPER, left, top)
    inner = (width - 2 * ring, height - 2 * ring)
    blend(canvas, _rounded(*inner, 0.10), _ground_of(cloth, sign, *inner, rng), left + ring, top + ring)
    ink = p.PAPER if contrast is None else np.minimum(np.array(cloth) + contrast, p.PAPER)
    blend(canvas, lettering_mask(text, *inner), ink, left + ring, top + ring)


def _hold(canvas: Canvas, box: Box, sign: str, unit: float) -> None:
    thick = (0.003 if sign == "banner" else 0.012) * unit
    ends = (0.0, box.y0 + 2) if sign == "banner" else (box.y1 - 2, min(canvas.shape[0], box.y1 + 0.3 * box.height))
    for share in (0.12, 0.88):
        x = box.x0 + share * box.width
        corners = [(x - thick, ends[0]), (x + thick, ends[0]), (x + thick, ends[1]), (x - thick, ends[1])]
        polygon(canvas, corners, (88, 66, 52))


def _ground_of(cloth: p.Rgb, sign: str, width: int, height: int, rng: random.Random) -> Canvas:
    """Return the board's face: plain cloth, or wood with joints between its planks."""
    face = np.broadcast_to(np.array(cloth, np.float32), (height, width, 3)).copy()
    if sign == "board":
        for joint in (0.33, 0.66):
            row = round(joint * height)
            face[row : row + max(1, height // 48)] *= 0.86
    else:
        face *= np.linspace(1.06, 0.94, height, dtype=np.float32)[:, None, None]
    return face


def _rounded(width: int, height: int, share: float) -> Mask:
    image = Image.new("L", (width * 2, height * 2))
    ImageDraw.Draw(image).rounded_rectangle((0, 0, width * 2 - 1, height * 2 - 1), radius=share * height * 2, fill=255)
    return np.asarray(image.reduce(2), np.float32) / np.float32(255)
