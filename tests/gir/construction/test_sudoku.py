from __future__ import annotations

import io
import random
from collections.abc import Iterator
from itertools import islice

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image

from stages.gir.construction.draw_sudoku import (
    BOXES,
    cells_of,
    decided_cells,
    full_grid,
    grid_picture,
    options_of,
    shape_of,
    solutions,
    sudokus,
)
from tests.gir.construction.exact_cover import covers


def all_solutions(grid: tuple[int, ...], size: int) -> Iterator[tuple[int, ...]]:
    options = options_of(grid, size)
    return solutions(options, size, decided_cells(grid, options))


def by_sets(grid: tuple[int, ...], size: int) -> bool:
    high, wide = BOXES[size]
    rows = [grid[start : start + size] for start in range(0, size * size, size)]
    boxes = [
        [rows[top + r][left + c] for r in range(high) for c in range(wide)]
        for top in range(0, size, high)
        for left in range(0, size, wide)
    ]
    return all(sorted(unit) == list(range(1, size + 1)) for unit in [*rows, *zip(*rows, strict=True), *boxes])


def test_a_cell_has_the_peers_that_the_rules_give_it() -> None:
    # 9: 8 in the row, 8 in the column, 4 more in the box; 6: 5 + 5 + 2; 4: 3 + 3 + 1
    assert {size: {len(peers) for peers in shape_of(size).peers} for size in BOXES} == {4: {7}, 6: {12}, 9: {20}}
    assert shape_of(6).units[12] == (0, 1, 2, 6, 7, 8)  # the first box: 2 rows, 3 columns


@settings(max_examples=20, deadline=None)
@given(st.sampled_from([4, 6, 9]), st.integers())
def test_full_grids_keep_the_rules(size: int, seed: int) -> None:
    assert by_sets(full_grid(size, random.Random(seed)), size)


@settings(max_examples=15, deadline=None)
@given(st.sampled_from([4, 6, 9]), st.integers(), st.floats(0.3, 0.9))
def test_both_solvers_find_the_same(size: int, seed: int, kept: float) -> None:
    chance = random.Random(seed)
    grid = tuple(digit if chance.random() < kept else 0 for digit in full_grid(size, chance))
    # up to 20 of them: solvers find them in an order of their own
    ours, theirs = list(islice(all_solutions(grid, size), 20)), list(islice(covers(grid, size, *BOXES[size]), 20))
    assert len(ours) == len(theirs) and all(by_sets(found, size) for found in ours)
    assert len(ours) == 20 or set(ours) == set(theirs)


@pytest.mark.parametrize("size", BOXES)
def test_puzzles_have_one_solution_and_need_each_of_their_digits(size: int) -> None:
    for case in sudokus(7, 2, [size]):
        assert list(islice(covers(case.puzzle, size, *BOXES[size]), 2)) == [case.solution]
        assert all(given in (0, digit) for given, digit in zip(case.puzzle, case.solution, strict=True))
        for cell in (cell for cell, digit in enumerate(case.puzzle) if digit):
            without = (*case.puzzle[:cell], 0, *case.puzzle[cell + 1 :])
            assert len(list(islice(covers(without, size, *BOXES[size]), 2))) == 2


def test_sizes_come_in_turn_and_none_twice() -> None:
    cases = list(sudokus(1, 12))
    assert [case.size for case in cases] == [4, 6, 9] * 4 and len({case.puzzle for case in cases}) == 12
    assert list(sudokus(1, 12)) == cases and list(sudokus(1, 3)) == cases[:3]
    assert next(sudokus(2, 1)) != cases[0]


def dark(picture: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("L")) < 128


def inside(mask: np.ndarray, box: tuple[float, ...]) -> np.ndarray:
    side = len(mask)
    left, top, right, bottom = (round(side * share) for share in box)
    edge = round(0.1 * (right - left))
    return mask[top + edge : bottom - edge, left + edge : right - edge]


@pytest.mark.parametrize("size", BOXES)
@pytest.mark.parametrize("side", [240, 1000])
def test_digits_stand_in_the_cells_that_the_geometry_names(size: int, side: int) -> None:
    case = next(sudokus(5, 1, [size]))
    question, answer = dark(grid_picture(case.puzzle, size, side)), dark(grid_picture(case.solution, size, side))
    shapes: dict[int, list[np.ndarray]] = {}
    for shown, digit, box in zip(case.puzzle, case.solution, cells_of(size), strict=True):
        assert inside(question, box).any() == bool(shown)
        rows, columns = np.nonzero(inside(answer, box))
        # in the middle of the cell, to a twelfth of its side
        assert abs((rows.min() + rows.max() + 1) / 2 - inside(answer, box).shape[0] / 2) < side / size / 12
        assert abs((columns.min() + columns.max() + 1) / 2 - inside(answer, box).shape[1] / 2) < side / size / 8
        shapes.setdefault(digit, []).append(inside(answer, box))
    assert len(shapes) == size


def test_boxes_have_thicker_lines() -> None:
    mask = dark(grid_picture([0] * 36, 6, 1200))
    # between rows 2 and 3 ends a box of 2 x 3, between rows 1 and 2 none; a line is 3 pixels, thick ones are 9
    column = mask[:, round(1200 * (0.04 + 0.92 / 12))]
    runs = [len(run) for run in "".join("x" if on else " " for on in column).split()]
    assert runs == [9, 3, 9, 3, 9, 3, 9]
