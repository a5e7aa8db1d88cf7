"""Opens pictures from outside with care: it decodes nothing that could fill the memory, and checks what it reads."""

from __future__ import annotations

import io
import os
import sys
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from typing import Annotated, Any, Literal

from PIL import Image, PngImagePlugin, UnidentifiedImageError
from pydantic import Field

from gamut.project.validation import Strict
from gamut.tables.containers import (
    EOI,
    first_image,
    is_lossy,
    may_be_turned,
    segments_of,
    strip_to_pixels,
    without_long_texts,
)

MAX_PIXELS = 64_000_000
"""Largest picture that is decoded, width times height (8,000 x 8,000)."""
FORMATS = ("JPEG", "PNG", "WEBP", "GIF", "BMP", "TIFF", "AVIF")
MOST_PADDING = 1024
"""Bytes that may follow a JPEG's end, such as zeros or a maker's mark. More is another picture, or a video."""
MOST_A_PIXEL, MOST_BESIDE = 4, 65_536
"""Bytes that the pixels of a file may take, each and in all: raw ones take three each. More is something else in their
place, such as data behind the end of a stream."""
ALIKE, OPAQUE = ("1", "L", "LA", "P", "PA", "RGB", "RGBA"), (255, 255)
"""Modes whose colours are the same in 8-bit RGB; the least and the greatest alpha of an opaque picture."""
SAMPLE_BITS, WHITE_IS_0 = 258, (262, 0)
"""Tags of a TIFF."""
GAMMA = 0.45455
"""The gamma of a PNG whose numbers are those of sRGB."""
MOST_COMMENT = 65_533
"""The most bytes of a comment in a JPEG's segment."""
ORIENTATION = 0x0112
TURNS: dict[object, Image.Transpose] = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}
"""The operation that turns a picture of this EXIF orientation upright."""


Quality = Annotated[int, Field(ge=1, le=100)]


class Jpeg(Strict):
    kind: Literal["jpeg"] = "jpeg"
    quality: Quality = 95
    subsampling: Literal["4:4:4", "4:2:0"] = "4:4:4"


class Webp(Strict):
    kind: Literal["webp"] = "webp"
    quality: Quality = 90


JPEG = Jpeg()
Encoding = Annotated[Jpeg | Webp, Field(discriminator="kind")]


class UnusableError(ValueError):
    """The reason why bytes are not one usable picture, in words that follow its name: "is animated"."""


def encode_upright(data: bytes, encoding: Jpeg | Webp) -> bytes:
    """Return a picture as `upright_jpeg` does, in this encoding; with any but `JPEG` it is always encoded again."""
    if encoding == JPEG:
        return upright_jpeg(data)
    with causes_in_words():
        image = decode_upright(open_carefully(data)[0])
        if isinstance(encoding, Jpeg):
            return as_jpeg(image, encoding)
        image.info.clear()  # Pillow would write its profile and EXIF data
        return encode(image, "WEBP", quality=encoding.quality)


def upright_jpeg(data: bytes) -> bytes:
    """Return a picture as an upright 8-bit RGB JPEG, transparency on white. Bytes that are such a JPEG by their markers
    come back unchanged. Of several pictures in a JPEG the first stays. Raise ValueError with the reason if it cannot be
    used.
    """
    with causes_in_words():
        opened, data = open_carefully(data)
        if opened.format == "JPEG" and opened.mode == "RGB" and orientation(opened) == 1:
            return data
        return as_jpeg(decode_upright(opened))


def scale_down(data: bytes, longest: int) -> bytes:
    """Return a smaller RGB JPEG (Lanczos) if the longer side has more than `longest` pixels, else the same bytes."""
    with causes_in_words():
        opened, data = open_carefully(data)
        if max(opened.size) <= longest:
            return data
        image = decode_upright(opened)
        return as_jpeg(image.resize(scaled_size(*image.size, longest), Image.Resampling.LANCZOS))


def scaled_size(width: int, height: int, longest: int) -> tuple[int, int]:
    scale = min(1, longest / max(width, height))
    return max(1, round(width * scale)), max(1, round(height * scale))


