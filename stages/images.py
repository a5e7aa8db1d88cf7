"""Pictures from outside, opened with care: nothing decoded that could fill the memory, nothing believed unread."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

from PIL import Image, ImageOps, UnidentifiedImageError

MAX_PIXELS = 64_000_000
"""Largest picture that is decoded, width times height (8,000 x 8,000)."""
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")
JPEG_END = b"\xff\xd9"
ORIENTATION = 0x0112


def upright_jpeg(data: bytes, quality: int = 95) -> bytes:
    """Return a picture as an upright 8-bit RGB JPEG, as the published dataset holds; such bytes come back unchanged.

    CMYK, 16-bit, palette and EXIF-rotated pictures are converted, transparency is laid on white. Raises ValueError
    saying why the bytes are not one usable picture: damaged, truncated, animated, too large. Of a JPEG that is kept as
    it is, only the header and the end are looked at: Pillow decodes damaged scans without complaint.
    """
    with causes():
        opened = open_carefully(data)
        if opened.format == "JPEG" and opened.mode == "RGB" and opened.getexif().get(ORIENTATION, 1) == 1:
            return data
        return as_jpeg(to_rgb(ImageOps.exif_transpose(opened)), quality)


def scaled_down(data: bytes, longest: int) -> bytes:
    """Return a picture whose longer side is at most `longest` pixels: smaller ones unchanged, larger ones as an upright
    RGB JPEG (Lanczos, quality 95, 4:4:4).

    The same bytes each time. Raises ValueError as `upright_jpeg` does.
    """
    with causes():
        opened = open_carefully(data)
        if max(opened.size) <= longest:
            return data
        image = to_rgb(ImageOps.exif_transpose(opened))
        scale = longest / max(image.size)
        width, height = (max(1, round(side * scale)) for side in image.size)
        return as_jpeg(image.resize((width, height), Image.Resampling.LANCZOS))


def as_made(data: bytes) -> bytes:
    """Return a picture's bytes as they are; ValueError, as `upright_jpeg` has it, where they are no usable picture."""
    with causes():
        to_rgb(open_carefully(data))
    return data


def media_type(data: bytes) -> str:
    """The media type of a picture's bytes, such as image/png; ValueError where they are no picture."""
    with causes():
        return str(Image.MIME[open_carefully(data).format or ""])


def open_carefully(data: bytes) -> Image.Image:
    """Open a picture from its header, if that promises a single one of a size that may be decoded."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", Image.DecompressionBombWarning)
        opened = Image.open(io.BytesIO(data), formats=FORMATS)
    width, height = opened.size
    if width * height > MAX_PIXELS:
        raise ValueError(f"claims {width}x{height} pixels, at most {MAX_PIXELS:,} are read")
    if getattr(opened, "n_frames", 1) > 1:
        raise ValueError(f"is animated ({getattr(opened, 'n_frames', 0)} frames)")
    if opened.format == "JPEG" and JPEG_END not in data[-1024:]:
        raise ValueError("is a truncated JPEG")
    return opened


def as_jpeg(image: Image.Image, quality: int = 95) -> bytes:
    """Encode an image as a JPEG with full colour resolution."""
    out = io.BytesIO()
    image.save(out, "JPEG", quality=quality, subsampling=0)
    return out.getvalue()


@contextmanager
def causes() -> Iterator[None]:
    """Turn whatever Pillow raises about a picture into a ValueError that says why it is not usable."""
    try:
        yield
    except UnidentifiedImageError:
        raise ValueError("is not a picture in a known format") from None
    except Image.DecompressionBombError as error:
        raise ValueError(f"claims too many pixels ({error})") from None
    except (OSError, SyntaxError, TypeError, RuntimeError) as error:  # Pillow on nonsense in EXIF, on damaged AVIF
        raise ValueError(f"cannot be decoded ({error})") from None


def to_rgb(image: Image.Image) -> Image.Image:
    """Return an image in 8-bit RGB: 16-bit grey scaled down, transparency laid on white."""
    if image.mode.startswith("I"):
        image = image.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        image = Image.new("RGB", layer.size, "white")
        image.paste(layer, mask=layer.getchannel("A"))
    return image.convert("RGB")


def size(data: bytes) -> tuple[int, int]:
    """Width and height in pixels, from the header alone."""
    with Image.open(io.BytesIO(data)) as image:
        return image.size
