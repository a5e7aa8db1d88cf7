"""Measures of agreement between raters of the same answers, each with an interval.

They are functions of sums over items, so that one bootstrap (Efron 1979) gives their intervals: it draws items, each
with the answers of all contestants. The share of equal verdicts has Wilson's interval instead: if all are equal, no
draw differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.scoring.statistics import coefficients
from gamut.evaluation.scoring.statistics.inference import LEVEL, Floats, Interval

Weights = NDArray[np.float32]
"""How often each item was drawn, shape (draws, items)."""
DRAWS = 10_000


class Measure(NamedTuple):
    """A measure of agreement and its 95 % interval, None if there are too few items for one."""

    value: float
    low: float | None
    high: float | None


def measure_alpha(items: Sequence[str], raters: Sequence[Floats], seed: int) -> tuple[int, dict[str, Measure]]:
    scores = np.stack(raters, axis=1)
    kept = coefficients.pairable(scores)
    of_kept = [item for item, counts in zip(items, kept, strict=True) if counts]
    value = value_or_none(coefficients.krippendorff_alpha, scores)
    if value is None:
        return len(of_kept), {}
    alpha = with_bootstrap_interval(
        value, of_kept, coefficients.alpha_terms(scores[kept]), coefficients.alpha_of_sums, seed
    )
    return len(of_kept), {"alpha": alpha}


def measure_pair(
    items: Sequence[str], x: Floats, y: Floats, names: Sequence[str], seed: int
) -> tuple[int, dict[str, Measure]]:
    both = ~(np.isnan(x) | np.isnan(y))
    of_both = [item for item, kept in zip(items, both, strict=True) if kept]
    x, y = x[both], y[both]
    found: dict[str, Measure] = {}
    for name in names:
        if name == SAME:
            if len(x) and np.isin([x, y], (0, 1)).all():  # only for verdicts
                found[name] = measure_share(of_both, x == y)
            continue
        statistic, terms, of_sums = PAIR_STATISTICS[name]
        if (value := value_or_none(statistic, x, y)) is not None:
            found[name] = with_bootstrap_interval(value, of_both, terms(x, y), of_sums, seed)
    return len(of_both), found


def value_or_none(statistic: Callable[..., float], *scores: Floats) -> float | None:
    """Return a statistic of scores; None if it is undefined for them (ValueError)."""
    try:
        return statistic(*scores)
    except ValueError:
        return None


def mean_of_sums(n: Floats, values: Floats) -> Floats:
    return values / n


def measure_share(items: Sequence[str], hits: NDArray[np.bool_]) -> Measure:
    """Return the share of answers that are hits, shape (answers,), with Wilson's interval."""
    of_item = np.unique(np.array(items), return_inverse=True)[1]
    hit = np.bincount(of_item, weights=hits).astype(np.float64)
    n = coefficients.effective_answers(hit, np.bincount(of_item).astype(np.float64))
    value = float(hits.mean())
    return Measure(value, None, None) if n is None else Measure(value, *coefficients.wilson_interval(value * n, n))


PAIR_STATISTICS: Mapping[
    str, tuple[Callable[..., float], Callable[[Floats, Floats], Sequence[Floats]], Callable[..., Floats]]
]
PAIR_STATISTICS = {
    "pearson": (coefficients.pearson, coefficients.moments, coefficients.pearson_of_sums),
    "mae": (coefficients.mean_absolute_error, lambda x, y: (np.ones(len(x)), np.abs(x - y)), mean_of_sums),
    "kappa": (coefficients.weighted_kappa, coefficients.moments, coefficients.kappa_of_sums),
    "alpha": (
        lambda x, y: coefficients.krippendorff_alpha(np.stack([x, y], axis=1)),
        lambda x, y: coefficients.alpha_terms(np.stack([x, y], axis=1)),
        coefficients.alpha_of_sums,
    ),
}
"""For two raters' scores: the statistic, the terms of every answer, and the statistic from the terms' sums."""
SAME = "same"
VERDICT_MEASURES = (SAME, "alpha")


def with_bootstrap_interval(
    value: float, items: Sequence[str], terms: Sequence[Floats], of_sums: Callable[..., Floats], seed: int
) -> Measure:
    """Add the interval. `terms`: of each answer; `of_sums` computes the measure from drawn items' sums."""
    names, of_item = np.unique(np.array(items), return_inverse=True)
    sums: Floats = np.stack(
        [np.bincount(of_item, weights=term, minlength=len(names)).astype(np.float64) for term in terms], axis=1
    )
    if len(names) < 2:
        return Measure(value, None, None)
    with np.errstate(all="ignore"):
        drawn = of_sums(*(item_weights(len(names), seed) @ sums).T)
    drawn = np.where(np.isfinite(drawn), drawn, np.nan)
    undefined = np.isnan(drawn).mean() > 1 - LEVEL  # else the draws that remain would seem to agree
    return Measure(value, *((None, None) if undefined else bootstrap_interval(drawn, len(names))))


def bootstrap_interval(drawn: Floats, items: int, level: float = LEVEL) -> Interval:
    """Return the expanded percentile interval of a statistic from its draws of so many items, at least two. A NaN draw
    does not count. Wider quantiles make up for draws that vary too little (Hesterberg 2015, "What Teachers Should Know
    About the Bootstrap", 5.3).
    """
    from scipy.special import ndtr, stdtrit  # scipy takes longer to import than a stage to start

    outer = ndtr(float(stdtrit(items - 1, (1 - level) / 2)) * sqrt(items / (items - 1)))
    low, high = np.quantile(drawn[~np.isnan(drawn)], [outer, 1 - outer])
    return Interval(float(low), float(high))


@lru_cache(maxsize=2)
def item_weights(items: int, seed: int) -> Weights:
    chance = np.random.default_rng(seed)
    return chance.multinomial(items, np.full(items, 1 / items), size=DRAWS).astype(np.float32)
