"""Pictures as the networks in this process take them: decoded with care, upright, RGB."""

from __future__ import annotations

from PIL import Image

from stages.asking.requests import Picture
from stages.tables.images import scaled_down, upright_rgb


def decoded(picture: Picture, longest: int | None = None) -> Image.Image:
    """Return a picture's pixels, at most `longest` of them a side; ValueError saying why they cannot be had."""
    return upright_rgb(scaled_down(picture.data, longest) if longest else picture.data)
