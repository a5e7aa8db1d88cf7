"""Two contestants on the items that both were asked: how far apart they are, and how sure that is.

A weighted sum of column means is a sum of contributions of items. So one permutation test of paired items serves means,
tracks of unlike sizes and weighted averages alike; of a function of sums, items' terms change sides.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Linear, OfSums, Reportable, Reported
from stages.evaluation.scoring.draws import Drawn, drawn
from stages.evaluation.scoring.estimates import around
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.bootstrap import Scores, Weights
from stages.evaluation.scoring.statistics.detectable import smallest_detectable_difference
from stages.evaluation.scoring.statistics.holm import holm
from stages.evaluation.scoring.statistics.permutation import paired_permutation, paired_permutation_of_sums
from stages.evaluation.scoring.values import counting_items, difference, ends, of_sums, terms_of, value_of


@dataclass(frozen=True)
class Difference:
    """One reported value of two contestants, over the `n` items that both were asked.

    `difference`: second less first, with its 95 % interval, and `detectable`, the smallest true one that so many items
    would show (None where a column has fewer than two items, or what an item adds is undefined). `p` is two-sided,
    `p_adjusted` (Holm) for all that are shown together.
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
    first: Bounds, second: Bounds, strata: NDArray[np.int64], weights: Weights, reported: Reported, seed: int
) -> list[Difference]:
    """Compare scores at their least, in the order of `reported`.

    `strata`: the stratum of each item; `weights`: the bootstrap's. What lacks a column that counts is left out.
    `p_adjusted` is `p` until `adjusted` sets it.
    """
    pairs = {name: common(ends(first, one).low, ends(second, one).low) for name, one in reported.items()}
    wanted = {name: difference(*pairs[name], one) for name, one in reported.items()}
    there = {name: pair for name, pair in wanted.items() if not np.isnan(value_of(*pair))}
    return [
        compared(name, reported[name], pairs[name], there[name], found, strata, seed)
        for name, found in zip(there, drawn(list(there.values()), strata, weights), strict=True)
    ]


def common(first: Scores, second: Scores) -> tuple[Scores, Scores]:
    """Return the scores that both have."""
    apart = np.isnan(first) | np.isnan(second)
    return np.where(apart, np.nan, first), np.where(apart, np.nan, second)


def compared(
    name: str,
    one: Reportable,
    pair: tuple[Scores, Scores],
    apart: tuple[Scores, Reportable],
    found: Drawn,
    strata: NDArray[np.int64],
    seed: int,
) -> Difference:
    """Return the difference in one reported value between two matrices of common scores; `apart`: its own scores."""
    n = counting_items(*apart)
    if isinstance(one, Linear):
        added_first, added_second = (contributions(scores, one.factors) for scores in pair)
        p, added = paired_permutation(added_first, added_second, seed=seed), added_second - added_first
    else:
        p, added = p_of_sums(pair, n, one, seed), np.where(n, found.spread.moved, np.nan)
    low, high = around(found) or (None, None)
    sure = low is not None and np.isfinite(added[n]).all()
    return Difference(
        name=name,
        first=value_of(pair[0], one),
        second=value_of(pair[1], one),
        difference=found.value,
        low=low,
        high=high,
        p=p,
        p_adjusted=p,
        n=int(n.sum()),
        detectable=smallest_detectable_difference(noise(added, strata)) if sure else None,
    )


def p_of_sums(pair: tuple[Scores, Scores], counting: NDArray[np.bool_], one: OfSums, seed: int) -> float:
    """Return the p-value of a difference between functions of sums, over the items that count in both."""
    first, second = (terms_of(scores, one)[counting] for scores in pair)
    return paired_permutation_of_sums(first, second, lambda sums: of_sums(sums, one), seed=seed)


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
