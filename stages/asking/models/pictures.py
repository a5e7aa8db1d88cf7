"""Pictures as the networks in this process take them: decoded with care, upright, RGB."""

from __future__ import annotations

import io

from PIL import Image

from stages.asking.requests import Picture
from stages.tables.images import causes, open_carefully, orientation, scaled_down, upright_rgb


def decoded(picture: Picture, longest: int | None = None) -> Image.Image:
    """Return a picture's pixels, at most `longest` of them a side; ValueError saying why they cannot be had."""
    return upright_rgb(scaled_down(picture.data, longest) if longest else picture.data)


def as_everyone_sees(picture: Picture) -> Picture:
    """Return a picture that every server shows its model alike: itself where it is stored upright in 8-bit RGB, else as
    a PNG that is; ValueError as `decoded` has it.
    """
    pixels = decoded(picture)
    if stored_plainly(picture.data):
        return picture
    out = io.BytesIO()
    pixels.save(out, "PNG", exif=b"")
    return Picture(out.getvalue(), "image/png")


def stored_plainly(data: bytes) -> bool:
    """Return whether a picture needs neither turning nor another colour space."""
    with causes():
        opened, kept = open_carefully(data)
        return opened.mode == "RGB" and not opened.has_transparency_data and orientation(opened) == 1 and kept is data
