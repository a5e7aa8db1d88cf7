"""How sure a leaderboard's order is: an interval for every rank, and groups that cannot be told apart.

Ranks follow from which differences are real. All pairs are tested at once, by the largest studentized difference among
the draws of a paired bootstrap (Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for Ranks", section 3): with 95 %
confidence all intervals hold together.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.statistics.bootstrap import reach


class RankInterval(NamedTuple):
    """The best and the worst rank that a contestant may have; 1 is the best."""

    best: int
    worst: int


def better(
    values: NDArray[np.float64], drawn: NDArray[np.float64], clusters: int, level: float = 0.95
) -> NDArray[np.bool_]:
    """Which contestants are better than which, all pairs tested together; shape (contestants, contestants).

    `values` are the contestants' statistics, `drawn` their bootstrap draws, shape (draws, contestants); more is better.
    `clusters` are those of the smallest stratum: a difference has to be larger by what `bootstrap.reach` says of so
    few. With a single cluster nobody is better. Draws in which somebody has no value (NaN) do not count. ValueError
    when none is left.
    """
    drawn = drawn[~np.isnan(drawn).any(axis=1)]
    if not len(drawn):
        raise ValueError("no draw has a value of every contestant")
    first, second = np.triu_indices(len(values), 1)
    differences = values[first] - values[second]
    spread = np.empty(len(first))
    largest = np.zeros(len(drawn))
    for pair, (one, other) in enumerate(zip(first, second, strict=True)):  # all pairs at once would take gigabytes
        moved = drawn[:, one] - drawn[:, other] - differences[pair]
        spread[pair] = moved.std()
        if spread[pair] > 0:
            np.maximum(largest, np.abs(moved) / spread[pair], out=largest)
    wider = reach(clusters, level) / reach(None, level) if clusters > 1 else np.inf
    with np.errstate(invalid="ignore"):  # no spread and a single cluster
        real = np.abs(differences) > np.nan_to_num(np.quantile(largest, level) * spread * wider, nan=np.inf)
    found = np.zeros((len(values), len(values)), np.bool_)
    found[first, second] = real & (differences > 0)
    found[second, first] = real & (differences < 0)
    return found


def rank_intervals(is_better: NDArray[np.bool_]) -> list[RankInterval]:
    """For each contestant: behind all that are better, and before all that are worse."""
    count = len(is_better)
    above, below = is_better.sum(axis=0), is_better.sum(axis=1)
    return [RankInterval(1 + int(up), count - int(down)) for up, down in zip(above, below, strict=True)]


def tie_groups(values: NDArray[np.float64], is_better: NDArray[np.bool_]) -> list[int]:
    """A number from 1 on for each contestant: those of one group cannot be told from the group's best.

    Going down the board, a new group begins with the first that the best of the group above is better than.
    """
    groups = [0] * len(values)
    group, best = 0, -1
    for contestant in np.argsort(-values, kind="stable").tolist():
        if best < 0 or is_better[best, contestant]:
            group, best = group + 1, contestant
        groups[contestant] = group
    return groups
