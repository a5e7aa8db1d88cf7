"""Whether two contestants solve unlike shares of the same items, each solved or not.

McNemar 1947, "Note on the sampling error of the difference between correlated proportions", in its exact form: a
two-sided sign test on the items that only one of them solves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray


def mcnemar_exact(first: NDArray[np.bool_], second: NDArray[np.bool_]) -> float:
    """The two-sided p-value, 0..1, of McNemar's exact test.

    `first` and `second` say of every item whether each contestant solved it, shape (items,). With b items that only
    the first solved and c that only the second did, p = min(1, 2·P(X <= min(b, c))) for X ~ Binomial(b + c, 1/2);
    1.0 where b + c = 0. Counted in whole numbers of any size and rounded once, so the result is the float nearest to
    p (0.0 below 5e-324, as where one alone solved 1,076 items or more). ValueError for unlike lengths and for arrays
    that are not of booleans: a missing answer (NaN) must be decided or left out before.
    """
    if first.ndim != 1 or first.shape != second.shape:
        raise ValueError(f"paired answers need one axis and the same length, not {first.shape} and {second.shape}")
    if first.dtype != np.bool_ or second.dtype != np.bool_:
        raise ValueError(f"answers are solved or not (bool), not {first.dtype} and {second.dtype}")
    only_first, only_second = int((first & ~second).sum()), int((second & ~first).sum())
    pairs, fewer = only_first + only_second, min(only_first, only_second)
    if only_first == only_second:
        return 1.0
    ways = tail = 1  # of choosing 0 of the pairs; then of choosing 0..fewer
    for chosen in range(1, fewer + 1):
        ways = ways * (pairs - chosen + 1) // chosen
        tail += ways
    return tail / 2 ** (pairs - 1)
