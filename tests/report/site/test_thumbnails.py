"""Thumbnails of all that may come: turned, damaged, tiny, deep, animated pictures, and the same one twice at once."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image

from gamut.report.site.folder import Folder
from gamut.report.site.thumbnails import Thumbnail, thumbnails
from gamut.tables.images import ORIENTATION
from tests.fakes import encoded, jpeg

RED, BLUE = (200, 0, 0), (0, 0, 200)


def halves(width: int, height: int, turned: int = 1, kind: str = "JPEG") -> bytes:
    """A picture that is red on the left and blue on the right as it is stored."""
    image = Image.new("RGB", (width, height), RED)
    image.paste(BLUE, (width // 2, 0, width, height))
    exif = Image.Exif()
    exif[ORIENTATION] = turned
    return encoded(image, kind, exif=exif)


def shown(folder: Path, *pictures: bytes) -> list[Thumbnail]:
    return [*thumbnails(Folder(folder), pictures)]


def pixel(folder: Path, one: Thumbnail, x: float, y: float) -> tuple[int, ...]:
    with Image.open(folder / one.path) as image:
        return image.getpixel((int(x * image.width), int(y * image.height)))


@pytest.mark.parametrize("kind", ["JPEG", "PNG", "WEBP"])
@pytest.mark.parametrize(("width", "height"), [(900, 300), (1100, 1099)])
def test_what_lies_on_its_side_is_turned_upright(tmp_path: Path, kind: str, width: int, height: int) -> None:
    for _ in range(2):  # once made, once found
        [one] = shown(tmp_path, halves(width, height, 6, kind))
        assert (one.full_width, one.full_height) == (height, width)
        top, bottom = pixel(tmp_path, one, 0.5, 0.1), pixel(tmp_path, one, 0.5, 0.9)
        assert top[0] > 150 > top[2] and bottom[2] > 150 > bottom[0]
    assert [*tmp_path.glob("pictures/*")] == [tmp_path / one.path]


def test_a_thumbnail_is_small_and_holds_nothing_but_pixels(tmp_path: Path) -> None:
    [large, small, dot, line] = shown(
        tmp_path, jpeg(RED, (4096, 2048)), jpeg(RED), jpeg(RED, (1, 1)), jpeg(RED, (1, 9000))
    )
    assert [(one.width, one.height) for one in (large, small, dot, line)] == [(512, 256), (64, 64), (1, 1), (1, 512)]
    assert (large.full_width, large.full_height, line.full_height) == (4096, 2048, 9000)
    exif = Image.Exif()
    exif[0x010E] = "where somebody lives"
    [told] = shown(tmp_path, encoded(Image.new("RGB", (80, 80)), "JPEG", exif=exif))
    assert b"lives" not in (tmp_path / told.path).read_bytes()


def test_what_cannot_be_shown_says_why(tmp_path: Path) -> None:
    frames = [Image.new("RGB", (70, 70), color) for color in (RED, BLUE)]
    animated = encoded(frames[0], "GIF", save_all=True, append_images=frames[1:])
    vast = io.BytesIO()
    Image.new("1", (9000, 8000)).save(vast, "PNG")
    found = shown(tmp_path, b"", b"<script>", jpeg(RED)[:-20], animated, vast.getvalue(), jpeg(BLUE))
    assert [one.why for one in found[:2]] == ["is not a picture in a known format"] * 2
    assert found[2].why == "is a truncated JPEG"
    assert found[3].why == "is animated (2 frames)"
    assert found[4].why == "claims 9000x8000 pixels, at most 64,000,000 are read"
    assert found[5].why is None and not any(one.path for one in found[:5])


def test_one_picture_many_times_at_once_is_one_file(tmp_path: Path) -> None:
    found = shown(tmp_path, *[jpeg(RED, (300, 200))] * 200)
    assert len({*found}) == 1 and [path.name for path in tmp_path.glob("pictures/*")] == [Path(found[0].path).name]