def require_picture(data: bytes) -> bytes:
    """Return a picture's bytes unchanged, of a JPEG only the first image. Raise ValueError if it cannot be shown."""
    with causes_in_words():
        opened, data = open_carefully(data)
        to_rgb(opened)
    as_everyone_sees(data)
    return data


def upright_rgb(data: bytes) -> Image.Image:
    """Decode a picture into upright 8-bit RGB pixels. Raise ValueError as `upright_jpeg` does."""
    with causes_in_words():
        return decode_upright(open_carefully(data)[0])


def as_everyone_sees(data: bytes) -> bytes:
    """Return a picture as judges and people get it: upright, in 8-bit RGB, with transparency on white, and nothing else
    of the file. If it is such, it comes back unchanged, not decoded; otherwise as a JPEG if it was lossy, or as a PNG.
    The bytes are the same each time.
    """
    with causes_in_words():
        opened, data = open_carefully(data)
        plain = opened.mode == "RGB" and not opened.has_transparency_data and turn_of(opened, data) is None
        alone = strip_to_pixels(data) if plain else None
        width, height = opened.size
        if alone is not None and len(alone) <= width * height * MOST_A_PIXEL + MOST_BESIDE:
            return alone
        return encode_anew(data)


@lru_cache(maxsize=8)  # an item's picture is shown with every answer, an answer to several judges
def encode_anew(data: bytes) -> bytes:
    image = decode_upright(open_carefully(data)[0])
    image.info.clear()
    return as_jpeg(image) if is_lossy(data) else as_png(image, 1)


def visible_differences(data: bytes) -> list[str]:
    """Return in words how the shown form of a picture differs from what viewers may show of the file."""
    with causes_in_words():
        opened, data = open_carefully(data)
        turned = turn_of(opened, data) is not None
        alpha = opened.convert("RGBA").getchannel("A").getextrema() if opened.has_transparency_data else OPAQUE
        words = {
            "shown upright, as its EXIF data say": turned,
            "shown on white where it is transparent": alpha != OPAQUE,
            f"shown in 8-bit RGB, not in {opened.mode}": opened.mode not in ALIKE,
            "shown without its colour profile": has_other_colours(opened),
        }
        return [said for said, holds in words.items() if holds]


def has_other_colours(opened: Image.Image) -> bool:
    """Return whether a file declares other colours than sRGB, by an ICC profile or a PNG's gamma."""
    profile, gamma, srgb = (opened.info.get(name) for name in ("icc_profile", "gamma", "srgb"))  # or a text's
    if isinstance(profile, bytes) and not any(name in profile for name in (b"sRGB", "sRGB".encode("utf-16-be"))):
        return bool(profile)
    return isinstance(gamma, float) and not isinstance(srgb, int) and not abs(gamma - GAMMA) <= 0.01


def media_type(data: bytes) -> str:
    """Return the media type. Raise ValueError if the bytes are not a picture."""
    with causes_in_words():
        return str(Image.MIME[open_carefully(data)[0].format or ""])


def file_ending(data: bytes) -> str:
    """Return the usual ending of a picture's file, such as jpg or png. ValueError if the bytes are not a picture."""
    return media_type(data).removeprefix("image/").replace("jpeg", "jpg")


def picture_size(data: bytes) -> tuple[int, int]:
    data = without_long_texts(data, PngImagePlugin.MAX_TEXT_CHUNK)
    with causes_in_words(), Image.open(io.BytesIO(data), formats=FORMATS) as image:
        return image.size


def open_carefully(data: bytes) -> tuple[Image.Image, bytes]:
    """Open a single picture of a size that may be decoded, from its header; return its first image's bytes too."""
    data = without_long_texts(data, PngImagePlugin.MAX_TEXT_CHUNK)
    opened = Image.open(io.BytesIO(data), formats=FORMATS)
    width, height = opened.size
    if width * height > MAX_PIXELS:
        raise UnusableError(f"claims {width}x{height} pixels, at most {MAX_PIXELS:,} are read")
    if opened.format in ("JPEG", "MPO"):
        end = next((segment.end for segment in segments_of(data) if segment.name == EOI), None)
        if end is None:
            raise UnusableError("is a truncated JPEG")
        if opened.format == "MPO" or len(data) - end > MOST_PADDING:
            data = first_image(data[:end])
            opened = Image.open(io.BytesIO(data), formats=FORMATS)
    if (frames := getattr(opened, "n_frames", 1)) > 1:
        raise UnusableError(f"is animated ({frames} frames)")
    if is_of_unknown_scale(opened):
        raise UnusableError("does not say which number is white: save it with 8 bits a colour")
    return opened, data


