"""Sudoku as cases of an edition: the puzzle's picture and the solution's (section 3.3)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import cycle, islice
from typing import NamedTuple

from PIL import Image, ImageDraw

from gamut.evaluation.construction.drawing import distinct_cases, font_of
from gamut.evaluation.construction.slots import Slots, drawn_case_row, pack_case
from gamut.tables.columns import Row
from gamut.tables.images import as_png
from stages.gir.construction.parameters import Params
from stages.gir.shared.prompts import SUDOKU

Grid = tuple[int, ...]
BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3)}
"""Rows and columns of a box, by size."""


class Sudoku(NamedTuple):
    """A puzzle with its only solution, which any solver can confirm. None of its digits can be left out."""

    size: int
    puzzle: Grid
    solution: Grid


class Shape(NamedTuple):
    """The rows, columns and boxes of a size as cells; for each cell its units, and the cells that share one."""

    units: tuple[tuple[int, ...], ...]
    units_of: tuple[tuple[int, ...], ...]
    peers: tuple[tuple[int, ...], ...]
    full: int


@cache
def shape_of(size: int) -> Shape:
    high, wide = BOXES[size]
    across = size // wide
    units_of = tuple(
        (row, size + column, 2 * size + row // high * across + column // wide)
        for row in range(size)
        for column in range(size)
    )
    units = tuple(tuple(c for c, own in enumerate(units_of) if unit in own) for unit in range(3 * size))
    peers = tuple(tuple(sorted({c for u in own for c in units[u]} - {cell})) for cell, own in enumerate(units_of))
    return Shape(units, units_of, peers, (1 << size) - 1)


def sudokus(seed: int, count: int, sizes: Sequence[int] = tuple(BOXES)) -> Iterator[Sudoku]:
    """Yield `count` puzzles, with the sizes in turn."""
    in_turn = list(islice(cycle(sizes), count))
    drawn = {
        size: distinct_cases(f"Sudoku {size}", seed, many, partial(dig_puzzle, size), lambda case: case.puzzle)
        for size, many in Counter(in_turn).items()
    }
    return (next(drawn[size]) for size in in_turn)


def dig_puzzle(size: int, chance: random.Random) -> Sudoku:
    """Remove digit after digit from a full grid, as long as its solution stays the only one."""
    solution = full_grid(size, chance)
    puzzle = list(solution)
    for cell in chance.sample(range(size * size), size * size):
        puzzle[cell] = 0
        if has_another(puzzle, cell, solution[cell], size):
            puzzle[cell] = solution[cell]
    return Sudoku(size, tuple(puzzle), solution)


def has_another(puzzle: Sequence[int], cell: int, digit: int, size: int) -> bool:
    """Return whether there is a solution with another digit than this one in an empty cell."""
    options = options_of(puzzle, size)
    options[cell] &= ~(1 << (digit - 1))
    return options[cell] > 0 and next(solutions(options, size, decided_cells(puzzle, options)), None) is not None


def solutions(options: list[int], size: int, fresh: list[int]) -> Iterator[Grid]:
    """Yield every solution within the options. `fresh`: cells with one digit left, whose consequences are not drawn
    yet.
    """
    if not settle_options(options, size, fresh):
        return
    open_cells = [cell for cell, bits in enumerate(options) if bits & (bits - 1)]
    if not open_cells:
        yield tuple(bits.bit_length() for bits in options)
        return
    cell = min(open_cells, key=lambda cell: options[cell].bit_count())
    for bit in (1 << digit for digit in range(size)):
        if options[cell] & bit:
            yield from solutions([*options[:cell], bit, *options[cell + 1 :]], size, [cell])


def decided_cells(puzzle: Sequence[int], options: Sequence[int]) -> list[int]:
    return [cell for cell, bits in enumerate(options) if bits & (bits - 1) == 0 and not puzzle[cell]]


def options_of(puzzle: Sequence[int], size: int) -> list[int]:
    """Return the digits that every cell may hold, given the puzzle's digits."""
    units, units_of, _, full = shape_of(size)
    taken = [0] * len(units)
    for digit, own in zip(puzzle, units_of, strict=True):
        for unit in own if digit else ():
            taken[unit] |= 1 << (digit - 1)
    return [
        1 << (digit - 1) if digit else full & ~(taken[row] | taken[column] | taken[box])
        for digit, (row, column, box) in zip(puzzle, units_of, strict=True)
    ]


