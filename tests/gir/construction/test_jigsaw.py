from __future__ import annotations

import io
import random

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from stages.gir.construction.cut_jigsaw import cut_tiles, grid_of, shuffled_order
from tests.fakes import encoded


def noise(width: int, height: int, seed: int = 0, kind: str = "PNG") -> bytes:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    return encoded(Image.fromarray(pixels), kind)


def pixels_of(picture: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))


@settings(max_examples=60, deadline=None)
@given(st.integers(2, 60), st.integers())
def test_at_least_half_of_the_tiles_are_moved(tiles: int, seed: int) -> None:
    order = shuffled_order(tiles, random.Random(seed))
    assert sorted(order) == list(range(tiles))
    assert sum(place != tile for place, tile in enumerate(order)) >= tiles / 2


def test_orders_are_not_all_complete_changes() -> None:
    """Of the 24 orders of 4 tiles 1 moves none, 6 move 2, 8 move 3 and 9 move 4: all but the first are drawn."""
    drawn = {shuffled_order(4, random.Random(seed)) for seed in range(300)}
    assert len(drawn) == 23 and (0, 1, 2, 3) not in drawn


@settings(max_examples=25, deadline=None)
@given(st.integers(60, 160), st.integers(60, 160), st.integers(2, 5), st.integers(0, 9))
def test_the_order_restores_the_picture(width: int, height: int, shorter: int, seed: int) -> None:
    picture = noise(width, height, seed)
    case = cut_tiles(picture, shorter, random.Random(seed))
    shuffled, whole = pixels_of(case.shuffled), pixels_of(case.solution)
    restored = np.zeros_like(shuffled)
    for place, tile in enumerate(case.order):
        left, top, right, bottom = case.boxes[place]
        x0, y0, x1, y1 = case.boxes[tile]
        restored[y0:y1, x0:x1] = shuffled[top:bottom, left:right]
    assert np.array_equal(restored, whole) and not np.array_equal(shuffled, whole)
    assert len(case.order) == case.rows * case.columns == len(case.boxes)
    # what is left over lies at the edges: less than a tile's share of each
    assert 0 <= width - whole.shape[1] < case.columns and 0 <= height - whole.shape[0] < case.rows
    x, y = (width - whole.shape[1]) // 2, (height - whole.shape[0]) // 2
    assert np.array_equal(whole, pixels_of(picture)[y : y + whole.shape[0], x : x + whole.shape[1]])


@given(st.integers(100, 5000), st.integers(100, 5000), st.integers(2, 6))
def test_no_tile_is_much_longer_than_wide(width: int, height: int, shorter: int) -> None:
    """Rounding n + 1/2 tiles with n of at least 2 makes a tile longer or shorter by a quarter."""
    rows, columns = grid_of(width, height, shorter)
    assert 0.8 - 1e-9 <= (width / columns) / (height / rows) <= 1.25 + 1e-9
    assert min(rows, columns) == shorter


def test_a_picture_that_lies_on_its_side_is_cut_upright() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6
    out = io.BytesIO()
    Image.open(io.BytesIO(noise(160, 90))).save(out, "JPEG", exif=exif)
    case = cut_tiles(out.getvalue(), 2, random.Random(1))
    assert case == cut_tiles(out.getvalue(), 2, random.Random(1)) and case != cut_tiles(
        out.getvalue(), 2, random.Random(2)
    )
    assert (case.rows, case.columns) == (4, 2)  # 90 wide, 160 high


@pytest.mark.parametrize(
    ("picture", "shorter", "why"),
    [
        (encoded(Image.new("RGB", (90, 90), "red"), "PNG"), 3, "has tiles that look alike among its 3 x 3"),
        (noise(20, 30), 3, "is too small for 4 x 3 tiles: 20x30 pixels"),
        (b"no picture", 3, "is not a picture"),
    ],
)
def test_what_cannot_be_a_jigsaw(picture: bytes, shorter: int, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        cut_tiles(picture, shorter, random.Random(1))
