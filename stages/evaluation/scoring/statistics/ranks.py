"""How sure a leaderboard's order is: an interval for every rank, and groups that cannot be told apart.

Ranks follow from which differences are real. All pairs are tested at once, by the largest studentized difference among
the draws of a paired bootstrap (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for Ranks", section 3): with 95 %
confidence all intervals hold together.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.scoring.statistics.bootstrap import LEVEL, Freedom, reach


class RankInterval(NamedTuple):
    """The best and the worst rank that a contestant may have; 1 is the best."""

    best: int
    worst: int


class Gap(NamedTuple):
    """One contestant less another: the difference, and how far it moves in every bootstrap draw, shape (draws,)."""

    difference: float
    moved: NDArray[np.floating[Any]]
    freedom: Freedom


def better(contestants: int, gaps: Iterable[Gap | None], level: float = LEVEL) -> NDArray[np.bool_]:
    """Return which contestants are better than which, all pairs tested together; shape (contestants, contestants).

    `gaps` of all pairs, in the order of `combinations(range(contestants), 2)`, from the same draws; None where too few
    items have scores of both: neither is better. Draws tell how many standard deviations the furthest of all pairs
    lies off; each pair has to be further apart than Student's t of its freedom lies with the same probability.
    """
    from scipy.special import ndtr

    pairs = list(combinations(range(contestants), 2))
    found = np.zeros((contestants, contestants), np.bool_)
    tested: list[tuple[tuple[int, int], float, float, Freedom]] = []
    largest = np.zeros(1)
    for pair, gap in zip(pairs, gaps, strict=True):  # the draws of all pairs at once would take gigabytes
        if gap is not None:
            spread = float(gap.moved.std())
            if spread > 0:
                largest = np.maximum(largest, np.abs(gap.moved) / spread)
            tested.append((pair, gap.difference, spread, gap.freedom))
    beyond = float(ndtr(-np.quantile(largest, level)))
    for (first, second), difference, spread, freedom in tested:
        if abs(difference) > spread * reach(freedom, beyond):
            found[first, second], found[second, first] = difference > 0, difference < 0
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
