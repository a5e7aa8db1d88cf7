"""The values that a benchmark reports, each with an interval, and as flat keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Linear, ReportedValues, Resampled, Scale, Summed
from gamut.evaluation.scoring import values
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics.inference import Floats, Interval, StandardError, cut_to_ends, interval
from gamut.evaluation.scoring.values import Scores


class Estimate(NamedTuple):
    """A reported value, its 95 % interval (None if too few items have a score), and how many items count."""

    value: float
    low: float | None
    high: float | None
    n: int


def estimates(
    scores: Bounds, strata: NDArray[np.int64], reported: ReportedValues, ends: Mapping[str, Scale], seed: int = 0
) -> dict[str, Estimate]:
    """Return the reported values at their lowest, with intervals, without those that lack a column's scores. The upper
    end does not count a missing score as the highest: else it would rise if a contestant keeps a judge from judging.
    """
    found = {
        name: estimate_resampled(scores, one, seed)
        if isinstance(one, Resampled)
        else estimate_sums(scores, strata, one, ends.get(name))
        for name, one in reported.items()
    }
    return {name: one for name, one in found.items() if one is not None}


def estimate_sums(scores: Bounds, strata: NDArray[np.int64], one: Summed, ends: Scale | None) -> Estimate | None:
    """Return one estimate. None if a column has no scores, or the value is undefined."""
    lowest = values.least_scores(scores, one)
    value = values.value_of(lowest, one)
    if np.isnan(value):
        return None
    low, high = value_interval(lowest, strata, one, ends) or (None, None)
    return Estimate(value, low, high, int(values.counting_items(lowest, one).sum()))


def estimate_resampled(scores: Bounds, one: Resampled, seed: int) -> Estimate | None:
    found = values.resample_value(scores.low, one, seed)
    if found is None:
        return None
    low, high = interval(found) or (None, None)
    return Estimate(found.value, low, high, values.count_items(scores.low, one))


QUIET = 0.05
"""Share of a value's range: if no item is further away than this, no fault was seen."""


def value_interval(scores: Scores, strata: NDArray[np.int64], one: Summed, ends: Scale | None) -> Interval | None:
    """Return the 95 % interval of a value; None if too few items have a score. If items are nearly alike, it is not
    shorter than for equal items, and reaches as far as rare faults, or successes, may move it (`unseen_loss`).
    """
    moves = values.movement(scores, strata, one)
    found = values.infer_from_movement(values.value_of(scores, one), moves, strata, one, ends)
    student = None if found is None else interval(found)
    if found is None or student is None or ends is None or not isinstance(one, Linear):
        return student
    weighing = moves.weight > 0
    weight, width = moves.weight[weighing], ends.highest - ends.lowest
    off = moves.moved[weighing] / weight * weight.sum()
    alike = interval(found._replace(error=StandardError(0.0, found.error.degrees)))
    if alike is not None and np.abs(off).max() <= QUIET * width:
        return Interval(min(student.low, alike.low), max(student.high, alike.high))
    below = unseen_loss(ends.highest - found.value - off, weight, found.n, width)
    above = unseen_loss(found.value + off - ends.lowest, weight, found.n, width)
    return cut_to_ends(ends, found.value, min(student.low, found.value - below), max(student.high, found.value + above))


AT_END, FAULT = 0.15 + 1e-9, 0.2 + 1e-9
"""Shares of the scale. If the median item is at most AT_END from its end, items further than FAULT beyond the median
are faults. Each is slightly larger, since scores such as 0.8 and 1 differ by 0.19999999999999996."""
Z_SQUARED = 1.96**2


def unseen_loss(distance: Floats, weight: Floats, n: float, width: float) -> float:
    """Return how much further from an end of the scale the value may be than it was seen, at the 97.5 % end; 0 unless
    most items are near that end. If three of 56 answers are wrong by a third, a fourth may be wrong altogether, which a
    standard error does not show.

    `distance`: of each item from the end, in points of the value, shape (items,). `weight`: of each item, shape
    (items,). `n`: the number of equally weighted items with the same information. `width`: of the scale. The frequency
    of faults has Jeffreys' prior: half a fault in one more item, which costs all that can be lost. The variance of the
    others is added.
    """
    from scipy.special import betaincinv  # scipy takes longer to import than a stage to start

    share = weight / weight.sum()
    order = np.argsort(distance, kind="stable")
    median = distance[order][np.searchsorted(share[order].cumsum(), 0.5 - 1e-9)]
    if median > AT_END * width:
        return 0.0
    usual = distance <= median + FAULT * width
    frequency = float(share[~usual].sum())
    others = share[usual] / share[usual].sum()
    middle = float(others @ distance[usual])
    variance = float((others**2) @ (distance[usual] - middle) ** 2)
    lost = float(share[~usual] @ (distance[~usual] - middle))
    most = float(betaincinv(frequency * n + 0.5, (1 - frequency) * n + 0.5, 0.975))
    each = (lost * n + (width - middle) / 2) / (frequency * n + 0.5)
    return float(np.sqrt(max(most * each - lost, 0) ** 2 + Z_SQUARED * variance))


def flat_estimates(prefix: str, estimates: Mapping[str, Estimate]) -> dict[str, float]:
    keys: dict[str, float] = {}
    for name, (value, low, high, n) in estimates.items():
        keys |= keys_of_interval(f"{prefix}{name}", value, low, high) | {f"{prefix}{name}_n": n}
    return keys


def keys_of_interval(key: str, value: float, low: float | None, high: float | None) -> dict[str, float]:
    numbers = {key: value} | ({} if low is None or high is None else {f"{key}_lo": low, f"{key}_hi": high})
    return {name: round_value(number) for name, number in numbers.items()}


def round_value(value: float) -> float:
    return round(value, 3) + 0.0


def rounded_share(value: float) -> float:
    """Round to three decimals. A share below 1 never becomes 1."""
    return round_value(value) if value >= 1 else min(round_value(value), 0.999)
