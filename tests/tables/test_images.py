"""Pictures from outside: the odd ones are converted or refused with a reason, the plain ones not touched."""

from __future__ import annotations

import io
import runpy
import struct
import zlib
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image, ImageOps, PngImagePlugin

from gamut.tables.images import (
    MAX_PIXELS,
    as_everyone_sees,
    as_jpeg,
    causes_in_words,
    media_type,
    picture_size,
    require_picture,
    scale_down,
    to_rgb,
    upright_jpeg,
    upright_rgb,
)
from tests.fakes import claiming, encoded, jpeg
from tests.paths import ROOT

RED, BLUE = (255, 0, 0), (0, 0, 255)
VIDEO = b"\0\0\0\x18ftypmp42" + bytes(range(256)) * 8


def two_halves(mode: str = "RGB") -> Image.Image:
    """16 wide, 8 high; left half red, right half blue."""
    image = Image.new("RGB", (16, 8), RED)
    image.paste(BLUE, (8, 0, 16, 8))
    return image.convert(mode)


def read(data: bytes) -> Image.Image:
    image = Image.open(io.BytesIO(upright_jpeg(data)))
    assert (image.format, image.mode) == ("JPEG", "RGB")
    image.load()
    return image


def near(found: object, wanted: tuple[int, ...], by: int = 6) -> bool:
    assert isinstance(found, tuple)
    return all(abs(a - b) <= by for a, b in zip(found, wanted, strict=True))


@pytest.mark.parametrize("options", [{}, {"quality": 30}, {"progressive": True}, {"subsampling": 0, "quality": 100}])
def test_a_plain_jpeg_is_not_touched(options: dict[str, int]) -> None:
    data = encoded(two_halves(), "JPEG", **options)
    assert upright_jpeg(data) is data


@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is not a picture in a known format"),
        (b"not a picture", "is not a picture in a known format"),
        (bytes(1000), "is not a picture in a known format"),
        (jpeg(size=(64, 64))[:-5], "is a truncated JPEG"),
        (jpeg(size=(64, 64))[:-200], "cannot be decoded (Truncated File Read)"),
        (jpeg()[:-2], "is a truncated JPEG"),
        (encoded(two_halves(), "PNG")[:-30], "cannot be decoded"),
        (claiming(8, 8), "cannot be decoded"),
        (claiming(50_000, 50_000), "claims too many pixels"),
        (claiming(8_001, 8_000), "claims 8001x8000 pixels, at most 64,000,000 are read"),
        (claiming(64_000_001, 1, 0), "claims 64000001x1 pixels"),
    ],
)
def test_unusable_bytes_say_why(data: bytes, words: str) -> None:
    with pytest.raises(ValueError) as error:
        upright_jpeg(data)
    assert str(error.value).startswith(words), error.value
    assert MAX_PIXELS == 8_000 * 8_000


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "AVIF"])
def test_animated_pictures_are_refused(kind: str) -> None:
    data = encoded(two_halves(), kind, save_all=True, append_images=[Image.new("RGB", (16, 8), "green")])
    with pytest.raises(ValueError, match=r"^is animated \(2 frames\)$"):
        upright_jpeg(data)


@pytest.mark.parametrize("kind", ["GIF", "WEBP", "PNG", "TIFF", "BMP"])
def test_still_pictures_of_other_formats_are_converted(kind: str) -> None:
    image = read(encoded(two_halves(), kind))
    assert image.size == (16, 8)
    assert near(image.getpixel((3, 4)), RED, 20) and near(image.getpixel((12, 4)), BLUE, 20)


def with_orientation(orientation: int) -> bytes:
    return encoded(two_halves(), "JPEG", exif=with_tag(orientation), quality=100, subsampling=0)


@pytest.mark.parametrize("level", range(0, 256, 51))
def test_sixteen_bits_are_scaled(level: int) -> None:
    # 65,535 / 255 = 257 levels of the one for each level of the other
    image = Image.open(io.BytesIO(encoded(Image.fromarray(np.full((8, 8), level * 257, np.uint16)), "PNG")))
    assert image.mode.startswith("I")
    assert to_rgb(image).getpixel((3, 3)) == (level, level, level)


def test_half_transparent() -> None:
    # half of blue (0, 0, 255) on white (255, 255, 255): (127.5, 127.5, 255)
    found = read(encoded(Image.new("RGBA", (8, 8), (*BLUE, 128)), "PNG"))
    assert near(found.getpixel((4, 4)), (127, 127, 255), 3)


