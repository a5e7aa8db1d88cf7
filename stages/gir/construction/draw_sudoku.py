"""Sudoku as cases of an edition: the puzzle's picture and the solution's (section 3.3)."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, partial
from itertools import cycle, islice
from typing import Literal, NamedTuple

from PIL import Image, ImageDraw, ImageFont

from stages.evaluation.construction.drawing import distinct
from stages.evaluation.construction.slots import Slots, case_row, packed
from stages.gir.construction.parameters import Params
from stages.gir.shared.putting import SUDOKU
from stages.tables.columns import Row
from stages.tables.images import as_png

Grid = tuple[int, ...]
Difficulty = Literal["easy", "medium", "hard"]
"""What the hardest step to the solution needs. `easy`: a cell with one digit left. `medium`: also a digit with one cell
left in a row, column or box. `hard`: more than that, such as trying.
"""
DIFFICULTIES: dict[int, tuple[Difficulty, ...]] = {
    4: ("easy",),
    6: ("easy", "medium", "hard"),
    9: ("easy", "medium", "hard"),
}
"""By size. Of 4,000 puzzles with 4 digits from which nothing could be taken none was more than easy."""
BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3)}
"""Rows and columns of a box, by size."""


class Sudoku(NamedTuple):
    """A puzzle with its only solution, which whoever doubts it finds by any solver."""

    size: int
    difficulty: Difficulty
    puzzle: Grid
    solution: Grid


class Shape(NamedTuple):
    """The rows, columns and boxes of a size as cells; of each cell the units it is in, and the cells that share one."""

    units: tuple[tuple[int, ...], ...]
    units_of: tuple[tuple[int, ...], ...]
    peers: tuple[tuple[int, ...], ...]
    full: int


@cache
def shape_of(size: int) -> Shape:
    """Return the shape of grids of a size; `full` has the bits of all digits."""
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
    difficulties = {size: cycle(DIFFICULTIES[size]) for size in sizes}
    kinds = [(size, next(difficulties[size])) for size in islice(cycle(sizes), count)]
    drawn = {
        kind: distinct(f"Sudoku {kind[0]} {kind[1]}", seed, many, partial(dug, *kind), lambda case: case.puzzle)
        for kind, many in Counter(kinds).items()
    }
    return (next(drawn[kind]) for kind in kinds)


def dug(size: int, difficulty: Difficulty, chance: random.Random) -> Sudoku | None:
    """None where this grid allows none. Without a further digit it would have two solutions, or be harder."""
    solution = full_grid(size, chance)
    order = chance.sample(range(size * size), size * size)
    if difficulty == "hard":  # digit by digit, which makes half again as many puzzles hard
        rank = chance.sample(range(size), size)
        order.sort(key=lambda cell: rank[solution[cell] - 1])
    half = set(order[: len(order) // 2])
    puzzle = [0 if cell in half else digit for cell, digit in enumerate(solution)]
    if difficulty_of(puzzle, size) != "easy":  # seldom: what one cell after the other could be, all at once can be
        puzzle, half = list(solution), set()
    for cell in order[len(half) :]:
        puzzle[cell] = 0
        if not follows(puzzle, cell, solution[cell], size, difficulty):
            puzzle[cell] = solution[cell]
    found = tuple(puzzle)
    return Sudoku(size, difficulty, found, solution) if difficulty_of(found, size) == difficulty else None


def follows(puzzle: Sequence[int], cell: int, digit: int, size: int, difficulty: Difficulty) -> bool:
    """Return whether an empty cell can hold this digit alone, as far as the difficulty lets one see it."""
    bit = 1 << (digit - 1)
    options = options_of(puzzle, size)
    if options[cell] == bit:
        return True
    if not settle(options, size, decided(puzzle, options), hidden=difficulty != "easy"):
        return False
    if options[cell] == bit or difficulty != "hard":
        return options[cell] == bit
    options[cell] ^= bit
    return next(solved(options, size, [cell] if options[cell].bit_count() == 1 else []), None) is None


def difficulty_of(puzzle: Sequence[int], size: int) -> Difficulty:
    options = options_of(puzzle, size)
    settle(options, size, decided(puzzle, options), hidden=False)
    if all(bits.bit_count() == 1 for bits in options):
        return "easy"
    settle(options, size, [], hidden=True)
    return "medium" if all(bits.bit_count() == 1 for bits in options) else "hard"


def solved(options: list[int], size: int, fresh: list[int]) -> Iterator[Grid]:
    """Yield every solution within the options; what follows from the cells `fresh`, of one digit, is yet to be seen."""
    if not settle(options, size, fresh, hidden=True):
        return
    open_cells = [cell for cell, bits in enumerate(options) if bits & (bits - 1)]
    if not open_cells:
        yield tuple(bits.bit_length() for bits in options)
        return
    cell = min(open_cells, key=lambda cell: options[cell].bit_count())
    for bit in (1 << digit for digit in range(size)):
        if options[cell] & bit:
            yield from solved([*options[:cell], bit, *options[cell + 1 :]], size, [cell])


def decided(puzzle: Sequence[int], options: Sequence[int]) -> list[int]:
    """Return the empty cells that can hold one digit alone."""
    return [cell for cell, bits in enumerate(options) if bits & (bits - 1) == 0 and not puzzle[cell]]


def options_of(puzzle: Sequence[int], size: int) -> list[int]:
    """Return which digits every cell may hold beside the given ones; none for a given digit against the rules."""
    units, units_of, _, full = shape_of(size)
    taken = [0] * len(units)
    twice = [0] * len(units)
    for digit, own in zip(puzzle, units_of, strict=True):
        if digit:
            bit = 1 << (digit - 1)
            for unit in own:
                twice[unit] |= taken[unit] & bit
                taken[unit] |= bit
    return [
        1 << (digit - 1) & ~(twice[row] | twice[column] | twice[box])
        if digit
        else full & ~(taken[row] | taken[column] | taken[box])
        for digit, (row, column, box) in zip(puzzle, units_of, strict=True)
    ]


def settle(options: list[int], size: int, fresh: list[int], hidden: bool) -> bool:
    """Take away what cells cannot hold, till nothing follows; False where one holds nothing. `hidden`: by units too."""
    units, _, peers, full = shape_of(size)
    if not spread(options, peers, fresh):
        return False
    moving = hidden
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
            if not spread(options, peers, fresh):
                return False
    return True


def spread(options: list[int], peers: Sequence[Sequence[int]], fresh: list[int]) -> bool:
    """Take the digits of the cells `fresh` from all that share a row, column or box with them, and so on."""
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
            if narrowed[cell] and settle(narrowed, size, [cell], hidden=True) and (found := filled(narrowed)):
                return found
        return None

    found = filled([shape_of(size).full] * (size * size))
    assert found is not None
    return tuple(bits.bit_length() for bits in found)


MARGIN = 0.04
"""White around the grid, as a share of the picture's side."""
DIGIT = 0.45
"""Size of the digits' font, as a share of a cell's side. Readers of whole pictures lose larger ones: of full grids of 6
and 512 pixels with digits of 0.6 RapidOCR reads three cells in four, with these all."""
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


