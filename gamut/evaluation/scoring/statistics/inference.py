"""One inference, Student's: from a value and its standard error to interval, p, and the smallest detectable difference.
If nothing varied, an event that was not seen in n items may still be rare. For resampled values, draws give all three.

Few items tell little about their variance (Satterthwaite 1946). Rare faults tell little even with many items (the
variance of a variance grows with the fourth moment: Cramér 1946, section 27.4). And a stratum in which by chance
nothing went wrong seems to have no risk.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from math import isclose
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Scale

Floats = NDArray[np.float64]
BORROWED = 4.0
"""Degrees of freedom that a stratum borrows from all strata together, as far as its own are missing."""


class StandardError(NamedTuple):
    """The standard error of a value, in its unit, and the degrees of freedom for Student's t."""

    error: float
    degrees: float


class Movement(NamedTuple):
    """How items move a value. `moved`, shape (items,): what each adds by its distance from the average. `weight`, shape
    (items,): how much of the value a point of its score is. `scored`, shape (items, columns): which have a score.
    """

    moved: Floats
    weight: Floats
    scored: NDArray[np.bool_]


def standard_error(movement: Movement, strata: NDArray[np.int64]) -> StandardError | None:
    """Return how far a value varies with the items drawn within `strata`, shape (items,). None if a column that counts
    has fewer than two items, no stratum has two, or an item's effect is undefined.

    In a stratum of m items, the variance s² of a point's effect has m - 1 degrees of freedom. With an excess kurtosis γ
    it has d, where 2/d = 2/(m - 1) + γ/m. To the extent that d is lower, 1 - d/(m - 1), s² is replaced by (d·s² +
    BORROWED·S²)/(d + BORROWED), with S² of all strata. For if faults are rare, none in three items does not mean that
    there are none. The mean over strata of their own kurtosis, at least 0, is γ. Variances V with d degrees each have
    (ΣV)²/Σ(V²/d) together, including borrowed ones, but no more than S² has with the kurtosis of all deviations.
    """
    moved, weight, there = movement
    if not there.size or (there.sum(axis=0) < 2).any() or not np.isfinite(moved).all():
        return None
    counting = there.any(axis=1)
    within = np.unique(sampling_strata(strata)[counting], return_inverse=True)[1]
    sizes = np.bincount(within)
    columns = np.stack([np.bincount(within, column) for column in there[counting].T.astype(np.float64)], axis=1)
    fewest = np.where(columns > 0, columns, np.inf).min(axis=1)
    point = np.bincount(within, weight[counting]) / sizes
    apart = moved[counting] - (np.bincount(within, moved[counting]) / sizes)[within]
    units = apart / point[within]
    squares, fourths = (np.bincount(within, units**power).astype(np.float64) for power in (2, 4))
    degrees = fewest - 1
    if not degrees.any():
        return None
    own = np.divide(squares / sizes * fewest, degrees, out=np.zeros_like(squares), where=degrees > 0)
    together = float((degrees * own).sum() / degrees.sum())
    if not together:
        return StandardError(0.0, float(degrees.sum()))
    excess = excess_kurtosis(fourths, squares, sizes)
    known = np.divide(1, 1 / np.maximum(degrees, 1) + excess / (2 * fewest), where=degrees > 0, out=np.zeros_like(own))
    worth = known / np.maximum(degrees, 1)
    between = (known * own + BORROWED * together) / (known + BORROWED)
    believed = worth * own + (1 - worth) * between
    variances = believed * point**2 * sizes
    shares = variances / variances.sum()  # squares of tiny variances would vanish
    as_one = excess_kurtosis(fourths.sum(keepdims=True), squares.sum(keepdims=True), sizes.sum(keepdims=True))
    of_all = 1 / (1 / degrees.sum() + as_one / (2 * fewest.sum()))
    satterthwaite = 1 / (shares**2 / (known + BORROWED * (1 - worth))).sum()
    return StandardError(float(np.sqrt(variances.sum())), float(min(satterthwaite, of_all)))


def excess_kurtosis(fourths: Floats, squares: Floats, sizes: NDArray[np.int64]) -> float:
    """Return the kurtosis from sums of deviations' fourth powers and squares; at least 0."""
    normal = squares**2 / sizes
    return float(np.maximum(0, fourths - 3 * normal).sum() / normal.sum())