def settle_options(options: list[int], size: int, fresh: list[int]) -> bool:
    """Remove impossible digits, by cells and units, until nothing changes. False if a cell has none left."""
    units, _, peers, full = shape_of(size)
    if not spread_digits(options, peers, fresh):
        return False
    moving = True
    while moving:
        moving = False
        for unit in units:
            once = twice = undecided = 0
            for cell in unit:
                bits = options[cell]
                twice |= once & bits
                once |= bits
                if bits & (bits - 1):
                    undecided |= bits
            if once != full:
                return False
            alone = undecided & ~twice
            if not alone:
                continue
            moving = True
            fresh = [cell for cell in unit if options[cell] & alone]
            for cell in fresh:
                options[cell] &= alone
                if options[cell] & (options[cell] - 1):
                    return False
            if not spread_digits(options, peers, fresh):
                return False
    return True


def spread_digits(options: list[int], peers: Sequence[Sequence[int]], fresh: list[int]) -> bool:
    """Remove the digits of the cells `fresh` from all cells that share a row, column or box with them, and so on."""
    while fresh:
        cell = fresh.pop()
        bit = options[cell]
        for peer in peers[cell]:
            bits = options[peer]
            if bits & bit:
                bits ^= bit
                options[peer] = bits
                if bits & (bits - 1) == 0:
                    if not bits:
                        return False
                    fresh.append(peer)
    return True


def full_grid(size: int, chance: random.Random) -> Grid:
    def filled(options: list[int]) -> list[int] | None:
        counts = [bits.bit_count() for bits in options]
        fewest = min((count for count in counts if count > 1), default=None)
        if fewest is None:
            return options
        cell = chance.choice([cell for cell, count in enumerate(counts) if count == fewest])
        for digit in chance.sample(range(size), size):
            narrowed = [*options]
            narrowed[cell] &= 1 << digit
            if narrowed[cell] and settle_options(narrowed, size, [cell]) and (found := filled(narrowed)):
                return found
        return None

    found = filled([shape_of(size).full] * (size * size))
    assert found is not None
    return tuple(bits.bit_length() for bits in found)


MARGIN = 0.04
"""White around the grid, as a share of the picture's side."""
DIGIT = 0.45
"""Size of the digits' font, as a share of a cell's side. Readers of whole pictures miss larger ones: in full grids of
size 6 and 512 pixels RapidOCR reads three of four cells with digits of 0.6, and all with these."""
PAPER, INK = "white", (20, 20, 24)

Box = tuple[float, float, float, float]
"""Left, top, right, bottom."""


def cells_of(size: int) -> list[Box]:
    """Return the box of every cell, row by row, as shares of the picture's side."""
    step = (1 - 2 * MARGIN) / size
    edges = [MARGIN + number * step for number in range(size + 1)]
    return [
        (edges[column], edges[row], edges[column + 1], edges[row + 1]) for row in range(size) for column in range(size)
    ]


def grid_picture(grid: Sequence[int], size: int, side: int) -> bytes:
    image = Image.new("RGB", (side, side), PAPER)
    draw = ImageDraw.Draw(image)
    high, wide = BOXES[size]
    low, far = MARGIN * side, (1 - MARGIN) * side
    step = (far - low) / size
    thin = max(1, round(side / 400))
    for number in range(size + 1):
        middle = low + number * step
        for every, horizontal in ((high, True), (wide, False)):
            thick = thin * (3 if number % every == 0 else 1)
            near, end = middle - thick / 2, middle + thick / 2 - 1
            line = (low, near, far, end) if horizontal else (near, low, end, far)
            draw.rectangle(tuple(map(round, line)), fill=INK)
    font = font_of(DIGIT * step)
    for digit, (left, top, right, bottom) in zip(grid, cells_of(size), strict=True):
        if digit:
            _, above, _, below = font.getbbox(str(digit), anchor="ls")
            at = (side * (left + right) / 2, side * (top + bottom) / 2 - (above + below) / 2)
            draw.text(at, str(digit), font=font, fill=INK, anchor="ms")
    return as_png(image)


def draw_sudoku(slots: Slots[Params]) -> None:
    propose = slots.params.propose
    cases = sudokus(slots.seed(), propose.drafts.sudoku)
    slots.write([row_of(number, case, propose.grid) for number, case in enumerate(cases)])


def row_of(number: int, case: Sudoku, side: int) -> Row:
    cells = cells_of(case.size)
    puzzle, answer = ("".join(map(str, grid)) for grid in (case.puzzle, case.solution))
    frame = [round(edge, 6) for edge in (*cells[0][:2], *cells[-1][2:])]
    own = {"puzzle": puzzle, "answer": answer, "frame": frame, "proof": "one solution"}
    grids = {"input_1": case.puzzle, "solution_1": case.solution}
    pictures = {name: grid_picture(grid, case.size, side) for name, grid in grids.items()}
    prompt = SUDOKU.format(size=case.size)
    return drawn_case_row("sudoku", number, pictures, task="sudoku", prompt=prompt, case=pack_case(own))
