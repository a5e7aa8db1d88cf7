"""A value known by its draws: interval, how sure its sign is, and its draws as deviates.

What is no mean of items, such as a gap between two abilities, has a distribution of its own: its draws are asked what a
standard error would be asked. Each draw has a least and a most; a value has one of both but where it may as well be 0
(`measures.Resampled`).
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Scale


@dataclass(frozen=True)
class Draws:
    """A value, or a difference of two, with the least and the most that it is in each draw, shape (draws,) each;
    `ends`: the least and the most that it can be, if any.
    """

    value: float
    low: NDArray[np.float64] = field(repr=False, compare=False)
    high: NDArray[np.float64] = field(repr=False, compare=False)
    ends: Scale | None = None


def difference_of(first: Draws, second: Draws) -> Draws:
    width = None if first.ends is None else first.ends.highest - first.ends.lowest
    ends = None if width is None else Scale(-width, width)
    return Draws(second.value - first.value, second.low - first.high, second.high - first.low, ends)


def in_interval(one: Draws, level: float) -> Draws:
    """Return a value no further off than its interval reaches: a formula's, where draws know of other limits."""
    return replace(one, value=float(np.clip(one.value, *quantiles(one, level))))


def quantiles(one: Draws, level: float) -> tuple[float, float]:
    """Return between what the share `level` of the draws lies, as much outside on either side."""
    return float(np.quantile(one.low, (1 - level) / 2)), float(np.quantile(one.high, (1 + level) / 2))


def p_of_sign(one: Draws) -> float:
    """Return twice the share of draws that may not have the sign that most of them have, at most 1: as two-sided as a
    p-value. No finite number of draws makes it 0: it is as if one more had been on the other side.
    """
    least = min((one.low <= 0).sum(), (one.high >= 0).sum())
    return min(1.0, 2 * float(1 + least) / (1 + len(one.low)))


def least_found(one: Draws, level: float, power: float) -> float | None:
    """Return the smallest true difference that would be found at a level with a probability of `power`, as if draws
    were normal and their least and most as far apart; None where they do not vary, or where no difference that can be
    is as large.
    """
    from scipy.special import ndtri  # scipy takes longer to import than a stage to start

    deviation, room = float(((one.low + one.high) / 2).std()), float((one.high - one.low).mean())
    found = deviation * float(ndtri((1 + level) / 2) + ndtri(power)) + room / 2
    return found if found and (one.ends is None or found <= one.ends.highest) else None


def deviates(one: Draws) -> NDArray[np.float32]:
    """Return how draws lie around their median, as the normal deviates that are as rare, shape (draws,): 0 where all
    are equal. So skewed draws have intervals and p-values that agree with those of all others of a table.
    """
    from scipy.special import ndtri

    _, places, counts = np.unique((one.low + one.high) / 2, return_inverse=True, return_counts=True)
    ranks = counts.cumsum() - counts / 2  # of equal ones the mean
    found: NDArray[np.float32] = ndtri(ranks / len(one.low))[places].astype(np.float32)
    return found