def test_a_palette_with_transparency() -> None:
    image = two_halves().quantize(2)
    red = image.getpixel((2, 2))
    found = read(encoded(image, "PNG", transparency=red))
    assert near(found.getpixel((2, 4)), (255, 255, 255), 20) and near(found.getpixel((13, 4)), BLUE, 20)


def test_a_converted_picture_is_not_converted_again() -> None:
    for data in (encoded(two_halves("CMYK"), "JPEG"), with_orientation(6), encoded(two_halves("P"), "GIF")):
        once = upright_jpeg(data)
        assert upright_jpeg(once) is once


@pytest.mark.parametrize(
    ("shape", "longest", "wanted"),
    [
        ((300, 200), 150, (150, 100)),
        ((200, 300), 150, (100, 150)),
        ((301, 200), 150, (150, 100)),  # 200 x 150 / 301 = 99.7
        ((4000, 3), 64, (64, 1)),  # 3 x 64 / 4000 = 0.05: at least one pixel
    ],
)
def test_the_longer_side_is_scaled_to_the_cap(shape: tuple[int, int], longest: int, wanted: tuple[int, int]) -> None:
    for kind in ("JPEG", "PNG"):
        data = scale_down(encoded(Image.new("RGB", shape, RED), kind), longest)
        image = Image.open(io.BytesIO(data))
        assert (image.format, image.mode, image.size) == ("JPEG", "RGB", wanted)
        assert image.layer == [(1, 1, 1, 0), (2, 1, 1, 1), (3, 1, 1, 1)], "4:4:4: no component is sampled more coarsely"
        assert near(image.getpixel((0, 0)), RED)


def test_a_picture_within_the_cap_is_not_touched() -> None:
    for data in (jpeg(size=(150, 100)), encoded(two_halves("RGBA"), "PNG"), with_orientation(6)):
        assert scale_down(data, 150) is data


def test_scaling_gives_the_same_bytes_each_time_and_is_done_once() -> None:
    large = encoded(Image.effect_noise((300, 200), 80), "PNG")
    small = scale_down(large, 150)
    assert scale_down(large, 150) == small and scale_down(small, 150) is small


def test_scaling_turns_a_picture_upright() -> None:
    image = Image.open(io.BytesIO(scale_down(with_orientation(6), 8)))  # 16 x 8, its left half on top when upright
    assert image.size == (4, 8) and image.getexif().get(0x0112, 1) == 1
    assert near(image.getpixel((2, 1)), RED, 20) and near(image.getpixel((2, 6)), BLUE, 20)


def with_exif(*entries: bytes) -> bytes:
    """A JPEG with a hand-made EXIF block: little-endian, one directory."""
    block = b"Exif\0\0II*\0\x08\0\0\0" + struct.pack("<H", len(entries)) + b"".join(entries) + bytes(4)
    plain = jpeg()
    return plain[:2] + b"\xff\xe1" + struct.pack(">H", len(block) + 2) + block + plain[2:]


def test_nonsense_in_exif() -> None:
    turned = struct.pack("<HHI4s", 0x0112, 3, 1, b"\x06\0\0\0")
    resolution = struct.pack("<HHI4s", 0x011A, 2, 4, b"abc\0")  # a text where a fraction belongs
    for data in (with_exif(turned, resolution), with_exif(turned), with_exif()):
        assert picture_size(upright_jpeg(data)) == (64, 64)


def test_a_picture_is_turned_whatever_else_its_exif_says() -> None:
    crash = (ROOT / "tests/data/exif_crash.jpg").read_bytes()
    with Image.open(io.BytesIO(crash)) as stored:
        turned = stored.transpose(Image.Transpose.ROTATE_270)
    with pytest.raises(Exception, match="required argument is not an integer"):
        ImageOps.exif_transpose(Image.open(io.BytesIO(crash)))
    assert upright_jpeg(crash) == as_jpeg(turned) and turned.size == (40, 60)
    assert upright_rgb(crash).tobytes() == turned.tobytes() and require_picture(crash) is crash
    assert Image.open(io.BytesIO(scale_down(crash, 30))).size == (20, 30)


def test_a_picture_whose_exif_cannot_be_read_is_shown_as_it_is_stored() -> None:
    plain = jpeg(size=(80, 64), dpi=(72, 72))
    data = plain[:2] + b"\xff\xe1\0\x10Exif\0\0nonsense" + plain[2:]
    with pytest.raises(SyntaxError):
        Image.open(io.BytesIO(data)).getexif()
    assert upright_jpeg(data) == as_jpeg(Image.open(io.BytesIO(plain))), "without the nonsense"


