"""P-values adjusted for several tests at once, such as every pair of contestants on a board.

Holm 1979, "A simple sequentially rejective multiple test procedure": controls the chance of any false rejection,
however the tests depend on each other.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray


def holm(p_values: Sequence[float] | NDArray[np.float64]) -> NDArray[np.float64]:
    """Step-down adjusted p-values, 0..1, in the order given: reject those at most alpha.

    Of m p-values in ascending order the i-th (from 1) becomes the largest (m - j + 1)·p_j over j <= i, at most 1. None
    give none. ValueError for one that is missing (NaN) or outside 0..1, and for more than one axis.
    """
    values = np.asarray(p_values, dtype=np.float64)
    if values.ndim != 1:
        raise ValueError(f"p-values come as one list, not in {values.ndim} axes")
    wrong = values[~((values >= 0) & (values <= 1))]
    if len(wrong):
        raise ValueError(f"a p-value lies in 0..1, not at {wrong[0]}")
    order = np.argsort(values, kind="stable")
    steps = np.arange(len(values), 0, -1)
    adjusted = np.empty_like(values)
    adjusted[order] = np.minimum(np.maximum.accumulate(steps * values[order]), 1)
    return adjusted
