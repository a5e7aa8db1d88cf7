"""A confidence interval for a share of items: Wilson 1927, "Probable inference, the law of succession, and statistical
inference". Where several answers are to one item: the number of independent ones that tell as much (Korn and Graubard
1998), put into Wilson's interval (Dean and Pagano 2015).
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


def wilson_interval(successes: float, n: float) -> tuple[float, float]:
    """Return the ends, 0..1, of the 95 % score interval of `successes` among `n` independent items; of weighted ones
    `n` is the effective number (Kish 1965).
    """
    share = successes / n
    z = NormalDist().inv_cdf(0.975)
    centre = (share + z**2 / (2 * n)) / (1 + z**2 / n)
    half = z / (1 + z**2 / n) * sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    # Rounding may put an end past the share, which matters where that is 0 or 1.
    return max(0.0, min(share, centre - half)), min(1.0, max(share, centre + half))


def effective_answers(successes: NDArray[np.float64], n: NDArray[np.float64]) -> float | None:
    """Return how many independent answers tell as much of a share as these, of which each item has `n` with so many
    `successes`, shape (items,). None for fewer than two items, unless each has one answer.

    Their number is divided by how much more the items' sums vary than independent ones would, and Student's t takes its
    toll. Where all are successes, or none is, an item counts once.
    """
    from scipy.special import stdtrit  # scipy takes longer to import than a stage to start

    total, items = float(n.sum()), len(n)
    if total == items:
        return total
    if items < 2:
        return None
    share = float(successes.sum()) / total
    if share in (0, 1):
        return float(total**2 / (n * n).sum())
    variance = float(((successes - share * n) ** 2).sum()) / total**2
    effective = min(total, share * (1 - share) / variance) if variance else total
    return effective * float(stdtrit(total - 1, 0.975) / stdtrit(items - 1, 0.975)) ** 2
