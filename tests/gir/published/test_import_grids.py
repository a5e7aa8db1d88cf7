"""Grids are found in pictures by their lines and tiles, or not at all."""

from __future__ import annotations

import io
from collections.abc import Sequence

import numpy as np
import pytest
from PIL import Image

from stages.gir.construction.draw_sudoku import MARGIN, grid_picture
from stages.gir.grids import Pixels, frame_of, tiling_of
from tests.gir.published.folders import mixed, scenery


def sudoku(size: int, side: int) -> Pixels:
    grid = [number % (size + 1) for number in range(size * size)]
    return np.asarray(Image.open(io.BytesIO(grid_picture(grid, size, side))).convert("RGB"))


@pytest.mark.parametrize("size", [4, 6, 9])
@pytest.mark.parametrize("side", [700])
def test_the_frame_is_that_of_the_outer_lines(size: int, side: int) -> None:
    assert frame_of(sudoku(size, side), size) == pytest.approx((MARGIN, MARGIN, 1 - MARGIN, 1 - MARGIN), abs=1.5 / side)


def test_a_frame_may_lie_anywhere_in_any_colours() -> None:
    shown = 255 - sudoku(9, 300) // 2  # ink 245 on paper 128
    page = np.full((500, 600, 3), 128, np.uint8)
    page[150:450, 240:540] = shown
    edges = (
        (240 + 300 * MARGIN) / 600,
        (150 + 300 * MARGIN) / 500,
        (540 - 300 * MARGIN) / 600,
        (450 - 300 * MARGIN) / 500,
    )
    assert frame_of(page, 9) == pytest.approx(edges, abs=0.004)
    page[::499, :] = page[:, ::599] = 0  # a border around the page is no line of the grid
    assert frame_of(page, 9) == pytest.approx(edges, abs=0.004)


def test_a_picture_saved_as_a_small_jpeg_has_its_frame() -> None:
    out = io.BytesIO()
    Image.fromarray(sudoku(9, 300)).save(out, "JPEG", quality=40)
    assert frame_of(np.asarray(Image.open(out)), 9) == pytest.approx((MARGIN, MARGIN, 1 - MARGIN, 1 - MARGIN), abs=0.01)


@pytest.mark.parametrize(
    "picture",
    [
        sudoku(6, 300),  # another grid
        scenery(1, 300, 300),
        np.zeros((300, 300, 3), np.uint8),
        np.full((1, 1, 3), 255, np.uint8),
        np.repeat(np.where(np.arange(600) % 4 < 2, 255, 0).astype(np.uint8), 1800).reshape(600, 600, 3),  # 150 lines
    ],
)
def test_what_is_no_such_grid_has_no_frame(picture: Pixels) -> None:
    assert frame_of(picture, 9) is None


@pytest.mark.parametrize(
    ("rows", "columns", "order"),
    [(2, 2, (3, 2, 1, 0)), (2, 4, (7, 0, 1, 2, 3, 4, 5, 6)), (4, 3, (11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0))],
)
def test_tiles_are_found_that_were_moved(rows: int, columns: int, order: Sequence[int]) -> None:
    whole = scenery(3, 240, 240)
    question = mixed(whole, rows, columns, order)
    assert tiling_of(question, whole) == (rows, columns)
    out = io.BytesIO()
    Image.fromarray(question).save(out, "JPEG", quality=70)
    assert tiling_of(np.asarray(Image.open(out)), whole) == (rows, columns)


def test_there_are_no_tiles_where_nothing_was_moved_or_nothing_fits() -> None:
    whole = scenery(3, 240, 240)
    assert tiling_of(whole, whole) is None
    assert tiling_of(scenery(4, 240, 240), whole) is None
    assert tiling_of(mixed(whole, 10, 10, range(99, -1, -1)), whole) is None, "more than are looked for"
