from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from stages.gir.construction.draw_sudoku import BOXES, cells_of, drawn, sudokus


def dark(picture: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("L")) < 128


def inside(mask: np.ndarray, box: tuple[float, ...]) -> np.ndarray:
    """A cell without the tenth next to its lines."""
    side = len(mask)
    left, top, right, bottom = (round(side * share) for share in box)
    edge = round(0.1 * (right - left))
    return mask[top + edge : bottom - edge, left + edge : right - edge]


@pytest.mark.parametrize("size", BOXES)
@pytest.mark.parametrize("side", [240, 512, 1000])
def test_digits_stand_in_the_cells_that_the_geometry_names(size: int, side: int) -> None:
    case = next(sudokus(5, 1, [size]))
    question, answer = dark(drawn(case.puzzle, size, side)), dark(drawn(case.solution, size, side))
    shapes: dict[int, list[np.ndarray]] = {}
    for given, digit, box in zip(case.puzzle, case.solution, cells_of(size), strict=True):
        assert inside(question, box).any() == bool(given)
        rows, columns = np.nonzero(inside(answer, box))
        # in the middle of the cell, to a twelfth of its side
        assert abs((rows.min() + rows.max() + 1) / 2 - inside(answer, box).shape[0] / 2) < side / size / 12
        assert abs((columns.min() + columns.max() + 1) / 2 - inside(answer, box).shape[1] / 2) < side / size / 8
        shapes.setdefault(digit, []).append(inside(answer, box))
    assert len(shapes) == size


def test_boxes_of_cells_lie_row_by_row_and_scale_with_the_picture() -> None:
    # margins of 4 %: the grid of 4 has cells of (100 - 8) / 4 = 23 %
    assert cells_of(4)[0] == pytest.approx((0.04, 0.04, 0.27, 0.27))
    assert cells_of(4)[1] == pytest.approx((0.27, 0.04, 0.50, 0.27))
    assert cells_of(4)[15] == pytest.approx((0.73, 0.73, 0.96, 0.96))


def test_boxes_have_thicker_lines() -> None:
    mask = dark(drawn([0] * 36, 6, 1200))
    # between rows 2 and 3 ends a box of 2 x 3, between rows 1 and 2 none; a line is 3 pixels, thick ones are 9
    column = mask[:, round(1200 * (0.04 + 0.92 / 12))]
    runs = [len(run) for run in "".join("x" if on else " " for on in column).split()]
    assert runs == [9, 3, 9, 3, 9, 3, 9]


def test_the_same_grid_is_the_same_bytes() -> None:
    case = next(sudokus(5, 1, [9]))
    assert drawn(case.puzzle, 9, 512) == drawn(case.puzzle, 9, 512) != drawn(case.solution, 9, 512)
