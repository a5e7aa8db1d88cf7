"""Small pictures, and items that name them."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image

from gamut.evaluation.defining.editions import EditionPicture, Item, Origin
from gamut.evaluation.defining.pictures import describe_picture
from tests.fakes import encoded

ORIGIN = Origin(source="https://example.org/zoo", revision="2", licence="cc-by-4.0", redistributable=True)


def png(number: int, setting: int = 64) -> bytes:
    """A picture of its own for each number below 2^24."""
    return encoded(Image.new("RGB", (setting, setting), (number >> 16, number >> 8 & 255, number & 255)), "PNG")


def by_digest(*pictures: bytes) -> dict[str, bytes]:
    """Pictures as they are frozen."""
    return {describe_picture(data, "any", "input").sha256: data for data in pictures}


def item(number: int, *pictures: bytes, **others: object) -> Item:
    """An item with these pictures, named 0, 1, ..."""
    return Item.model_validate({"id": number, "prompt": f"thing {number}", "images": named(pictures)} | others)


def named(pictures: Sequence[bytes]) -> list[EditionPicture]:
    """Pictures as an item names them."""
    return [describe_picture(data, str(n), "input") for n, data in enumerate(pictures)]
