"""How certain a leaderboard's order is: an interval for every rank, and groups that cannot be told apart.

Ranks follow from significant differences. All pairs are tested together, step by step (Mogstad, Romano, Shaikh and
Wilhelm 2024, "Inference for Ranks", section 3): all intervals hold together with 95 % confidence.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.scoring.statistics.inference import LEVEL, Inference, p_value

DRAWS = 10_000
MANY = 1_000
"""Degrees of freedom of a known standard error."""
Studentized = NDArray[np.float32]
"""How many standard errors statistics move by chance, shape (statistics, draws)."""


@lru_cache(maxsize=1)  # boards of several metrics and judges are of the same items
def multipliers(items: int, seed: int) -> NDArray[np.float64]:
    """Return the factor of every item in every draw, shape (items, DRAWS), standard normal. Doubles, since with singles
    the order of additions changes the third decimal of an interval.
    """
    drawn = np.random.default_rng(seed).standard_normal((items, DRAWS), np.float32).astype(np.float64)
    drawn.setflags(write=False)
    return drawn


def studentize(
    moved: NDArray[np.float64], drawn: NDArray[np.float64], degrees: NDArray[np.float64], seed: int
) -> Studentized:
    """Return how statistics move in every draw, in standard errors that are drawn too, as equally rare normal deviates
    (Wallace 1959). `moved`, shape (statistics, items): around the means of strata. `degrees`: shape (statistics,).
    """
    lengths = np.sqrt((moved**2).sum(axis=1, keepdims=True))
    moves = np.divide(moved, lengths, where=lengths > 0, out=np.zeros_like(moved)) @ drawn
    moves = moves.astype(np.float32)
    chance = np.random.default_rng([seed, 1])
    for row, of_row in zip(moves, degrees, strict=True):
        if row.any() and of_row < MANY:
            squared = row**2 / (chance.chisquare(of_row, len(row)) / of_row)
            row[:] = np.copysign(
                (8 * of_row + 1) / (8 * of_row + 3) * np.sqrt(of_row * np.log1p(squared / of_row)), row
            )
    return moves


def adjust_p_values(p_values: Sequence[float], moves: Studentized) -> NDArray[np.float64]:
    """Return p-values for all tests together: with rejection at alpha or below, the chance of any false rejection is at
    most alpha.
    """
    from scipy.special import ndtri

    own = np.asarray(p_values, np.float64)
    if not len(own):
        return own
    order = np.argsort(own, kind="stable")
    furthest = np.maximum.accumulate(np.abs(moves[order[::-1]]), axis=0)[::-1]  # of each and all less certain ones
    beyond = (furthest >= -ndtri(own[order] / 2)[:, None]).sum(axis=1)
    shares = (1 + beyond) / (1 + moves.shape[1])
    shares[-1] = own[order[-1]]  # the last one is alone: no draws are needed
    found = np.empty_like(own)
    found[order] = np.minimum(np.maximum.accumulate(np.maximum(shares, own[order])), 1)
    return found


def joint_level(moves: Studentized) -> float:
    from scipy.special import ndtr

    moving = np.abs(moves[np.abs(moves).any(axis=1)])
    if len(moving) < 2:
        return LEVEL
    return max(LEVEL, 1 - 2 * float(ndtr(-np.quantile(moving.max(axis=0), LEVEL))))


class RankInterval(NamedTuple):
    """The best and the worst rank that a contestant may have. 1 is the best."""

    best: int
    worst: int


def better_pairs(contestants: int, gaps: Sequence[Inference | None], moves: Studentized) -> NDArray[np.bool_]:
    """Return which contestants are better than which, all pairs tested together, shape (contestants, contestants).
    `gaps`: in the order of `combinations`, None with too few items. `moves`: shape (pairs, draws).
    """
    found = np.zeros((contestants, contestants), np.bool_)
    p_values = adjust_p_values([1.0 if gap is None else p_value(gap) for gap in gaps], moves)
    for (first, second), gap, p in zip(combinations(range(contestants), 2), gaps, p_values, strict=True):
        if gap is not None and p <= 1 - LEVEL:
            found[first, second], found[second, first] = gap.value > 0, gap.value < 0
    return found


def rank_intervals(is_better: NDArray[np.bool_]) -> list[RankInterval]:
    """Return rank intervals: each contestant is below all better ones, and above all worse ones."""
    count = len(is_better)
    above, below = is_better.sum(axis=0), is_better.sum(axis=1)
    return [RankInterval(1 + int(up), count - int(down)) for up, down in zip(above, below, strict=True)]


def tie_groups(values: NDArray[np.float64], is_better: NDArray[np.bool_]) -> list[int]:
    """Return a group number, from 1, for each contestant. Going down, a new group begins with the first contestant that
    differs from the best of the group above.
    """
    groups = [0] * len(values)
    left = np.argsort(-values, kind="stable").tolist()
    group, best = 0, -1
    while left:
        # with different items a lower value may be better, and three may even beat each other in a circle
        one = next((one for one in left if not is_better[left, one].any()), left[0])
        left.remove(one)
        if best < 0 or is_better[best, one] or is_better[one, best]:
            group, best = group + 1, one
        groups[one] = group
    return groups
