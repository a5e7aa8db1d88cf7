"""What the pictures of a report share: colours, a font that draws the same on every machine, their file format."""

from __future__ import annotations

import io
from functools import cache

from PIL import Image, ImageFont

PAPER, INK, FAINT = "#ffffff", "#1c2024", "#6a737b"


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font; in the basic layout, as the other one depends on a library of the system."""
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded.font_variant(layout_engine=ImageFont.Layout.BASIC)


def lossless(picture: Image.Image) -> bytes:
    out = io.BytesIO()
    picture.save(out, "WEBP", lossless=True)
    return out.getvalue()
