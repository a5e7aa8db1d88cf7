"""One inference: from a value and its standard error to interval, p, and the smallest difference that would be found.

All three are of the same test, Student's: an interval leaves out 0 where p is below one minus its level, and a true
difference as large as `detectable` is found at that level in four of five cases. Where nothing varied, because all were
right or all were wrong, that is no certainty: what was not seen in n items may still befall one in many. Of a value
that is resampled its draws say all three.
"""

from __future__ import annotations

from math import isclose
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Scale
from stages.evaluation.scoring.statistics.resampled import Draws, least_found, p_of_sign, quantiles
from stages.evaluation.scoring.statistics.standard_error import StandardError

LEVEL = 0.95
POWER = 0.8
ROUNDING = 1e-9
"""Seven sevenths of a hundred are 100.00000000000001."""


class Interval(NamedTuple):
    """A confidence interval, in the unit of its value."""

    low: float
    high: float


class Inferred(NamedTuple):
    """A value with its standard error, over what tells as much as `n` items of equal weight; `ends`: the least and the
    most that it can be, if any; `cut`: the same of a difference whose ends are what others may differ by.
    """

    value: float
    error: StandardError
    n: float
    ends: Scale | None
    cut: Scale | None = None


Known = Inferred | Draws
"""A value of which it is known how far it varies."""


def interval(one: Known, level: float = LEVEL) -> Interval | None:
    """Return the interval of a value, cut off at the ends of what it can be; of draws between their quantiles.

    Where all n items say the same, one at an end of what can be may be as frequent as u, and be missed n times but with
    a chance of (1 - u)^n: u is such that this is 1 - level for what can only be missed on one side (at 95 % some 3/n:
    Hanley and Lippman-Hand 1983, "If nothing goes wrong, is everything all right?"), half of that on either side
    otherwise. None there if no ends are known.
    """
    if isinstance(one, Draws):
        return Interval(*quantiles(one, level))
    value, (error, _), n, ends, cut = one
    if error:
        half = error * reach(one, level)
        return within(ends, value, value - half, value + half)
    if ends is None:
        return None
    at_an_end = any(isclose(value, end, rel_tol=ROUNDING, abs_tol=ROUNDING) for end in ends)
    unseen = 1 - ((1 - level) / (1 if at_an_end else 2)) ** (1 / n)
    return within(cut, value, value - unseen * (value - ends.lowest), value + unseen * (ends.highest - value))


def within(ends: Scale | None, value: float, low: float, high: float) -> Interval:
    if ends is None:
        return Interval(low, high)
    return Interval(max(low, min(ends.lowest, value)), min(high, max(ends.highest, value)))


def as_many_equal(weights: NDArray[np.float64]) -> float:
    """Return how many items of equal weight tell as much as these where all say the same, shape (items,), above 0.

    What befalls each in a share q is missed in all with a chance of Π(1 - q), and moves the value by Σwq. The most that
    is so missed with a chance of 1 - LEVEL has 1 - q = min(1, λ/w): three items of half the weight hide much.
    """
    heaviest = np.sort(weights / weights.sum())[::-1]
    count = np.arange(1, len(heaviest) + 1)
    kept = np.exp((np.log(1 - LEVEL) + np.log(heaviest).cumsum()) / count)  # λ, where the first so many can be missed
    most = np.flatnonzero(kept < heaviest)[-1]
    hidden = heaviest[: most + 1].sum() - (most + 1) * kept[most]
    return round(float(np.log(1 - LEVEL) / np.log1p(-hidden)), 6)


def p_value(one: Known) -> float:
    """Return the two-sided p-value of a difference (`as_difference`), above 0 and at most 1.

    It is one minus the highest level at which its `interval` leaves out 0. Where all n items differ alike that is
    2^(1 - n), as of the sign test.
    """
    if isinstance(one, Draws):
        return p_of_sign(one)
    from scipy.special import stdtr

    value, (error, degrees), n, *_ = one
    if error:
        return max(2 * float(stdtr(degrees, -abs(value) / error)), SMALLEST)
    return 2.0 ** (1 - n) if value else 1.0


SMALLEST = 1e-300
"""No p is 0, whatever floats can hold."""


def as_difference(one: Inferred) -> Inferred:
    """Return a difference with its ends: where all items differ alike, others may differ as much the other way."""
    value, error, _, ends, _ = one
    if error.error or not value:
        return one
    return one._replace(ends=Scale(value - 2 * abs(value), value + 2 * abs(value)), cut=ends)


def detectable(one: Known, level: float = LEVEL) -> float | None:
    """Return the smallest true difference that would be found at a level with a probability of POWER; None where
    nothing varied, or where no difference that can be is as large. The noncentral t of such a difference lies within
    the reach of an interval with the rest of probability.
    """
    if isinstance(one, Draws):
        return least_found(one, level, POWER)
    from scipy.special import nctdtrinc

    error, degrees = one.error
    least = error * float(nctdtrinc(degrees, 1 - POWER, reach(one, level)))
    return least if error and (one.ends is None or least <= one.ends.highest) else None


def reach(one: Inferred, level: float) -> float:
    """Return how many standard errors an interval reaches to either side."""
    from scipy.special import stdtrit  # scipy takes longer to import than a stage to start

    return -float(stdtrit(one.error.degrees, (1 - level) / 2))
