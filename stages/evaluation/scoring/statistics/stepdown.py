"""Several tests at once, such as every pair on a board: what chance gives the furthest of all of them.

Studentized statistics of the same items move together. How far the furthest of them goes by chance is drawn, all from
the same draws; what has been found is then left out of the question, step by step (Romano and Wolf 2005, "Stepwise
multiple testing as formalized data snooping"; on boards: Mogstad, Romano, Shaikh and Wilhelm 2024, "Inference for
ranks"). Draws give each item a normal multiplier (Chernozhukov, Chetverikov and Kato 2013, "Gaussian approximations and
multiplier bootstrap for maxima of sums"), and each statistic a standard error as unsure as its degrees of freedom have
it: few items make statistics less alike than they are themselves. A single test has its own p, whatever is drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.scoring.statistics.inference import LEVEL

DRAWS = 10_000
MANY = 1_000
"""Degrees of freedom with which a standard error is known."""
Studentized = NDArray[np.float32]
"""How many standard errors statistics move by chance, shape (statistics, draws)."""


@lru_cache(maxsize=1)  # boards of several views and judges are of the same items
def multipliers(items: int, seed: int) -> NDArray[np.float64]:
    """Return what multiplies every item in every draw, shape (items, DRAWS): standard normal, the same for all that is
    compared. Doubles: in what order cores add singles is to be seen in the third decimal of an interval.
    """
    drawn = np.random.default_rng(seed).standard_normal((items, DRAWS), np.float32).astype(np.float64)
    drawn.setflags(write=False)
    return drawn


def studentized(
    moved: NDArray[np.float64], drawn: NDArray[np.float64], degrees: NDArray[np.float64], seed: int
) -> Studentized:
    """Return how statistics move in every draw, in standard errors that are drawn too, as the normal deviates that are
    as rare (Wallace 1959, "Bounds on normal approximations to Student's and the chi-square distributions").

    `moved`, shape (statistics, items): how far items move each, around the means of their strata; one that no item
    moves stands still. `degrees`, shape (statistics,): of freedom, of each one's standard error.
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


def adjusted(p_values: Sequence[float], moves: Studentized) -> NDArray[np.float64]:
    """Return p-values for all tests together, in their order: reject those at most alpha, and the chance of any false
    rejection is alpha.
    """
    from scipy.special import ndtri

    own = np.asarray(p_values, np.float64)
    if not len(own):
        return own
    order = np.argsort(own, kind="stable")
    furthest = np.maximum.accumulate(np.abs(moves[order[::-1]]), axis=0)[::-1]  # of each and all that are less sure
    beyond = (furthest >= -ndtri(own[order] / 2)[:, None]).sum(axis=1)
    shares = (1 + beyond) / (1 + moves.shape[1])
    shares[-1] = own[order[-1]]  # alone: nothing is to be drawn
    found = np.empty_like(own)
    found[order] = np.minimum(np.maximum.accumulate(np.maximum(shares, own[order])), 1)
    return found


def joint_level(moves: Studentized, level: float = LEVEL) -> float:
    """Return the level that each interval has to have so that all hold together at `level`."""
    from scipy.special import ndtr

    moving = np.abs(moves[np.abs(moves).any(axis=1)])
    if len(moving) < 2:
        return level
    return max(level, 1 - 2 * float(ndtr(-np.quantile(moving.max(axis=0), level))))
