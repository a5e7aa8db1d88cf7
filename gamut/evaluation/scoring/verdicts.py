"""Who is ahead: a verdict on two entrants a board, by what ranks there.

All boards of a benchmark are one family, tested together from the same draws of items: with 95 % confidence all their
intervals hold. So between two draws of one model every board says level in 95 of 100 cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np

from gamut.evaluation.scoring.comparison import Difference, adjust_together
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.pairwise import Comparison, difference_values

AHEAD, LEVEL_WITH, BEHIND, UNKNOWN = "ahead", "level", "behind", "unknown"


class Verdict(NamedTuple):
    """What one board says of the second entrant. `difference`: in what ranks, with the interval that holds together
    with those of the benchmark's other boards; None where nobody has a value. `why`: why nothing is known.
    """

    metric: str
    judge: str
    word: str
    difference: Difference | None
    why: str | None = None


def board_verdicts(boards: Sequence[Comparison], ranking: Mapping[str, str], seed: int) -> list[Verdict]:
    """Return a verdict a board, in their order, all of one benchmark and pair. `ranking`: by metric the value that
    ranks. A judge that failed its validation gives none.
    """
    found = [next((one for one in board.differences if one.name == ranking[board.metric]), None) for board in boards]
    telling = [n for n, one in enumerate(found) if one is not None and boards[n].trusted]
    places = {item: n for n, item in enumerate(dict.fromkeys(item for n in telling for item in boards[n].items))}
    family = []
    for board, one in ((boards[n], found[n]) for n in telling):
        assert one is not None
        moved = np.zeros(len(places))
        moved[[places[item] for item in board.items]] = one.moved
        family.append(replace(one, moved=moved))
    together = dict(zip(telling, adjust_together(family, seed), strict=True))
    return [verdict_of(board, together.get(n), found[n]) for n, board in enumerate(boards)]


def verdict_of(board: Comparison, adjusted: Difference | None, alone: Difference | None) -> Verdict:
    place = board.metric, board.judge
    if alone is None:
        return Verdict(*place, UNKNOWN, None, "no value of what ranks")
    if adjusted is None:
        without = replace(alone, low=None, high=None)
        return Verdict(*place, UNKNOWN, without, f"{board.judge} failed its validation as a judge")
    if adjusted.low is None or adjusted.high is None:
        return Verdict(*place, UNKNOWN, adjusted, "too few items for an interval")
    word = AHEAD if round_value(adjusted.low) > 0 else BEHIND if round_value(adjusted.high) < 0 else LEVEL_WITH
    return Verdict(*place, word, adjusted)


def verdict_values(one: Verdict) -> dict[str, Any]:
    difference = {} if one.difference is None else difference_values(one.difference)
    ends = {name: difference.get(name) for name in ("name", "difference", "low", "high", "n")}
    return {"metric": one.metric, "judge": one.judge, "verdict": one.word, **ends, "why": one.why}
