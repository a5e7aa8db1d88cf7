"""How reported values of a board go together over contestants: whether who does one thing well does another well too.

Contestants are the units, of which a board has a handful: the interval is for others like them, put to the same items.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

from stages.evaluation.defining.measures import View
from stages.evaluation.scoring.board import Standing
from stages.evaluation.scoring.estimates import Estimate
from stages.evaluation.scoring.statistics.correlation import fisher_interval, pearson


def correlations(view: View, rows: Sequence[Standing], independent: Collection[str]) -> dict[tuple[str, str], Estimate]:
    """Return Pearson's r of each pair of values that a view names, over the contestants that have both; without what is
    undefined: of fewer than three contestants, or where all are alike.

    `independent`: who counts. Controls are no contestants, and a variant of one is no other model: two points for one
    would feign certainty. Nor does it count whose answers were judged too little for a rank: that both of its values
    are low would be the judge's doing. Below four contestants there is no interval (`fisher_interval`).
    """
    counting = [row.estimates for row in rows if row.name in independent and row.too_little is None]
    found = {pair: over_contestants(counting, *pair) for pair in view.correlated}
    return {pair: one for pair, one in found.items() if one is not None}


def over_contestants(values: Sequence[Mapping[str, Estimate]], one: str, other: str) -> Estimate | None:
    """Return the correlation of two reported values, `n` contestants that have both; None where it is undefined."""
    both = [(own[one].value, own[other].value) for own in values if one in own and other in own]
    try:
        r = pearson(*np.array(both, np.float64).reshape(-1, 2).T)
    except ValueError:
        return None
    try:
        low, high = fisher_interval(r, len(both))
    except ValueError:
        return Estimate(r, None, None, len(both))
    return Estimate(r, low, high, len(both))


def in_words(pair: tuple[str, str], found: Estimate | None) -> str:
    """Return a correlation for a person."""
    start = f"correlation over contestants, no variants: {' with '.join(pair)}"
    if found is None:
        return f"{start}: undefined, too few have both or all are alike"
    sure = "" if found.low is None or found.high is None else f", 95 % interval {found.low:.2f} to {found.high:.2f}"
    return f"{start}: {found.value:.2f}{sure}, {found.n} contestants"
