"""A value whose posterior is known by draws: its middle and interval, how sure its sign is, and its draws as deviates.

What is no mean of items, such as what a model of them fits, has a distribution of its own: it is drawn from, and asked
what a standard error would be asked.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Scale


@dataclass(frozen=True)
class Posterior:
    """A value, or a difference of two: the median of its draws, shape (draws,); `ends`: the least and the most that it
    can be, if any.
    """

    value: float
    draws: NDArray[np.float64] = field(repr=False, compare=False)
    ends: Scale | None = None


def of_draws(draws: NDArray[np.float64], ends: Scale | None) -> Posterior | None:
    """Return the posterior of these draws; None where one is undefined, for then nobody knows what it would be."""
    return Posterior(float(np.median(draws)), draws, ends) if len(draws) and np.isfinite(draws).all() else None


def quantiles(one: Posterior, level: float) -> tuple[float, float]:
    """Return between what the share `level` of the draws lies, as much outside on either side."""
    low, high = np.quantile(one.draws, [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def p_of_sign(one: Posterior) -> float:
    """Return twice the share of draws that do not have the sign that most of them have, at most 1: as two-sided as a
    p-value. No finite number of draws makes it 0: it is as if one more had been on the other side.
    """
    least = min((one.draws <= 0).sum(), (one.draws >= 0).sum())
    return min(1.0, 2 * float(1 + least) / (1 + len(one.draws)))


def least_found(one: Posterior, level: float, power: float) -> float | None:
    """Return the smallest true difference that would be found at a level with a probability of `power`, as if draws
    were normal; None where they do not vary, or where no difference that can be is as large.
    """
    from scipy.special import ndtri  # scipy takes longer to import than a stage to start

    found = float(one.draws.std()) * float(ndtri((1 + level) / 2) + ndtri(power))
    return found if found and (one.ends is None or found <= one.ends.highest) else None


def deviates(one: Posterior) -> NDArray[np.float32]:
    """Return how draws lie around their median, as the normal deviates that are as rare, shape (draws,): 0 where all
    are equal. So skewed draws have intervals and p-values that agree with those of all others of a table.
    """
    from scipy.special import ndtri

    _, places, counts = np.unique(one.draws, return_inverse=True, return_counts=True)
    ranks = counts.cumsum() - counts / 2  # of equal ones the mean
    found: NDArray[np.float32] = ndtri(ranks / len(one.draws))[places].astype(np.float32)
    return found
