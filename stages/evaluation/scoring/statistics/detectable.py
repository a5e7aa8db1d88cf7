"""How small a true difference a comparison over these items would still find: what a board cannot tell apart.

Cohen 1988, "Statistical power analysis for the behavioral sciences", chapter 2, in the normal approximation; Card et
al. 2020, "With little power comes great responsibility", on why benchmarks should state it.
"""

from __future__ import annotations

from math import sqrt
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray


def smallest_detectable_difference(differences: NDArray[np.float64], alpha: float = 0.05, power: float = 0.8) -> float:
    """Return the smallest true mean difference that a two-sided test at `alpha` finds with probability `power`.

    `differences` are paired differences of items taken as independent, shape (items,); NaN is left out. With s their
    sample standard deviation and n their number it is (z_{1 - alpha/2} + z_{power})·s/√n, in the unit of the
    differences, somewhat too small for a few dozen items or fewer (the normal approximation). 0.0 where all
    differences are the same: the items then show no noise to measure. ValueError for fewer than two items, infinite
    differences, more than one axis, and unless 0 < alpha < power < 1.
    """
    if differences.ndim != 1:
        raise ValueError(f"differences come one an item, not in {differences.ndim} axes")
    if not 0 < alpha < power < 1:
        raise ValueError(f"a test needs 0 < alpha < power < 1, not alpha {alpha} and power {power}")
    there = differences[~np.isnan(differences)]
    if len(there) < 2:
        raise ValueError(f"a standard deviation needs at least two items with a difference, not {len(there)}")
    if not np.isfinite(there).all():
        raise ValueError("a difference is infinite")
    if (there == there[0]).all():  # rounding of their mean would make it a little more
        return 0.0
    normal = NormalDist()
    reach = normal.inv_cdf(power) - normal.inv_cdf(alpha / 2)
    return float(reach * there.std(ddof=1) / sqrt(len(there)))
