"""Sudoku as cases of an edition: the puzzle's picture and the solution's (section 3.3)."""

import sys

from stages.gir.construction.sudoku import Sudoku, sudokus
from stages.gir.construction.sudoku_picture import cells_of, drawn
from stages.gir.construction.tables import drawn_row, seed_for, slots_of
from stages.gir.instructions import SUDOKU
from stages.gir.shared.parameters import Params
from stages.project.stage import main
from stages.tables.columns import Row


def draw_sudoku(params: Params, edition: str) -> None:
    """Draw the cases of an edition."""
    propose = params.gir.propose
    cases = sudokus(seed_for(params, edition), propose.drafts.sudoku)
    rows = [row_of(number, case, propose.grid) for number, case in enumerate(cases)]
    slots_of(params, edition).write("draw_sudoku", rows)


def row_of(number: int, case: Sudoku, side: int) -> Row:
    """Return a case as a row, its pictures square with this side."""
    cells = cells_of(case.size)
    puzzle, answer = ("".join(map(str, grid)) for grid in (case.puzzle, case.solution))
    frame = [round(edge, 6) for edge in (*cells[0][:2], *cells[-1][2:])]
    own = {"puzzle": puzzle, "answer": answer, "frame": frame, "proof": f"one solution, {case.difficulty}"}
    grids = {"input_1": case.puzzle, "solution_1": case.solution}
    pictures = {name: drawn(grid, case.size, side) for name, grid in grids.items()}
    return drawn_row("sudoku", number, SUDOKU.format(size=case.size), own, pictures)


if __name__ == "__main__":
    main("gir.draw_sudoku", draw_sudoku, Params, *sys.argv[1:])
