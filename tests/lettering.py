"""Pictures with lettering for the readers: Pillow's own font, and where each line stands."""

from __future__ import annotations

from PIL import Image, ImageDraw, ImageFont

from tests.fakes import encoded

SHOP = {"OPEN ALL DAY": (40, 60, 370, 108), "Coffee": (60, 300, 206, 348), "Tea 42": (300, 306, 452, 354)}
"""Lines in reading order with their box (left, top, right, bottom) in pixels, to within a few."""


def page(size: tuple[int, int] = (512, 512)) -> Image.Image:
    """The three lines of SHOP in black, red and blue on white; the two at the bottom stand in one row."""
    image = Image.new("RGB", size, "white")
    draw = ImageDraw.Draw(image)
    for (text, (left, top, *_)), colour in zip(SHOP.items(), ("black", "red", "blue"), strict=True):
        draw.text((left, top), text, font=ImageFont.load_default(48), fill=colour)
    return image


def shop() -> bytes:
    return encoded(page(), "PNG")


def blank() -> bytes:
    return encoded(Image.new("RGB", (512, 512), "white"), "PNG")
