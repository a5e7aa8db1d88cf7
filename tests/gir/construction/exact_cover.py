"""A second solver of Sudoku, of another kind: exact cover by Knuth's Algorithm X over plain sets.

Every cell is covered once, and every digit in every row, column and box; a choice is a digit in a cell.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

Constraint = tuple[str, int, int]
Choice = tuple[int, int]


def covered_by(cell: int, digit: int, size: int, high: int, wide: int) -> list[Constraint]:
    row, column = divmod(cell, size)
    box = row // high * (size // wide) + column // wide
    return [("cell", cell, 0), ("row", row, digit), ("column", column, digit), ("box", box, digit)]


def covers(grid: Sequence[int], size: int, high: int, wide: int) -> Iterator[tuple[int, ...]]:
    choices = {
        (cell, digit): covered_by(cell, digit, size, high, wide)
        for cell, given in enumerate(grid)
        for digit in ([given] if given else range(1, size + 1))
    }
    columns: dict[Constraint, set[Choice]] = {}
    for cell in range(size * size):
        for digit in range(1, size + 1):
            for constraint in covered_by(cell, digit, size, high, wide):
                columns.setdefault(constraint, set())
    for choice, constraints in choices.items():
        for constraint in constraints:
            columns[constraint].add(choice)
    return search(columns, choices, [])


def search(
    columns: dict[Constraint, set[Choice]], choices: dict[Choice, list[Constraint]], chosen: list[Choice]
) -> Iterator[tuple[int, ...]]:
    if not columns:
        yield tuple(digit for _, digit in sorted(chosen))
        return
    rarest = min(columns, key=lambda constraint: len(columns[constraint]))
    for choice in sorted(columns[rarest]):
        removed = cover(columns, choices, choice)
        yield from search(columns, choices, [*chosen, choice])
        uncover(columns, choices, choice, removed)


def cover(
    columns: dict[Constraint, set[Choice]], choices: dict[Choice, list[Constraint]], choice: Choice
) -> list[set[Choice]]:
    removed = []
    for constraint in choices[choice]:
        for rival in columns[constraint]:
            for other in choices[rival]:
                if other != constraint:
                    columns[other].discard(rival)
        removed.append(columns.pop(constraint))
    return removed


def uncover(
    columns: dict[Constraint, set[Choice]],
    choices: dict[Choice, list[Constraint]],
    choice: Choice,
    removed: list[set[Choice]],
) -> None:
    for constraint in reversed(choices[choice]):
        columns[constraint] = removed.pop()
        for rival in columns[constraint]:
            for other in choices[rival]:
                if other != constraint:
                    columns[other].add(rival)
