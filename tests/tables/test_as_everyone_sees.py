"""One upright picture in 8-bit RGB on white for whoever looks: plain files pass, others become such."""

from __future__ import annotations

import io
import struct
import zlib
from collections.abc import Callable

import numpy as np
import pytest
from PIL import Image, ImageCms, ImageFile, PngImagePlugin

from gamut.tables import images
from gamut.tables.containers import SOS, end_of, png_chunks, segments_of
from gamut.tables.images import as_everyone_sees, orientation, upright_rgb, visible_differences
from tests.fakes import encoded
from tests.tables.test_images import TURNED, two_halves, with_tag

TAIL = b"score 10" * 125_000
SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
NOTED = PngImagePlugin.PngInfo()
NOTED.add_text("parameters", "made by model X")
PLAIN: dict[str, bytes] = {
    "jpeg": encoded(two_halves(), "JPEG"),
    "progressive": encoded(two_halves(), "JPEG", progressive=True),
    "png": encoded(two_halves(), "PNG"),
    "webp": encoded(two_halves(), "WEBP"),
    "lossless webp": encoded(two_halves(), "WEBP", lossless=True),
}


def chunk(name: bytes, content: bytes) -> bytes:
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def hidden() -> Image.Image:
    """Red where it is fully transparent, blue where it is not."""
    image = two_halves("RGBA")
    image.putalpha(Image.linear_gradient("L").resize((16, 8)).point(lambda _: 0))
    image.paste((0, 0, 255, 255), (8, 0, 16, 8))
    return image


def sixteen_bits() -> bytes:
    """A PNG of 16-bit RGB, 2 x 1: red, and blue of which the lower bytes say nothing."""
    head = struct.pack(">IIBBBBB", 2, 1, 16, 2, 0, 0, 0)
    row = b"\0" + bytes.fromhex("ffff0000000000000000ff12")
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND", b"")


ODD: dict[str, tuple[bytes, str | None]] = {
    "colours under transparency": (encoded(hidden(), "PNG"), "shown on white where it is transparent"),
    "the same in WebP": (
        encoded(hidden(), "WEBP", lossless=True, exact=True),
        "shown on white where it is transparent",
    ),
    "transparent palette": (
        encoded(two_halves().quantize(2), "PNG", transparency=0),
        "shown on white where it is transparent",
    ),
    "a transparent colour": (
        encoded(two_halves(), "PNG", transparency=(255, 0, 0)),
        "shown on white where it is transparent",
    ),
    "opaque RGBA": (encoded(two_halves("RGBA"), "PNG"), None),
    "palette": (encoded(two_halves("P"), "PNG"), None),
    "grey": (encoded(two_halves("L"), "PNG"), None),
    "16 bits of grey": (
        encoded(Image.fromarray(np.full((8, 8), 128 * 257, np.uint16)), "PNG"),
        "shown in 8-bit RGB, not in I;16",
    ),
    "16 bits of RGB": (sixteen_bits(), None),
    "TIFF": (encoded(two_halves(), "TIFF"), None),
    "BMP": (encoded(two_halves(), "BMP"), None),
    "GIF": (encoded(two_halves(), "GIF"), None),
    "AVIF": (encoded(two_halves(), "AVIF", speed=10), None),
    "CMYK": (encoded(two_halves("CMYK"), "JPEG"), "shown in 8-bit RGB, not in CMYK"),
    "grey JPEG": (encoded(two_halves("L"), "JPEG"), None),
    "transparent lossy WebP": (encoded(hidden(), "WEBP"), "shown on white where it is transparent"),
}
LOSSY = ("CMYK", "grey JPEG", "transparent lossy WebP")
LAB = ImageCms.ImageCmsProfile(ImageCms.createProfile("LAB")).tobytes()


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_other_colours_than_srgb_are_said(kind: str) -> None:
    """A profile of other colours goes, as any other does, and what is shown looks otherwise than a viewer has it."""
    other = encoded(two_halves(), kind, icc_profile=LAB)
    assert as_everyone_sees(other) == encoded(two_halves(), kind)
    assert visible_differences(other) == ["shown without its colour profile"]
    assert visible_differences(encoded(two_halves(), kind, icc_profile=SRGB)) == []


@pytest.mark.parametrize(("gamma", "said"), [(100_000, ["shown without its colour profile"]), (45_455, [])])
def test_a_gamma_that_is_not_that_of_srgb_is_said(gamma: int, said: list[str]) -> None:
    head, rest = (data := encoded(two_halves(), "PNG"))[:33], data[33:]
    assert visible_differences(head + chunk(b"gAMA", struct.pack(">I", gamma)) + rest) == said


