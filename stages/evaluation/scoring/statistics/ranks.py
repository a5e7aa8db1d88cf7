"""How sure a leaderboard's order is: an interval for every rank, and groups that cannot be told apart.

Ranks follow from which differences are real. All pairs are tested at once, step by step (Mogstad, Romano, Shaikh and
Wilhelm 2024, "Inference for Ranks", section 3): with 95 % confidence all intervals hold together.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.scoring.statistics.inference import LEVEL, Known, p_value
from stages.evaluation.scoring.statistics.stepdown import Studentized, adjusted


class RankInterval(NamedTuple):
    """The best and the worst rank that a contestant may have; 1 is the best."""

    best: int
    worst: int


def better(contestants: int, gaps: Sequence[Known | None], moves: Studentized) -> NDArray[np.bool_]:
    """Return which contestants are better than which, all pairs tested together; shape (contestants, contestants).

    `gaps`: one less the other of all pairs, in the order of `combinations(range(contestants), 2)`; None where too few
    items have scores of both: neither is better. `moves`: how the gaps move in the same draws, shape (pairs, draws).
    """
    found = np.zeros((contestants, contestants), np.bool_)
    p_values = adjusted([1.0 if gap is None else p_value(gap) for gap in gaps], moves)
    for (first, second), gap, p in zip(combinations(range(contestants), 2), gaps, p_values, strict=True):
        if gap is not None and p <= 1 - LEVEL:
            found[first, second], found[second, first] = gap.value > 0, gap.value < 0
    return found


def rank_intervals(is_better: NDArray[np.bool_]) -> list[RankInterval]:
    """For each contestant: behind all that are better, and before all that are worse."""
    count = len(is_better)
    above, below = is_better.sum(axis=0), is_better.sum(axis=1)
    return [RankInterval(1 + int(up), count - int(down)) for up, down in zip(above, below, strict=True)]


def tie_groups(values: NDArray[np.float64], is_better: NDArray[np.bool_]) -> list[int]:
    """Return a number from 1 on for each contestant: those of one group cannot be told from the group's best.

    Going down from the highest value, but to nobody before those who are better, a new group begins with the first
    that can be told from the best of the group above.
    """
    groups = [0] * len(values)
    left = np.argsort(-values, kind="stable").tolist()
    group, best = 0, -1
    while left:
        # of unlike items a lower value may be the better one, and three may even beat each other in a ring
        one = next((one for one in left if not is_better[left, one].any()), left[0])
        left.remove(one)
        if best < 0 or is_better[best, one] or is_better[one, best]:
            group, best = group + 1, one
        groups[one] = group
    return groups
