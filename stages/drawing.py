"""What the pictures of a report share: colours, and a font that draws the same on every machine."""

from __future__ import annotations

from functools import cache

from PIL import ImageFont

PAPER, INK, FAINT = "#ffffff", "#1c2024", "#6a737b"


@cache
def font(size: int) -> ImageFont.FreeTypeFont:
    """Pillow's own font; in the basic layout, as the other one depends on a library of the system."""
    loaded = ImageFont.load_default(size)
    assert isinstance(loaded, ImageFont.FreeTypeFont)
    return loaded.font_variant(layout_engine=ImageFont.Layout.BASIC)
