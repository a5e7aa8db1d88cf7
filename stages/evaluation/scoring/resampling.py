"""Reported values that are resampled: their draws by the Bayesian bootstrap. Items weigh the same in every contestant,
so that those who answered the same items move together.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Resampled
from stages.evaluation.scoring.statistics.inference import LEVEL
from stages.evaluation.scoring.statistics.resampled import Draws, difference_of, in_interval
from stages.evaluation.scoring.statistics.stepdown import DRAWS
from stages.evaluation.scoring.values import Scores

FIRST, SECOND = 2, 3
"""What is drawn beside the weights of items has a stream for each of two: equal scores do not make them one."""


class Both(NamedTuple):
    """A value of two contestants, and the second's less the first's, over the `n` items that both were asked."""

    first: Draws
    second: Draws
    difference: Draws
    n: int


@lru_cache(maxsize=1)  # boards of several views and judges are of the same items
def weights(items: int, seed: int) -> NDArray[np.float64]:
    """Return the weight of every item in every draw, shape (items, DRAWS), exponential."""
    drawn = np.random.default_rng([seed, 1]).standard_exponential((items, DRAWS))
    drawn.setflags(write=False)
    return drawn


def resampled(scores: Scores, one: Resampled, seed: int, stream: int = FIRST) -> Draws | None:
    """Return a value of scores at their lowest with its draws, no further off than its interval reaches; None where it
    is undefined.
    """
    own = scores[:, one.counted]
    value = np.nan if np.isnan(own).all() else float(one.value(own))
    if np.isnan(value):
        return None
    low, high = one.draws(own, weights(len(own), seed), np.random.default_rng([seed, stream]))
    return in_interval(Draws(value, low, high, one.ends), LEVEL)


def resampled_pair(first: Scores, second: Scores, one: Resampled, seed: int) -> Both | None:
    """Return a value of two over the scores that both have; None where either is undefined."""
    missing = np.isnan(first) | np.isnan(second)
    ours, theirs = (np.where(missing, np.nan, scores) for scores in (first, second))
    own, other = resampled(ours, one, seed), resampled(theirs, one, seed, SECOND)
    if own is None or other is None:
        return None
    return Both(own, other, difference_of(own, other), items_counted(ours, one))


def items_counted(scores: Scores, one: Resampled) -> int:
    return int((~np.isnan(scores[:, one.counted])).any(axis=1).sum())
