"""Items that move what ranks most between two entrants, with the scores that do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import View
from stages.evaluation.scoring.entrants import Laid
from stages.evaluation.scoring.pairwise import Comparison, rows_of

SAME = 9
"""Decimals by which numbers tie: what differs behind them is in what order something was summed."""


class Moved(NamedTuple):
    """An item in which two differ. `side`: the first on which it counts; `added`: what it makes of the difference, with
    its sign; `scores`: of what counts of it the name and the scores of both, what has none as the lowest.
    """

    item: str
    side: str
    added: float
    scores: Sequence[tuple[str, float, float]]


def added_by(one: Comparison) -> NDArray[np.float64]:
    """Return what each item makes of the first difference, shape (items,)."""
    return one.differences[0].added.round(SAME)


def moved_most(view: View, one: Comparison, first: Laid, second: Laid, most: int) -> Iterator[Moved]:
    """Yield at most so many items that make most of the first difference, whichever way; none that makes nothing."""
    added = added_by(one)
    by_size = [int(number) for number in np.argsort(-np.abs(added), kind="stable")[:most] if added[number]]
    items = [one.items[number] for number in by_size]
    several = len(view.sides) > 1
    names = [f"{column.side} {column.measure}" if several else column.measure for column in view.columns]
    ours, theirs = (rows_of(laid, items).low for laid in (first, second))
    there = ~np.isnan(ours) & ~np.isnan(theirs)
    for row, (number, item) in enumerate(zip(by_size, items, strict=True)):
        counting = {names[column]: column for column in np.flatnonzero(there[row])}  # once, in however many groups
        scores = [(name, float(ours[row, column]), float(theirs[row, column])) for name, column in counting.items()]
        yield Moved(item, view.columns[next(iter(counting.values()))].side, float(added[number]), scores)


def in_words(one: Moved) -> str:
    """Return the scores of an item, `alignment 6 → 4, aesthetic 7 → 7`."""
    return ", ".join(f"{name} {ours:.4g} → {theirs:.4g}" for name, ours, theirs in one.scores)
