"""Two contestants on the items that both have scores of: how far apart they are, and how sure that is.

Every reported value is a sum of contributions of items, since column means are combined linearly. So one permutation
test of paired items serves means, tracks of unlike sizes and weighted averages alike.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Reported
from stages.evaluation.scoring.estimates import estimates, values
from stages.evaluation.scoring.statistics.bootstrap import Scores, Weights
from stages.evaluation.scoring.statistics.detectable import smallest_detectable_difference
from stages.evaluation.scoring.statistics.holm import holm
from stages.evaluation.scoring.statistics.permutation import paired_permutation


@dataclass(frozen=True)
class Difference:
    """One reported value of two contestants, over the `n` items that both have scores of.

    `difference`: second less first, with its 95 % interval, and `detectable`, the smallest true one that so many items
    would show (None where a column has fewer than two items). `p` is two-sided, `p_adjusted` (Holm) for all that are
    shown together.
    """

    name: str
    first: float
    second: float
    difference: float
    low: float | None
    high: float | None
    p: float
    p_adjusted: float
    n: int
    detectable: float | None


def differences(
    first: Scores, second: Scores, strata: NDArray[np.int64], weights: Weights, reported: Reported, seed: int
) -> list[Difference]:
    """Compare score matrices, shape (items, columns), NaN where there is no score; in the order of `reported`.

    `strata`: the stratum of each item; `weights`: the bootstrap's. What lacks a column that counts is left out.
    `p_adjusted` is `p` until `adjusted` sets it.
    """
    apart = second - first
    first, second = np.where(np.isnan(apart), np.nan, first), np.where(np.isnan(apart), np.nan, second)
    of_first, of_second = values(first, reported), values(second, reported)
    found = []
    for name, (difference, low, high, n) in estimates(apart, strata, weights, reported).items():
        added_first, added_second = (contributions(scores, reported[name]) for scores in (first, second))
        p = paired_permutation(added_first, added_second, seed=seed)
        sure = low is not None
        found.append(
            Difference(
                name=name,
                first=of_first[name],
                second=of_second[name],
                difference=difference,
                low=low,
                high=high,
                p=p,
                p_adjusted=p,
                n=n,
                detectable=smallest_detectable_difference(noise(added_second - added_first, strata)) if sure else None,
            )
        )
    return found


def contributions(scores: Scores, factors: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return what each item adds to a reported value, shape (items,); NaN where it has no score in a column that
    counts.
    """
    counting = factors != 0
    there = ~np.isnan(scores[:, counting])
    added = np.where(there, scores[:, counting], 0) @ (factors[counting] / there.sum(axis=0))
    return np.where(there.any(axis=1), added, np.nan)


def noise(added: NDArray[np.float64], strata: NDArray[np.int64]) -> NDArray[np.float64]:
    """Return values of as many items whose mean varies as the sum of what these items add does, without what sets the
    strata apart: strata are fixed by design. Their mean is 0.

    Within a stratum of m of the n items, deviations from its mean grow by √(m / (m - 1)), as one mean was taken from
    them, and all shrink by √((n - 1) / n), which their sample variance will make good.
    """
    there = ~np.isnan(added)
    n = int(there.sum())
    found = np.full_like(added, np.nan)
    for stratum in np.unique(strata[there]):
        items = there & (strata == stratum)
        m = int(items.sum())
        found[items] = (added[items] - added[items].mean()) * (m / max(1, m - 1)) ** 0.5
    return found * n * ((n - 1) / n) ** 0.5


def adjusted(shown: Sequence[Difference]) -> list[Difference]:
    """Return the differences with p-values adjusted for all of them together."""
    family = holm([one.p for one in shown])
    return [replace(one, p_adjusted=float(p)) for one, p in zip(shown, family, strict=True)]