def quarters() -> Image.Image:
    """Of four colours, so that every turn of it is another picture."""
    return Image.frombytes("RGB", (2, 2), bytes([200, 0, 0, 0, 200, 0, 0, 0, 200, 90, 90, 90])).resize((48, 32))


def said_in_xmp(orientation: int) -> str:
    return f'<x:xmpmeta xmlns:x="adobe:ns:meta/"><rdf:Description tiff:Orientation="{orientation}"/></x:xmpmeta>'


def png_with_xmp(orientation: int) -> bytes:
    info = PngImagePlugin.PngInfo()
    info.add_itxt("XML:com.adobe.xmp", said_in_xmp(orientation))
    return encoded(quarters(), "PNG", pnginfo=info)


def with_tag(orientation: int) -> Image.Exif:
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif


TURNED: dict[str, Callable[[int], bytes]] = {
    "jpeg": lambda orientation: encoded(quarters(), "JPEG", exif=with_tag(orientation)),
    "cmyk": lambda orientation: encoded(quarters().convert("CMYK"), "JPEG", exif=with_tag(orientation)),
    "png": lambda orientation: encoded(quarters(), "PNG", exif=with_tag(orientation)),
    "webp": lambda orientation: encoded(quarters(), "WEBP", exif=with_tag(orientation)),
    "tiff": lambda orientation: encoded(quarters(), "TIFF", exif=with_tag(orientation)),
    "avif": lambda orientation: encoded(quarters(), "AVIF", exif=with_tag(orientation), speed=10),
    "xmp of jpeg": lambda orientation: encoded(quarters(), "JPEG", xmp=said_in_xmp(orientation).encode()),
    "xmp of webp": lambda orientation: encoded(quarters(), "WEBP", xmp=said_in_xmp(orientation).encode()),
    "xmp of png": png_with_xmp,
}


@pytest.mark.parametrize("kind", TURNED)
def test_well_formed_pictures_are_turned_as_pillow_turns_them(kind: str) -> None:
    seen = set()
    for orientation in range(10):
        data = TURNED[kind](orientation)
        image = to_rgb(ImageOps.exif_transpose(Image.open(io.BytesIO(data))))
        assert upright_jpeg(data) == (data if "jpeg" in kind and orientation == 1 else as_jpeg(image))
        assert upright_rgb(data).tobytes() == image.tobytes()
        seen.add(image.tobytes())
    assert len(seen) == 8, "0 and 9 turn nothing"


# More than one picture in a JPEG


def several(**options: Any) -> bytes:
    """A phone's MPO: a picture in two halves, and another."""
    return encoded(two_halves(), "MPO", save_all=True, append_images=[Image.new("RGB", (16, 8), "green")], **options)


def scans_with_a_comment() -> bytes:
    """A progressive JPEG in which a comment between two scans holds the two bytes of an end."""
    data = encoded(two_halves(), "JPEG", progressive=True)
    second = data.index(b"\xff\xc4", data.index(b"\xff\xda"))
    return data[:second] + b"\xff\xfe\0\x06\xff\xd9\xff\xd9" + data[second:]


PLAIN = encoded(two_halves(), "JPEG")
ONES: dict[str, tuple[bytes, bytes | None]] = {
    "motion photo": (PLAIN + VIDEO, PLAIN),
    "long padding": (PLAIN + bytes(5000), PLAIN),
    "gain map": (PLAIN + jpeg(size=(512, 512)), PLAIN),
    "progressive": (scans_with_a_comment() + VIDEO, scans_with_a_comment()),
    "MPO": (several(), None),
    "MPO and a video": (several() + VIDEO, None),
}


@pytest.mark.parametrize("name", ONES)
def test_of_several_the_first_is_left_alone_byte_for_byte(name: str) -> None:
    data, expected = ONES[name]
    one = upright_jpeg(data)
    assert expected in (None, one) and one[-500:] in data
    with Image.open(io.BytesIO(one)) as image, Image.open(io.BytesIO(data)) as first:
        assert (image.format, image.mode, image.size) == ("JPEG", "RGB", (16, 8)) and not hasattr(image, "n_frames")
        assert image.tobytes() == first.tobytes()
    assert upright_jpeg(one) is one and require_picture(data) == scale_down(data, 16) == one
    assert media_type(data) == "image/jpeg"