def is_of_unknown_scale(opened: Image.Image) -> bool:
    """Return whether white is unknown: in TIFFs of 32 bits it may be 1.0, 255 or 65,535; Pillow reads 12 bits as 16."""
    tags = getattr(opened, "tag_v2", {})
    odd = tags.get(SAMPLE_BITS, (16,)) != (16,) or WHITE_IS_0 in tags.items()
    return opened.mode in ("I", "F") or (opened.mode.startswith("I;16") and odd)


@contextmanager
def causes_in_words() -> Iterator[None]:
    """Turn any exception about a picture into a ValueError with the reason. Decoders raise exceptions of any kind, and
    one bad picture must not end a stage.
    """
    try:
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", module=r"PIL\.")
            yield
    except UnusableError:
        raise
    except UnidentifiedImageError:
        raise UnusableError("is not a picture in a known format") from None
    except Image.DecompressionBombError as error:
        raise UnusableError(f"claims too many pixels ({error})") from None
    except Exception as error:
        words = str(error) if " " in str(error) else repr(error)  # KeyError: 274 says nothing
        raise UnusableError(f"cannot be decoded ({words})") from None


def orientation(opened: Image.Image) -> object:
    """Return the EXIF orientation, 1 if there is none, None if the EXIF data cannot be read."""
    try:
        return opened.getexif().get(ORIENTATION, 1)
    except Exception:  # foreign bytes, see `causes_in_words`; a picture whose EXIF is nonsense is shown as it is stored
        return None


def turn_of(opened: Image.Image, data: bytes) -> Image.Transpose | None:
    """Return how to turn a picture. Pillow decodes a PNG to find EXIF data, so only a PNG that has any is opened so."""
    if opened.format == "PNG" and not may_be_turned(data):
        return None
    return TURNS.get(orientation(opened))


def decode_upright(opened: Image.Image) -> Image.Image:
    """Decode an opened picture into upright 8-bit RGB. Its EXIF data, which may be nonsense, are not written back."""
    opened.load()
    turn = TURNS.get(orientation(opened))
    return to_rgb(opened if turn is None else opened.transpose(turn))


def to_rgb(image: Image.Image) -> Image.Image:
    """Return an image in 8-bit RGB: 16-bit grey scaled down, transparency laid on white."""
    if image.mode.startswith("I"):
        image = image.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    if image.has_transparency_data:
        layer = image.convert("RGBA")
        image = Image.new("RGB", layer.size, "white")
        image.paste(layer, mask=layer.getchannel("A"))
    return image.convert("RGB")


def as_jpeg(image: Image.Image, encoding: Jpeg = JPEG) -> bytes:
    comment = image.info.get("comment") or b""  # Pillow would take it over, or fail where it is too long
    comment = comment.encode() if isinstance(comment, str) else comment
    fitting = comment if len(comment) <= MOST_COMMENT else b""
    return encode(image, "JPEG", quality=encoding.quality, subsampling=encoding.subsampling, comment=fitting)


def encode(image: Image.Image, format: str, **how: Any) -> bytes:
    """Encode an image into a file with a descriptor, because then Pillow releases Python's lock for other threads."""
    with os.fdopen(os.memfd_create("picture"), "w+b") if sys.platform == "linux" else io.BytesIO() as out:
        image.save(out, format, **how)
        out.seek(0)
        return out.read()


def as_png(image: Image.Image, level: int = 6) -> bytes:
    """Encode an image without any loss; `level` of compression, 0..9: 1 takes a third of the time, and a tenth more."""
    out = io.BytesIO()
    image.save(out, "PNG", compress_level=level)
    return out.getvalue()