def plain(data: bytes) -> Image.Image:
    """A picture that holds nothing but itself."""
    image = Image.open(io.BytesIO(data))
    assert image.format in ("JPEG", "PNG", "WEBP") and image.mode == "RGB" and not image.has_transparency_data
    assert orientation(image) == 1 and not {"exif", "xmp", "icc_profile", "comment", "parameters"} & image.info.keys()
    assert end_of(data) == len(data) and as_everyone_sees(data) is data
    return image


@pytest.mark.parametrize("name", PLAIN)
def test_a_plain_picture_is_neither_touched_nor_decoded(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    plain(PLAIN[name])
    monkeypatch.setattr(ImageFile.ImageFile, "load", lambda _: pytest.fail("it was decoded"))
    assert as_everyone_sees(PLAIN[name]) is PLAIN[name]
    assert as_everyone_sees(PLAIN[name] + TAIL) == PLAIN[name] and not visible_differences(PLAIN[name])
    assert end_of(PLAIN[name] + TAIL) == len(PLAIN[name])


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
def test_of_a_plain_picture_nothing_but_its_pixels_stays(kind: str) -> None:
    """A profile changes what those see who read profiles; a comment may name the model that made it."""
    noted = {"JPEG": {"comment": b"made by model X"}, "PNG": {"pnginfo": NOTED}, "WEBP": {"xmp": b"made by model X"}}[
        kind
    ]
    data = encoded(two_halves(), kind, icc_profile=SRGB, exif=with_tag(1), **noted)
    assert b"model X" in data and as_everyone_sees(data) == encoded(two_halves(), kind)


def test_between_the_scans_of_a_jpeg_nothing_is_hidden() -> None:
    data = PLAIN["progressive"]
    second = [segment.start for segment in segments_of(data) if segment.name == SOS][1]
    comment = b"\xff\xfe" + struct.pack(">H", 2 + 30_000) + b"x" * 30_000
    assert as_everyone_sees(data[:second] + comment + data[second:]) == data


@pytest.mark.parametrize("name", ODD)
def test_other_pictures_are_encoded_anew(name: str) -> None:
    data, said = ODD[name]
    images.encode_anew.cache_clear()
    shown = as_everyone_sees(data)
    assert plain(shown).format == ("JPEG" if name in LOSSY else "PNG")
    if name not in LOSSY:
        assert upright_rgb(shown).tobytes() == upright_rgb(data).tobytes()
    images.encode_anew.cache_clear()
    assert as_everyone_sees(data) == shown and visible_differences(data) == ([] if said is None else [said])


def test_what_is_hidden_under_full_transparency_is_white() -> None:
    for name in ("colours under transparency", "the same in WebP"):
        found = plain(as_everyone_sees(ODD[name][0]))
        assert (found.getpixel((3, 4)), found.getpixel((12, 4))) == ((255, 255, 255), (0, 0, 255))


@pytest.mark.parametrize("kind", TURNED)
def test_a_turned_picture_stands_upright(kind: str) -> None:
    data = TURNED[kind](6)  # 48 x 32 before it is turned
    assert plain(as_everyone_sees(data)).size == (32, 48)
    assert visible_differences(data)[0] == "shown upright, as its EXIF data say"
    difference = np.subtract(upright_rgb(as_everyone_sees(data)), upright_rgb(data), dtype=np.int16)
    assert np.abs(difference).mean() < 3


JUNK: dict[str, Callable[[bytes], bytes]] = {
    "a chunk of its own": lambda data: data[:33] + chunk(b"juNk", TAIL) + data[33:],
    "behind the end of the stream": lambda data: data[:33] + chunk(b"IDAT", stream(data) + TAIL) + chunk(b"IEND", b""),
}


def stream(data: bytes) -> bytes:
    return b"".join(data[piece.start + 8 : piece.end - 4] for piece in png_chunks(data) if piece.name == b"IDAT")


@pytest.mark.parametrize("name", JUNK)
def test_what_no_viewer_shows_costs_nobody_anything(name: str) -> None:
    data = JUNK[name](PLAIN["png"])
    assert upright_rgb(data).tobytes() == two_halves().tobytes()
    assert len(as_everyone_sees(data)) < 200 < len(TAIL) and upright_rgb(as_everyone_sees(data)) == two_halves()


def test_what_is_no_picture_or_moves_is_refused() -> None:
    moving = encoded(two_halves(), "PNG", save_all=True, append_images=[Image.new("RGB", (16, 8), "green")])
    cut = ODD["grey"][0][:-30]
    for data, words in ((moving, "is animated"), (b"", "is not a picture"), (cut, "cannot be decoded")):
        with pytest.raises(ValueError, match=f"^{words}"):
            as_everyone_sees(data)