def with_thumbnail() -> bytes:
    """A JPEG with a whole, small JPEG in its EXIF data, as cameras write it."""
    return encoded(two_halves(), "JPEG", exif=with_tag(1).tobytes() + jpeg())


@pytest.mark.parametrize("missing", [1, 2, 10])
@pytest.mark.parametrize("whole", [with_thumbnail(), scans_with_a_comment(), upright_jpeg(several())])
def test_what_ends_in_a_scan_is_truncated_whatever_ends_before_it(whole: bytes, missing: int) -> None:
    with pytest.raises(ValueError, match="is a truncated JPEG"):
        upright_jpeg(whole[:-missing])


# Whatever decoders raise


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (struct.error("required argument is not an integer"), "(required argument is not an integer)"),
        (KeyError(274), "(KeyError(274))"),
        (MemoryError(), "(MemoryError())"),
    ],
    ids=repr,
)
def test_every_exception_is_a_cause_in_words(error: Exception, words: str) -> None:
    with pytest.raises(ValueError) as raised, causes_in_words():
        raise error
    assert str(raised.value) == f"cannot be decoded {words}"
    with pytest.raises(ValueError) as again, causes_in_words():
        raise raised.value
    assert again.value is raised.value


@pytest.mark.parametrize("kind", ["zTXt", "iTXt", "packed iTXt", "iCCP", "many", "behind"])
def test_long_texts_of_a_png_are_left_out(kind: str) -> None:
    info, options = PngImagePlugin.PngInfo(), dict[str, bytes]()
    if kind == "iCCP":
        options["icc_profile"] = bytes(2_000_000)
    for _ in range(70 if kind == "many" else 1):  # 70 MB of texts, each of which alone is not too long
        length = 1_000_000 if kind == "many" else 2_000_000
        if kind.endswith("iTXt"):
            info.add_itxt("k", "x" * length, zip=kind != "iTXt")
        elif kind == "behind":
            info.add(b"zTXt", b"k\0\0" + zlib.compress(b"x" * length), after_idat=True)
        elif kind != "iCCP":
            info.add_text("k", "x" * length, zip=True)
    info.add_text("short", "kept")
    data = encoded(two_halves(), "PNG", pnginfo=info, **options)
    assert near(upright_rgb(data).getpixel((2, 4)), RED) and picture_size(data) == (16, 8)
    assert near(Image.open(io.BytesIO(as_everyone_sees(data))).convert("RGB").getpixel((13, 4)), BLUE)
    short = encoded(two_halves(), "PNG", pnginfo=PngImagePlugin.PngInfo())
    assert require_picture(short) is short


def grey_tiff(mode: str) -> bytes:
    """A ramp from black to white."""
    if mode == "F":
        return encoded(Image.fromarray(np.tile(np.linspace(0, 1, 256, dtype=np.float32), (4, 1))), "TIFF")
    most, kind = (2**31 - 1, np.int32) if mode == "I" else (2**16 - 1, np.uint16)
    return encoded(Image.fromarray(np.tile(np.linspace(0, most, 256).astype(kind), (4, 1))), "TIFF")


def test_tiffs_are_a_ramp_or_say_why_not() -> None:
    ramp = np.asarray(upright_rgb(grey_tiff("I;16")))[0, :, 0]
    assert ramp[0] == 0 and ramp[-1] == 255 and 126 <= ramp.mean() <= 129
    white, black = (struct.pack("<HHII", 262, 3, 1, value) for value in (1, 0))  # of the number 0
    for data in (grey_tiff("F"), grey_tiff("I"), grey_tiff("I;16").replace(white, black)):
        for door in (upright_jpeg, require_picture, as_everyone_sees):
            with pytest.raises(ValueError, match="does not say which number is white"):
                door(data)


def test_a_comment_that_no_jpeg_can_hold_is_left_out() -> None:
    for comment, kept in ((b"short", b"short"), (b"x" * 70_000, None)):
        image = read(encoded(two_halves("P"), "GIF", comment=comment))
        assert image.info.get("comment") == kept


def test_hundreds_of_mutated_pictures() -> None:
    bench = runpy.run_path(str(ROOT / "bench" / "pictures.py"))
    found = bench["figures"](400, [bench["tried"](range(400))])
    assert (found["escapes"], found["unsound"], found["examples"]) == (0, 0, [])
    assert all(found[name] > 5 for name in ("kept", "cut", "converted")) and sum(found["refused"].values()) > 100