def drawn(grid: Sequence[int], size: int, side: int) -> bytes:
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
    font = ImageFont.load_default(DIGIT * step)
    assert isinstance(font, ImageFont.FreeTypeFont)
    font = font.font_variant(layout_engine=ImageFont.Layout.BASIC)  # the other one is not on every machine
    for digit, (left, top, right, bottom) in zip(grid, cells_of(size), strict=True):
        if digit:
            _, above, _, below = font.getbbox(str(digit), anchor="ls")
            at = (side * (left + right) / 2, side * (top + bottom) / 2 - (above + below) / 2)
            draw.text(at, str(digit), font=font, fill=INK, anchor="ms")
    return as_png(image)


def draw_sudoku(slots: Slots[Params]) -> None:
    propose = slots.params.propose
    cases = sudokus(slots.seed(), propose.drafts.sudoku)
    rows = [row_of(number, case, propose.grid) for number, case in enumerate(cases)]
    slots.write(rows)


def row_of(number: int, case: Sudoku, side: int) -> Row:
    cells = cells_of(case.size)
    puzzle, answer = ("".join(map(str, grid)) for grid in (case.puzzle, case.solution))
    frame = [round(edge, 6) for edge in (*cells[0][:2], *cells[-1][2:])]
    own = {"puzzle": puzzle, "answer": answer, "frame": frame, "proof": f"one solution, {case.difficulty}"}
    grids = {"input_1": case.puzzle, "solution_1": case.solution}
    pictures = {name: drawn(grid, case.size, side) for name, grid in grids.items()}
    prompt = SUDOKU.format(size=case.size)
    return case_row("sudoku", number, pictures, task="sudoku", prompt=prompt, case=packed(own))
