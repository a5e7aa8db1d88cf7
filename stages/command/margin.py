"""The gate of `gamut compare --margin`: whether the second is no worse than the first by a margin or more.

Non-inferiority: a quantised or faster model need not be better, only be known not to be worse by as much as matters.
On every board the worst end of the paired 95 % interval of what ranks, which is that of variants on boards, has to lie
within the margin: what is better on one board makes good nothing on another. That several boards are looked at makes no
interval wider, since all of them have to hold. What a judge left unjudged counts in favour of the first.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple

from stages.evaluation.defining.measures import View
from stages.evaluation.scoring.comparison import Difference, at_level
from stages.evaluation.scoring.entrants import Scored
from stages.evaluation.scoring.estimates import rounded
from stages.evaluation.scoring.pairwise import Comparison, plain_difference
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.inference import LEVEL


class Ruling(NamedTuple):
    """What one board says. `difference`: in what ranks, alone; None where it has none. `worst`: its worst end in points
    of the board's scale, below 0 where the second is worse; None where it is not known how far it varies.
    """

    board: Comparison
    difference: Difference | None
    worst: float | None
    passed: bool


def at_most(first: Scored) -> Scored:
    """Return the first's scores with what is unjudged as the highest (the lowest on boards), lest the second gain."""
    laid = {place: one._replace(bounds=Bounds(one.bounds.high, one.bounds.low)) for place, one in first.laid.items()}
    return replace(first, laid=laid)


def ruling(view: View, one: Comparison, margin: float) -> Ruling:
    """Return whether the second is known to be worse by less than a margin; not by a judge that failed its trial."""
    found = next((each for each in one.differences if each.name == view.shown[0]), None)
    alone = None if found is None else at_level(found, LEVEL)
    if alone is None or alone.low is None or alone.high is None:
        return Ruling(one, alone, None, False)
    worst = rounded(alone.low)
    return Ruling(one, alone, worst, one.trusted and worst > -margin)


def order(one: Ruling) -> tuple[bool, float]:
    """Return what puts boards in order, first that which decides: what did not pass, then the worse."""
    return one.passed, float("-inf") if one.worst is None else one.worst


def verdict(rulings: Sequence[Ruling], not_compared: int) -> bool:
    """Return whether all boards passed, and nothing was left uncompared: who answers less does not pass by it."""
    return all(one.passed for one in rulings) and not not_compared


def plain_ruling(one: Ruling) -> dict[str, Any]:
    place = {name: getattr(one.board, name) for name in ("benchmark", "first", "second", "view", "judge")}
    told = {} if one.difference is None else plain_difference(one.difference)
    ends = {name: told.get(name) for name in ("name", "difference", "low", "high", "n")}
    return place | ends | {"trusted": one.board.trusted, "worst": one.worst, "passed": one.passed}
