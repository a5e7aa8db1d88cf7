"""What a benchmark reports of scores, each value with an interval, and as flat keys."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Reported
from stages.evaluation.scoring.draws import Drawn, drawn
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.bootstrap import Interval, Weights, interval
from stages.evaluation.scoring.values import counting_items, ends, value_of


class Estimate(NamedTuple):
    """A reported value, its 95 % interval (None where too few items have a score), and how many items count."""

    value: float
    low: float | None
    high: float | None
    n: int


def estimates(scores: Bounds, strata: NDArray[np.int64], weights: Weights, reported: Reported) -> dict[str, Estimate]:
    """Return the reported values with intervals; those that lack a column's scores are left out.

    A value is the least that it can be, and so is its interval, but for the upper end, which is of the most.
    `strata`: the stratum of each item, within which `weights` were drawn.
    """
    bounds = {name: ends(scores, one) for name, one in reported.items()}
    there = [name for name, one in reported.items() if not np.isnan(value_of(bounds[name].low, one))]
    open_above = [name for name in there if not np.array_equal(*bounds[name], equal_nan=True)]
    least = drawn([(bounds[name].low, reported[name]) for name in there], strata, weights)
    most = drawn([(bounds[name].high, reported[name]) for name in open_above], strata, weights)
    above = dict(zip(open_above, most, strict=True))
    found = {}
    for name, one in zip(there, least, strict=True):
        low, high = around(one) or (None, None)
        if name in above:
            high = (around(above[name]) or (None, None))[1]
        n = int(counting_items(bounds[name].low, reported[name]).sum())
        found[name] = Estimate(one.value, low, high if low is not None else None, n)
    return found


def around(one: Drawn) -> Interval | None:
    """Return the 95 % interval of a value; None where too few items have a score, or no draw has a value."""
    if one.spread.freedom is None or np.isnan(one.moved).all():
        return None
    return interval(one.value + one.moved.astype(np.float64), one.spread.freedom)


def flat(prefix: str, found: Mapping[str, Estimate]) -> dict[str, float]:
    """Return estimates under flat keys, as `dvc metrics diff` reads them: NAME, NAME_lo, NAME_hi, NAME_n."""
    keys: dict[str, float] = {}
    for name, estimate in found.items():
        keys[f"{prefix}{name}"] = rounded(estimate.value)
        if estimate.low is not None and estimate.high is not None:
            keys[f"{prefix}{name}_lo"], keys[f"{prefix}{name}_hi"] = rounded(estimate.low), rounded(estimate.high)
        keys[f"{prefix}{name}_n"] = estimate.n
    return keys


def rounded(value: float) -> float:
    """Return a reported value with three decimals: more than any interval bears, few enough to be the
    same everywhere.
    """
    return round(value, 3) + 0.0
