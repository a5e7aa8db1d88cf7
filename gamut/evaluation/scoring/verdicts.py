"""Which of two entrants is ahead in a benchmark, by the ranking values of its boards.

All boards of a benchmark are one family, tested together from the same draws of items: all their intervals hold
together with 95 % confidence. So for two samples of one model all boards say level in 95 of 100 cases.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np

from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.scoring.comparison import Difference, adjust_together
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.pairwise import Comparison, difference_values

AHEAD, LEVEL, BEHIND, UNKNOWN = "ahead", "level", "behind", "unknown"


class Verdict(NamedTuple):
    """The result of one board for the second entrant. `difference`: of the ranking value; its interval holds together
    with those of the benchmark's other boards. `why`: why nothing is known.
    """

    metric: str
    judge: str
    word: str = UNKNOWN
    difference: Difference | None = None
    why: str = ""

    def values(self) -> dict[str, Any]:
        place = {"metric": self.metric, "judge": self.judge, "verdict": self.word}
        return place | ranking_values(self.difference) | {"why": self.why or None}


def ranking_values(difference: Difference | None) -> dict[str, Any]:
    """Return the values that verdicts and gates use from a difference of the ranking value; all None without one."""
    found = {} if difference is None else difference_values(difference)
    return {name: found.get(name) for name in ("name", "difference", "low", "high", "n")}


def ranking_difference(board: Comparison, metric: Metric) -> Difference | None:
    return next((one for one in board.differences if one.name == metric.shown[0]), None)


def board_verdicts(boards: Sequence[Comparison], metrics: Mapping[str, Metric], seed: int) -> list[Verdict]:
    """Return one verdict for each board of one benchmark and pair, in their order."""
    items = dict.fromkeys(chain.from_iterable(board.items for board in boards))
    places = {item: number for number, item in enumerate(items)}
    family: dict[int, Difference] = {}
    for number, board in enumerate(boards):
        found = ranking_difference(board, metrics[board.metric])
        if found is not None and board.trusted:
            moved = np.zeros(len(items))
            moved[[places[item] for item in board.items]] = found.moved
            family[number] = replace(found, moved=moved)
    together = dict(zip(family, adjust_together([*family.values()], seed), strict=True))
    return [verdict(board, together.get(number)) for number, board in enumerate(boards)]


def verdict(board: Comparison, found: Difference | None) -> Verdict:
    place = board.metric, board.judge
    if found is None:
        failed = f"{board.judge} failed its validation as a judge"
        return Verdict(*place, why="the value that ranks is missing" if board.trusted else failed)
    if found.low is None or found.high is None:
        return Verdict(*place, difference=found, why="too few items for an interval")
    word = AHEAD if round_value(found.low) > 0 else BEHIND if round_value(found.high) < 0 else LEVEL
    return Verdict(*place, word, found)
