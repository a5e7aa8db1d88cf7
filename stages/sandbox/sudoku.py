"""Solves grids of Sudoku: digits row by row, 0 for an empty cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3)}
"""Rows and columns of a box, by size."""
Place = tuple[int, int]
"""A cell and the digit in it."""


def solution(grid: Sequence[int]) -> tuple[int, ...] | None:
    """Return a grid filled in by the rules, None where that cannot be. Its size is one of BOXES."""
    size = math.isqrt(len(grid))
    wants = {place: wanted(*place, size) for place in ((c, d) for c in range(size * size) for d in range(1, size + 1))}
    open_wants: dict[object, set[Place]] = {}
    for place, own in wants.items():
        for want in own:
            open_wants.setdefault(want, set()).add(place)
    for cell, digit in enumerate(grid):
        if digit:
            if any((cell, digit) not in open_wants.get(want, ()) for want in wants[cell, digit]):
                return None
            taken(open_wants, wants, (cell, digit))
    places = next(covers(open_wants, wants), None)
    if places is None:
        return None
    filled = dict(places)
    return tuple(digit or filled[cell] for cell, digit in enumerate(grid))


def wanted(cell: int, digit: int, size: int) -> tuple[object, ...]:
    """Return what a digit in a cell fulfils: the cell, and the digit in its row, its column and its box."""
    row, column = divmod(cell, size)
    high, wide = BOXES[size]
    return cell, ("row", row, digit), ("column", column, digit), ("box", row // high, column // wide, digit)


def covers(open_wants: dict[object, set[Place]], wants: dict[Place, tuple[object, ...]]) -> Iterator[list[Place]]:
    """Yield places that fulfil each open want once (Knuth's Algorithm X): first what fewest places can fulfil."""
    if not open_wants:
        yield []
        return
    fewest: set[Place] = min(open_wants.values(), key=len)
    for place in sorted(fewest):
        removed = taken(open_wants, wants, place)
        for rest in covers(open_wants, wants):
            yield [place, *rest]
        put_back(open_wants, wants, place, removed)


def taken(
    open_wants: dict[object, set[Place]], wants: dict[Place, tuple[object, ...]], place: Place
) -> list[set[Place]]:
    """Close the wants that a place fulfils, and every place that would fulfil one of them again; return what
    `put_back` needs.
    """
    removed = []
    for want in wants[place]:
        for other in open_wants[want]:
            for also in wants[other]:
                if also != want and also in open_wants:
                    open_wants[also].discard(other)
        removed.append(open_wants.pop(want))
    return removed


def put_back(
    open_wants: dict[object, set[Place]],
    wants: dict[Place, tuple[object, ...]],
    place: Place,
    removed: list[set[Place]],
) -> None:
    """Undo `taken`, last things first."""
    for want in reversed(wants[place]):
        open_wants[want] = removed.pop()
        for other in open_wants[want]:
            for also in wants[other]:
                if also != want and also in open_wants:
                    open_wants[also].add(other)
