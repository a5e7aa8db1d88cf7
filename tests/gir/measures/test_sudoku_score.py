"""Sudoku of 4 digits, drawn at 200 x 200 or another size: what both forms make of what was read.

The grid fills the picture, so that at 200 a cell has 50 pixels, its centre at 25, 75, 125, 175.
Score: matched / (empty cells + wrongly altered givens).
"""

from __future__ import annotations

import pytest

from gamut.asking.seeing import Line
from stages.gir.shared.measures.sudoku import lines_as_read, released_score, score
from tests.gir.measures.observed import digit, line

SOLUTION = (1, 2, 3, 4, 3, 4, 1, 2, 2, 1, 4, 3, 4, 3, 2, 1)
PUZZLE = (1, 0, 3, 4, 3, 4, 0, 2, 0, 1, 4, 3, 4, 3, 2, 0)
"""Four cells are empty: 1, 6, 8 and 15."""
WHOLE = (0.0, 0.0, 1.0, 1.0)


def drawn(grid: tuple[int, ...], cell: float) -> list[Line]:
    """A grid as it is read where each cell has so many pixels."""
    return [digit(one, cell * (n % 4 + 0.5), cell * (n // 4 + 0.5)) for n, one in enumerate(grid) if one]


def altered(**cells: int) -> tuple[int, ...]:
    """The solution with other digits in cells, such as c1=3."""
    changes = {int(name[1:]): value for name, value in cells.items()}
    return tuple(changes.get(n, one) for n, one in enumerate(SOLUTION))


CASES = {
    # what the answer shows, cell sizes of solution and of answer, released, right
    # cells of 200: reach 0.6 · 200 = 120, neighbours are 200 apart
    "solved": (SOLUTION, 200, 200, 4 / 4, 4 / 4),
    "handed back": (PUZZLE, 200, 200, 0 / 4, 0 / 4),
    "one wrong": (altered(c1=3), 200, 200, 3 / 4, 3 / 4),
    "two wrong": (altered(c1=3, c15=4), 200, 200, 2 / 4, 2 / 4),
    "a given altered": (altered(c0=2), 200, 200, 4 / 5, 4 / 5),  # 4 / (4 + 1)
    "two givens altered, one wrong": (altered(c0=2, c2=1, c1=4), 200, 200, 3 / 6, 3 / 6),  # 3 / (4 + 2)
    "a given not read": (altered(c0=0), 200, 200, 4 / 4, 4 / 4),
    "left empty": (altered(c1=0), 200, 200, 3 / 4, 3 / 4),
    # cells of 50: max(0.6 · 50, 60) = 60 pixels reach over the next cell, which is 50 away. Each empty cell has a
    # neighbour that is given, so released finds none of them empty: matched 0. Each digit is held against the first
    # given within 60: that is itself or a neighbour before it, from which it differs
    "small cells": (SOLUTION, 50, 50, 0, 4 / 4),
}


@pytest.mark.parametrize(("answer", "solution_cell", "cell", "as_released", "right"), CASES.values(), ids=CASES)
def test_both_forms(
    answer: tuple[int, ...], solution_cell: float, cell: float, as_released: float, right: float
) -> None:
    read = drawn(answer, cell)
    side = round(4 * cell)
    assert score(read, (side, side), WHOLE, PUZZLE, SOLUTION) == pytest.approx(right)
    meant, given = drawn(SOLUTION, solution_cell), drawn(PUZZLE, solution_cell)
    assert released_score(read, meant, given, 4) == pytest.approx(as_released)


def test_a_grid_as_it_is_read() -> None:
    """Cells of 0.2 x 200 = 40 pixels from (20, 20) on: the second row's first digit is at (40, 80)."""
    lines = lines_as_read(PUZZLE, (200, 200), (0.1, 0.1, 0.9, 0.9))
    assert [line.text for line in lines] == [str(digit) for digit in PUZZLE if digit] and len(lines) == 12
    assert lines[3].corners == ((20, 60), (60, 60), (60, 100), (20, 100)) and lines[3].text == "3"
    assert score(lines, (200, 200), (0.1, 0.1, 0.9, 0.9), PUZZLE, SOLUTION) == 0


def test_an_answer_of_half_the_size() -> None:
    """Solution and question at 800 x 800 have centres at 100, 300, 500, 700; reach 120. A perfect answer at 400 has its
    at 50, 150, 250, 350. Columns 50 and 150 are within reach of 100, 250 and 350 of 300, in rows alike, also across:
    (50, 50) is 71 from (100, 100), (350, 350) as far from (300, 300).

    So every digit lies at one of the cells 0, 1, 4, 5 of the 800 grid, and the givens among these are 1 (cell 0), 3
    (cell 4), 4 (cell 5). Answers at cell 0: 1, 2, 3, 4, of which three are no 1; at cell 4: 2, 1, 4, 3, of which three
    are no 3; at cell 5: 4, 3, 2, 1, of which three are no 4: nine givens altered. At cell 1, which is empty and wants
    2: 3, 4, 1, 2, of which the last matches. 1 / (4 + 9).
    """
    read = drawn(SOLUTION, 100)
    assert released_score(read, drawn(SOLUTION, 200), drawn(PUZZLE, 200), 4) == pytest.approx(1 / 13)
    # The same grid at another size: all cells are where they belong.
    assert score(read, (400, 400), WHOLE, PUZZLE, SOLUTION) == 1


def test_a_few_digits_alone() -> None:
    """Of three digits no cell size is known: reach 80. Two are empty; the one at 79 from its place matches."""
    meant = [digit(1, 0, 0), digit(2, 300, 0), digit(3, 0, 300)]
    given = [digit(1, 0, 0)]
    assert released_score([digit(2, 379, 0), digit(3, 0, 380)], meant, given, 4) == pytest.approx(1 / 2)
    assert released_score([], given, given, 4) == 0  # 0 / 0 is 0


def test_the_grid_has_a_frame() -> None:
    """A grid in the right half of a picture: cells of 50 x 100 pixels, from 200 on. What is beside it is in no cell."""
    read = [digit(one, 200 + 50 * (n % 4 + 0.5), 100 * (n // 4 + 0.5)) for n, one in enumerate(SOLUTION)]
    assert score([*read, digit(9, 100, 50)], (400, 400), (0.5, 0, 1, 1), PUZZLE, SOLUTION) == 1


def test_a_row_that_is_read_as_one_line() -> None:
    """A row of cells of 200 from 75 to 725: the seven signs of "1 2 3 4" are 92.9 wide, digits stand at 121, 307, 493,
    679, each in its cell. The released form puts all four at 400, 100: nearest to cells 1 and 2, 100 from both. Reach
    is 120: the first given there is 3 (cell 2), so 1, 2 and 4 are givens altered, and nothing is matched in cell 1.
    """
    rows = [line("1 2 3 4", box=(75, 90, 725, 110)), *drawn((0,) * 4 + SOLUTION[4:], 200)]
    assert score(rows, (800, 800), WHOLE, PUZZLE, SOLUTION) == 1
    # the other three empty cells match: 3 / (4 + 3)
    assert released_score(rows, drawn(SOLUTION, 200), drawn(PUZZLE, 200), 4) == pytest.approx(3 / 7)


def test_two_digits_in_one_cell() -> None:
    """Whoever writes all digits into a cell has not filled it; released takes the one that fits, 4 / 4."""
    read = [*drawn(SOLUTION, 200), digit(3, 310, 100), digit(4, 290, 100)]
    assert score(read, (800, 800), WHOLE, PUZZLE, SOLUTION) == pytest.approx(3 / 4)
    assert released_score(read, drawn(SOLUTION, 200), drawn(PUZZLE, 200), 4) == 1
    # A second digit in a given's cell alters it, in both: 4 / (4 + 1).
    read = [*drawn(SOLUTION, 200), digit(3, 110, 100)]
    assert score(read, (800, 800), WHOLE, PUZZLE, SOLUTION) == pytest.approx(4 / 5)
    assert released_score(read, drawn(SOLUTION, 200), drawn(PUZZLE, 200), 4) == pytest.approx(4 / 5)


def test_what_is_no_puzzle() -> None:
    with pytest.raises(ValueError, match="no empty cell"):
        score([], (100, 100), WHOLE, SOLUTION, SOLUTION)
    with pytest.raises(ValueError, match="grids of one size"):
        score([], (100, 100), WHOLE, PUZZLE, SOLUTION[:15])
