"""The contact sheet: which pictures stand where, the same bytes for the same build, small, and whole when empty."""

from __future__ import annotations

import io
import itertools
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image, ImageChops, ImageDraw

from gamut.dataset.reporting import contact_sheet as sheets
from gamut.dataset.reporting.contact_sheet import (
    PER_ROW,
    THUMBNAIL,
    draw_lots,
    merge_lots,
    sections_of,
    thumbnail,
    write_contact_sheet,
)
from gamut.dataset.reporting.figures import gather_figures
from gamut.dataset.shared import joins
from gamut.tables.columns import make_id
from gamut.tables.images import upright_jpeg
from tests import fakes
from tests.dataset import small_build
from tests.dataset.small_build import I0, L0, L1, M0, M1

SHEET = Path("sheet.webp")


def drawn(seed: int = 3) -> Image.Image:
    build = gather_figures(small_build.params(seed=seed))
    write_contact_sheet(SHEET, sections_of(build.drawn), build.report)
    assert SHEET.stat().st_size < 500_000
    return Image.open(SHEET).convert("RGB")


def test_who_stands_where(project: Path) -> None:
    small_build.write()
    kept, left_out, text = sections_of(gather_figures(small_build.params(seed=0)).drawn)
    assert [(row.name, row.pictures, row.ids) for row in kept.rows] == [
        ("entity", 1, [L0]),
        ("imaginative", 1, [I0]),
        ("style", 1, [L0]),
    ]
    # I2 was never painted; M0 was kept by the filter and held out
    assert {row.name: row.ids for row in left_out.rows} == {"benchmark": [M0], "clarity": [L1]}
    assert {row.name: row.ids for row in text.rows} == {"legibility": [M1]}
    assert text.folder == joins.table_of("source_rows")


def test_the_pictures_are_there(project: Path) -> None:
    """The first column, from above: entity L0 red, imaginative I0 blue, style L0 red; benchmark M0 white, clarity L1
    green; the source image M1 red.
    """
    small_build.write()
    sheet = drawn()
    middle = sheets.LABELS + THUMBNAIL // 2
    column = [sheet.getpixel((middle, y)) for y in range(sheet.height)]
    named = ["rgb"[p.index(max(p))] for p in column if max(p) - min(p) > 100]
    assert [name for name, _ in itertools.groupby(named)] == ["r", "b", "r", "g", "r"]
    assert len(named) == pytest.approx(5 * 120, abs=10)  # 64 x 48 pixels, enlarged to 160 x 120; edges are lossy


@pytest.mark.parametrize(
    "name", ["w-00000001", "laion-aesthetics-part01-00000001", "a-very-long-name" * 4 + "-00000001"]
)
def test_an_id_stays_below_its_picture(name: str) -> None:
    place = Image.new("RGB", (3 * THUMBNAIL, 40), "white")
    sheets.draw_id(ImageDraw.Draw(place), THUMBNAIL, 10, name)
    left, top, right, bottom = ImageChops.invert(place).getbbox()
    assert THUMBNAIL <= left < right <= 2 * THUMBNAIL and 10 <= top < bottom <= 10 + sheets.ID_LINE


def test_an_empty_build(project: Path) -> None:
    small_build.empty()
    sheet = drawn()
    assert sheet.height < 2 * THUMBNAIL and sheet.getcolors(sheet.width * sheet.height)


@given(st.sets(st.integers(0, 500), max_size=40), st.integers(0, 5), st.integers(0, 500))
def test_a_lot_does_not_depend_on_order_or_on_shards(ordinals: set[int], seed: int, cut: int) -> None:
    ids = [make_id("w", number) for number in sorted(ordinals)]
    count, drawn = draw_lots("clarity", ids, seed, bool)
    assert draw_lots("clarity", ids[::-1], seed, bool) == [count, drawn]
    assert count == len(ids) and len(drawn) == min(PER_ROW, len(ids)) and {row_id for _, row_id in drawn} <= {*ids}
    parts = [ids[:cut], ids[cut:]]
    merged = merge_lots([{"left_out/clarity": draw_lots("clarity", part, seed, bool)} for part in parts])
    assert merged == {"left_out/clarity": [count, drawn]}


@pytest.mark.parametrize(("size", "mode"), [((400, 100), "RGB"), ((3, 500), "L"), ((160, 160), "RGBA")])
def test_a_thumbnail_is_square_and_whole(size: tuple[int, int], mode: str) -> None:
    out = io.BytesIO()
    Image.new(mode, size).save(out, "PNG")
    small = thumbnail(out.getvalue())
    assert (small.size, small.mode) == ((THUMBNAIL, THUMBNAIL), "RGB")


def test_a_busy_sheet_is_squeezed_below_the_limit() -> None:
    """Coarse noise everywhere, which the best quality cannot hold, and a quiet sheet, which it can."""
    size = (sheets.WIDTH, 6 * THUMBNAIL)
    noise = Image.effect_noise((size[0] // 2, size[1] // 2), 100).convert("RGB").resize(size, Image.Resampling.NEAREST)
    best, quiet = io.BytesIO(), io.BytesIO()
    noise.save(best, "WEBP", quality=sheets.QUALITIES[0])
    assert len(sheets.encode_webp(noise)) < sheets.MOST_BYTES < best.tell()
    Image.new("RGB", size).save(quiet, "WEBP", quality=sheets.QUALITIES[0], method=4)
    assert sheets.encode_webp(Image.new("RGB", size)) == quiet.getvalue()


def test_of_a_jpeg_that_cannot_be_decoded_the_ground_is_shown() -> None:
    whole = fakes.jpeg("blue", (64, 64))
    tables = whole.index(b"\xff\xc4")
    damaged = whole[: tables + 5] + b"\xff" * 16 + whole[tables + 21 :]  # more codes than there can be
    assert upright_jpeg(damaged) is damaged
    assert thumbnail(damaged).getcolors() == [(THUMBNAIL**2, (0xEC, 0xEE, 0xF0))]
