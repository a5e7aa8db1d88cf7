"""How reported values of a board go together over contestants: whether who does one thing well does another well too,
and whether another judge puts them in the same order.

Contestants are the units, of which a board has a handful: the interval is for others like them, put to the same items.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.scoring.board import Standing
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.statistics.coefficients import Scores, fisher_interval, kendall, kendall_interval, pearson

Statistic = Callable[[Scores, Scores], float]
Interval = Callable[[float, int], tuple[float, float]]


def correlations(
    metric: Metric, rows: Sequence[Standing], independent: Collection[str]
) -> dict[tuple[str, str], Estimate]:
    """Return Pearson's r of each pair of values that a metric names, over the contestants that have both. Variants and
    controls do not count (`independent`), nor who was judged too little.
    """
    counting = [row.estimates for row in rows if row.name in independent and row.too_little is None]
    found: dict[tuple[str, str], Estimate] = {}
    for one, other in metric.correlated:
        both = [(own[one].value, own[other].value) for own in counting if one in own and other in own]
        if (r := pair_estimate(both, pearson, fisher_interval)) is not None:
            found[one, other] = r
    return found


def pair_estimate(both: Sequence[tuple[float, float]], statistic: Statistic, interval: Interval) -> Estimate | None:
    """Return a statistic of pairs with its interval, where it has one; None where it is undefined."""
    try:
        r = statistic(*np.array(both, np.float64).reshape(-1, 2).T)
    except ValueError:
        return None
    try:
        low, high = interval(r, len(both))
    except ValueError:
        return Estimate(r, None, None, len(both))
    return Estimate(r, low, high, len(both))


def order_correlation(
    metric: Metric, rows: Sequence[Standing], others: Sequence[Standing], independent: Collection[str]
) -> Estimate | None:
    """Return Kendall's tau-b of what ranks by one judge and by another; None where it is undefined."""
    name = metric.shown[0]
    ours, theirs = (
        {row.name: row.estimates[name].value for row in each if name in row.estimates and row.too_little is None}
        for each in (rows, others)
    )
    both = [(ours[one], theirs[one]) for one in ours if one in theirs and one in independent]
    return pair_estimate(both, kendall, kendall_interval)