def sampling_strata(strata: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return strata, with those of a single item merged, or merged with the next smallest one."""
    names, places, sizes = np.unique(strata, return_inverse=True, return_counts=True)
    alone = sizes == 1
    if alone.sum() == 1 and len(names) > 1:
        alone[np.argmin(np.where(alone, np.inf, sizes))] = True
    return np.where(alone[places], names[alone].min(), strata) if alone.any() else strata


@dataclass(frozen=True)
class Draws:
    """A value, or a difference of two, with its least and greatest value in each draw, shape (draws,) each."""

    value: float
    low: NDArray[np.float64] = field(repr=False, compare=False)
    high: NDArray[np.float64] = field(repr=False, compare=False)
    ends: Scale | None = None


def draws_of_difference(first: Draws, second: Draws) -> Draws:
    width = None if first.ends is None else first.ends.highest - first.ends.lowest
    ends = None if width is None else Scale(-width, width)
    return Draws(second.value - first.value, second.low - first.high, second.high - first.low, ends)


def clip_to_interval(one: Draws, level: float) -> Draws:
    """Clip a value to its interval: a value from a formula ignores limits that draws respect."""
    return replace(one, value=float(np.clip(one.value, *quantiles(one, level))))


def quantiles(one: Draws, level: float) -> tuple[float, float]:
    """Return the ends of the central share `level` of the draws."""
    return float(np.quantile(one.low, (1 - level) / 2)), float(np.quantile(one.high, (1 + level) / 2))


def detectable_by_draws(one: Draws, level: float, power: float) -> float | None:
    """Return the smallest true difference found with a probability of `power`, as if draws were normal."""
    from scipy.special import ndtri  # scipy takes longer to import than a stage to start

    deviation, room = float(((one.low + one.high) / 2).std()), float((one.high - one.low).mean())
    found = deviation * float(ndtri((1 + level) / 2) + ndtri(power)) + room / 2
    return found if found and (one.ends is None or found <= one.ends.highest) else None


def normal_deviates(one: Draws) -> NDArray[np.float32]:
    """Return the draws around their median as equally rare normal deviates, shape (draws,). So skewed draws get
    intervals and p-values that agree with the others in a table.
    """
    from scipy.special import ndtri

    _, places, counts = np.unique((one.low + one.high) / 2, return_inverse=True, return_counts=True)
    ranks = counts.cumsum() - counts / 2  # the mean of equal ones
    found: NDArray[np.float32] = ndtri(ranks / len(one.low))[places].astype(np.float32)
    return found


LEVEL = 0.95
POWER = 0.8
ROUNDING = 1e-9
"""Seven sevenths of a hundred are 100.00000000000001."""


class Interval(NamedTuple):
    """A confidence interval, in the unit of its value."""

    low: float
    high: float


class Inferred(NamedTuple):
    """A value with its standard error, with the information of `n` items. `ends`: its least and greatest possible
    value. `cut`: the same for a difference whose ends are what unseen items may differ by.
    """

    value: float
    error: StandardError
    n: float
    ends: Scale | None
    cut: Scale | None = None


Inference = Inferred | Draws


def interval(one: Inference, level: float = LEVEL) -> Interval | None:
    """Return the interval of a value, cut off at its possible ends; for draws, between their quantiles.

    If all n items are equal, an item at a possible end may have a frequency u, and be missed n times with probability
    (1 - u)^n. This is 1 - level if it can be missed on one side only, half of that on each side otherwise. At 95 % the
    former is about u = 3/n (Hanley and Lippman-Hand 1983, "If nothing goes wrong, is everything all right?"). None if
    no ends are known.
    """
    if isinstance(one, Draws):
        return Interval(*quantiles(one, level))
    value, (error, _), n, ends, cut = one
    if error:
        half = error * half_width(one, level)
        return cut_to_ends(ends, value, value - half, value + half)
    if ends is None:
        return None
    at_an_end = any(isclose(value, end, rel_tol=ROUNDING, abs_tol=ROUNDING) for end in ends)
    unseen = 1 - ((1 - level) / (1 if at_an_end else 2)) ** (1 / n)
    return cut_to_ends(cut, value, value - unseen * (value - ends.lowest), value + unseen * (ends.highest - value))


def cut_to_ends(ends: Scale | None, value: float, low: float, high: float) -> Interval:
    if ends is None:
        return Interval(low, high)
    return Interval(max(low, min(ends.lowest, value)), min(high, max(ends.highest, value)))


def effective_items(weights: NDArray[np.float64]) -> float:
    """Return how many items of equal weight tell as much as these if all are equal, shape (items,), above 0.

    Faults of shares q are missed in all items with probability Π(1 - q), and move the value by Σwq. The largest
    movement that is missed with probability 1 - LEVEL has 1 - q = min(1, λ/w).
    """
    heaviest = np.sort(weights / weights.sum())[::-1]
    count = np.arange(1, len(heaviest) + 1)
    kept = np.exp((np.log(1 - LEVEL) + np.log(heaviest).cumsum()) / count)  # λ, if the first `count` can be missed
    most = np.flatnonzero(kept < heaviest)[-1]
    hidden = heaviest[: most + 1].sum() - (most + 1) * kept[most]
    return round(float(np.log(1 - LEVEL) / np.log1p(-hidden)), 6)


def p_value(one: Inference) -> float:
    """Return the two-sided p-value of a difference, above 0: one minus the highest level at which its `interval`
    excludes 0. If all n items differ alike, 2^(1 - n), as in the sign test.
    """
    if isinstance(one, Draws):
        least = min((one.low <= 0).sum(), (one.high >= 0).sum())  # draws that may have the other sign than most
        return min(1.0, 2 * float(1 + least) / (1 + len(one.low)))  # plus one, so that it is never 0
    from scipy.special import stdtr

    value, (error, degrees), n, *_ = one
    if error:
        return max(2 * float(stdtr(degrees, -abs(value) / error)), LEAST_P)
    return 2.0 ** (1 - n) if value else 1.0


LEAST_P = 1e-300
"""No p is 0, whatever floats can hold."""


def as_difference(one: Inferred) -> Inferred:
    """Return a difference with its ends: unseen items may differ as much in the other direction."""
    value, error, _, ends, _ = one
    if error.error or not value:
        return one
    return one._replace(ends=Scale(value - 2 * abs(value), value + 2 * abs(value)), cut=ends)


def detectable(one: Inference, level: float = LEVEL) -> float | None:
    """Return the smallest true difference that would be found with a probability of POWER, by the noncentral t. None if
    nothing varied, or if no possible difference is that large.
    """
    if isinstance(one, Draws):
        return detectable_by_draws(one, level, POWER)
    from scipy.special import nctdtrinc

    error, degrees = one.error
    least = error * float(nctdtrinc(degrees, 1 - POWER, half_width(one, level)))
    return least if error and (one.ends is None or least <= one.ends.highest) else None


def half_width(one: Inferred, level: float) -> float:
    from scipy.special import stdtrit  # scipy takes longer to import than a stage to start

    return -float(stdtrit(one.error.degrees, (1 - level) / 2))
