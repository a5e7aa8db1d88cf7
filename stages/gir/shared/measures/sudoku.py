"""Sudoku: the share of empty cells that were filled correctly. Altered given digits count as further wrong cells.

Grids are digits row by row, 0 for an empty cell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from gamut.asking.seeing import Line
from stages.gir.shared.measures.text import sure_lines

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""
REACH, LEAST_REACH, USUAL_REACH = 0.6, 60.0, 80.0
"""How far from its place the released script lets a digit be: a share of a cell, but at least some pixels; and a fixed
number of pixels if fewer than `ENOUGH_DIGITS` digits show a cell's size."""
ENOUGH_DIGITS = 4


class Digit(NamedTuple):
    value: str
    x: float
    y: float


def score(
    lines: Sequence[Line], size: tuple[int, int], frame: Box, puzzle: Sequence[int], solution: Sequence[int]
) -> float:
    """Return matched / (empty cells + wrongly altered givens), 0..1. ValueError if there is no cell to fill in.

    `size`: width and height of the answer in pixels. `frame`: the grid's outer edges as shares of both.

    Unlike in `released_score`, cells are those of the grid, which has its place in an answer of any size. Their right
    digits are known, not read from a picture. A cell with two different digits is wrong, and a given digit is altered
    if another one was read in its cell. A given digit that was not read is not altered: it may be there.
    """
    if not (len(puzzle) == len(solution) == math.isqrt(len(puzzle)) ** 2):
        raise ValueError("a puzzle and its solution must be square grids of one size")
    table = digits_by_cell(lines, size, frame, math.isqrt(len(puzzle)))
    cells = list(zip(table, puzzle, solution, strict=True))
    empty = [read == {right} for read, given, right in cells if given == 0]
    altered = [read for read, given, _ in cells if given and read - {given}]
    if not empty:
        raise ValueError("the puzzle has no empty cell")
    return sum(empty) / (len(empty) + len(altered))


def digits_by_cell(lines: Sequence[Line], size: tuple[int, int], frame: Box, side: int) -> list[set[int]]:
    """Return the digits that were read in each cell. Those outside the grid are in none."""
    table: list[set[int]] = [set() for _ in range(side * side)]
    left, top, right, bottom = frame
    for digit in (digit for line in sure_lines(lines) for digit in digits_along(line)):
        column = math.floor((digit.x / size[0] - left) / (right - left) * side)
        row = math.floor((digit.y / size[1] - top) / (bottom - top) * side)
        if 0 <= column < side and 0 <= row < side:
            table[row * side + column].add(int(digit.value))
    return table


def digits_along(line: Line) -> Iterator[Digit]:
    """Yield the digits of a line at their places along it: readers take a row for one line, with its spaces."""
    top_left, top_right, bottom_right, bottom_left = line.corners
    for place, sign in enumerate(line.text):
        if sign.isdecimal():
            along = (place + 0.5) / len(line.text)
            ends = ((top_left[axis] + bottom_left[axis], top_right[axis] + bottom_right[axis]) for axis in (0, 1))
            yield Digit(sign, *(((1 - along) * start + along * end) / 2 for start, end in ends))


def lines_as_read(digits: Sequence[int], size: tuple[int, int], frame: Box) -> list[Line]:
    """Return the digits of a grid as a perfect reader finds them: one line each, in its cell, in pixels."""
    side = math.isqrt(len(digits))
    wide, high = ((frame[2] - frame[0]) * size[0] / side, (frame[3] - frame[1]) * size[1] / side)
    found = []
    for place, digit in enumerate(digits):
        left, top = frame[0] * size[0] + place % side * wide, frame[1] * size[1] + place // side * high
        right, bottom = left + wide, top + high
        if digit:
            found.append(Line(str(digit), 1.0, ((left, top), (right, top), (right, bottom), (left, bottom))))
    return found


def released_score(answer: Sequence[Line], solution: Sequence[Line], question: Sequence[Line], side: int) -> float:
    """Return matched / (empty cells + wrongly altered givens), 0..1, from three pictures, in the pixels of each,
    whatever their sizes.

    Empty cells are digits of the solution without a digit of the question within reach: if cells are smaller than
    `LEAST_REACH`, a given digit also removes its neighbours. All digits of a line are at its middle.
    """
    made, meant, givens = (list(centred_digits(lines)) for lines in (answer, solution, question))
    reach = reach_of(meant, side)
    empty = [digit for digit in meant if not any(digit_distance(digit, one) < reach for one in givens)]
    total, left = len(empty), list(empty)
    for digit in made:
        near = next((one for one in givens if digit_distance(digit, one) < reach), None)
        if near is not None:
            total += digit.value != near.value
            continue
        fitting = [one for one in left if one.value == digit.value and digit_distance(digit, one) < reach]
        if fitting:
            left.remove(min(fitting, key=lambda one: digit_distance(digit, one)))
    return (len(empty) - len(left)) / total if total else 0.0


def centred_digits(lines: Sequence[Line]) -> Iterator[Digit]:
    """Yield the digits of all lines, each at the whole pixel in the middle of its line."""
    for line in sure_lines(lines):
        x, y = (int((min(numbers) + max(numbers)) / 2) for numbers in zip(*line.corners, strict=True))
        yield from (Digit(sign, x, y) for sign in re.findall(r"\d", line.text))


def reach_of(solution: Sequence[Digit], side: int) -> float:
    """Return how far a digit may be from its place, in pixels of the solution."""
    if len(solution) < ENOUGH_DIGITS:
        return USUAL_REACH
    ranges = [max(numbers) - min(numbers) for numbers in ([one.x for one in solution], [one.y for one in solution])]
    return max(max(ranges) / (side - 1) * REACH, LEAST_REACH)


def digit_distance(one: Digit, other: Digit) -> float:
    return math.dist((one.x, one.y), (other.x, other.y))
