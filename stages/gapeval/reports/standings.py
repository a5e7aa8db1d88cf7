"""What GapEval's board says of contestants, taken out of its flat keys: each value with its interval."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

import numpy as np

from stages.evaluation.defining.parameters import TRIAL, Contestant
from stages.evaluation.scoring.estimates import Estimate
from stages.gapeval.shared.fitting.bootstrap import Floats, joint_shares
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.putting import SIDES
from stages.gapeval.shared.views import BOTH_SIDES
from stages.project.roles import Task

ON: Mapping[str, Collection[Task]] = {"und": {"understanding"}, "gen": {"generation", "editing"}}
"""The tasks that a side's items ask for."""
SUCC, UND, GEN, FAIL, GAP, DELTA = SCORES = ("succ", "und", "gen", "fail", "gap", "delta_theta")
"""Right on both sides, in words, as a picture, on neither, and the gap, in percent; Δθ in logits."""
OVERALL = "overall"
PLACES = (*CATEGORIES, OVERALL)
"""What a score is of: one category, or all of them together."""
Board = Mapping[str, float]
Values = Mapping[tuple[str, str], Estimate]
"""What the board has of one contestant, by place and score."""


def sides_of(name: str, contestants: Mapping[str, Contestant], benchmark: str) -> tuple[str, ...]:
    """Return the sides on which a contestant is put to the test and can answer."""
    one = contestants[name]
    measured = one.sides(benchmark, SIDES)
    return tuple(side for side in SIDES if side in measured and one.does & {*ON[side]})


def values_of(board: Board, judge: str, name: str, sides: Iterable[str]) -> Values:
    """Return what the board says of a contestant by a judge: of one with both sides what the view across both has, of
    one with a side alone that side's scores. What is not there has no entry.
    """
    sides = tuple(sides)
    found: dict[tuple[str, str], Estimate | None] = {}
    for place in PLACES:
        if sides == SIDES:
            found |= across_at(board, f"{BOTH_SIDES}.{judge}.{name}.", place)
        else:
            found |= {(place, side): estimate(board, f"{side}.{judge}.{name}.{place}") for side in sides}
    return {key: one for key, one in found.items() if one is not None}


def across_at(board: Board, start: str, place: str) -> dict[tuple[str, str], Estimate | None]:
    """Return the scores of the view across both sides in a place, from keys that begin so."""
    start = start if place == OVERALL else f"{start}{place}."
    return {(place, score): estimate(board, start + score) for score in SCORES}


def cells_of(values: Values, category: str) -> Floats | None:
    """Return the joint shares p11, p10, p01, p00 of a category, shape (4,); None where it has none."""
    right = [values.get((category, score)) for score in (SUCC, UND, GEN)]
    shares = [np.array(one.value / 100) for one in right if one is not None]
    return joint_shares(*shares) if len(shares) == len(right) else None


def estimate(board: Board, key: str) -> Estimate | None:
    """Return a value of a board with its interval, as it stands there."""
    if key not in board:
        return None
    return Estimate(board[key], board.get(f"{key}_lo"), board.get(f"{key}_hi"), int(board.get(f"{key}_n", 0)))


def failed(board: Board, judge: str) -> bool:
    """Return whether a judge failed its trial: its gaps are shown, and rank nobody."""
    return board.get(f"{BOTH_SIDES}.{judge}.{TRIAL}.passed") == 0


def gaps(board: Board, judge: str, contestants: Mapping[str, Contestant]) -> dict[str, float]:
    """Return the overall gaps by a judge of those who count where contestants are the units: no variants, as two points
    for one model would feign certainty, and nobody without an interval, of whom too little was judged.
    """
    found = {name: estimate(board, f"{BOTH_SIDES}.{judge}.{name}.{GAP}") for name in contestants}
    return {
        name: one.value
        for name, one in found.items()
        if one is not None and one.low is not None and contestants[name].variant_of is None
    }
