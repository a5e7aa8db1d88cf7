"""Picture bytes into pictures, whatever they show."""

from __future__ import annotations

import io

from PIL import Image

from .answering import Unsupported

_MOST_PIXELS = 4_194_304


def opened(picture: bytes) -> Image.Image:
    """Open a picture in RGB; Unsupported where that cannot be, or it is too large."""
    try:
        image = Image.open(io.BytesIO(picture))
        if image.width * image.height > _MOST_PIXELS:
            raise Unsupported(f"a puzzle of {image.width}x{image.height} pixels is too large for the embedded world")
        return image.convert("RGB")
    except (OSError, ValueError, Image.DecompressionBombError) as error:
        raise Unsupported(f"the picture cannot be decoded: {error}") from error
