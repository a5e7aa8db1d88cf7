"""The bootstrap: how far a statistic that is no sum over items would move with other items of the same kind.

Efron 1979. For measures of agreement, whose draws are skewed near their ends. What boards report has standard errors.
"""

from __future__ import annotations

from math import sqrt

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.scoring.statistics.inference import LEVEL, Interval

Weights = NDArray[np.float32]
"""How often each item was drawn, shape (draws, items)."""
DRAWS = 10_000


def item_weights(items: int, seed: int, draws: int = DRAWS) -> Weights:
    chance = np.random.default_rng(seed)
    return chance.multinomial(items, np.full(items, 1 / items), size=draws).astype(np.float32)


def interval(drawn: NDArray[np.float64], items: int, level: float = LEVEL) -> Interval:
    """Return the expanded percentile interval of a statistic from its draws of so many items.

    The plain percentile interval is too short by what the normal quantile lacks against Student's of n - 1 degrees, and
    because draws of n items vary but (n - 1)/n as much as the items tell: quantiles further out make up for both
    (Hesterberg 2015, "What Teachers Should Know About the Bootstrap", section 5.3). Draws without a value (NaN) do not
    count; ValueError when none has one, and for fewer than two items.
    """
    from scipy.special import ndtr, stdtrit  # scipy takes longer to import than a stage to start

    if items < 2:
        raise ValueError(f"an interval needs at least two items, not {items}")
    drawn = drawn[~np.isnan(drawn)]
    if not len(drawn):
        raise ValueError("no draw has a value")
    outer = ndtr(float(stdtrit(items - 1, (1 - level) / 2)) * sqrt(items / (items - 1)))
    low, high = np.quantile(drawn, [outer, 1 - outer])
    return Interval(float(low), float(high))
