"""Measures of agreement between raters of the same answers, each with an interval.

They are functions of sums over items, so that one bootstrap (Efron 1979) gives their intervals: it draws items, each
with the answers of all contestants. The share of equal verdicts has Wilson's: where all are equal no draw differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache
from math import sqrt
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.scoring.statistics.coefficients import (
    alpha_of_sums,
    alpha_terms,
    kappa_of_sums,
    krippendorff_alpha,
    mean_absolute_error,
    moments,
    pairable,
    pearson,
    pearson_of_sums,
    weighted_kappa,
)
from gamut.evaluation.scoring.statistics.inference import LEVEL, Interval
from gamut.evaluation.scoring.statistics.wilson import as_many_independent, wilson_interval

Floats = NDArray[np.float64]
Weights = NDArray[np.float32]
"""How often each item was drawn, shape (draws, items)."""
DRAWS = 10_000


class Measured(NamedTuple):
    """A measure of agreement and its 95 % interval (None where there are too few items for one)."""

    value: float
    low: float | None
    high: float | None


def together(items: Sequence[str], raters: Sequence[Floats], seed: int) -> tuple[int, dict[str, Measured]]:
    scores = np.stack(raters, axis=1)
    kept = pairable(scores)
    of_kept = [item for item, counts in zip(items, kept, strict=True) if counts]
    value = defined(krippendorff_alpha, scores)
    if value is None:
        return len(of_kept), {}
    alpha = measured(value, of_kept, alpha_terms(scores[kept]), alpha_of_sums, seed)
    return len(of_kept), {"alpha": alpha}


def paired(
    items: Sequence[str], x: Floats, y: Floats, names: Sequence[str], seed: int
) -> tuple[int, dict[str, Measured]]:
    both = ~(np.isnan(x) | np.isnan(y))
    of_both = [item for item, kept in zip(items, both, strict=True) if kept]
    x, y = x[both], y[both]
    found: dict[str, Measured] = {}
    for name in names:
        statistic = share_of_same if name == SAME else PAIRED[name][0]
        value = defined(statistic, x, y)
        if value is not None:
            found[name] = share(of_both, x == y) if name == SAME else around(name, value, of_both, x, y, seed)
    return len(of_both), found


def around(name: str, value: float, items: Sequence[str], x: Floats, y: Floats, seed: int) -> Measured:
    _, terms, of_sums = PAIRED[name]
    return measured(value, items, terms(x, y), of_sums, seed)


def defined(statistic: Callable[..., float], *scores: Floats) -> float | None:
    """Return a statistic of scores; None where it says (ValueError) that these scores leave it undefined."""
    try:
        return statistic(*scores)
    except ValueError:
        return None


def mean_of_sums(n: Floats, values: Floats) -> Floats:
    return values / n


def share(items: Sequence[str], hits: NDArray[np.bool_]) -> Measured:
    """Return the share of answers that are hits, shape (answers,), with Wilson's interval."""
    of_item = np.unique(np.array(items), return_inverse=True)[1]
    hit = np.bincount(of_item, weights=hits).astype(np.float64)
    n = as_many_independent(hit, np.bincount(of_item).astype(np.float64))
    value = float(hits.mean())
    return Measured(value, None, None) if n is None else Measured(value, *wilson_interval(value * n, n))


def share_of_same(x: Floats, y: Floats) -> float:
    """Return the share of equal verdicts, 0..1; ValueError where some score is neither 0 nor 1, or there are none."""
    if not len(x) or not np.isin([x, y], (0, 1)).all():
        raise ValueError("verdicts are 0 or 1")
    return float((x == y).mean())


PAIRED: Mapping[str, tuple[Callable[..., float], Callable[[Floats, Floats], Sequence[Floats]], Callable[..., Floats]]]
PAIRED = {
    "pearson": (pearson, moments, pearson_of_sums),
    "mae": (mean_absolute_error, lambda x, y: (np.ones(len(x)), np.abs(x - y)), mean_of_sums),
    "kappa": (weighted_kappa, moments, kappa_of_sums),
    "alpha": (
        lambda x, y: krippendorff_alpha(np.stack([x, y], axis=1)),
        lambda x, y: alpha_terms(np.stack([x, y], axis=1)),
        alpha_of_sums,
    ),
}
"""Of two raters' scores: the statistic, the terms of every answer, and the statistic again from the terms' sums."""
SAME = "same"
VERDICTS = (SAME, "alpha")
"""Measures of verdicts alone."""


def measured(
    value: float, items: Sequence[str], terms: Sequence[Floats], of_sums: Callable[..., Floats], seed: int
) -> Measured:
    """Return a measure with its interval: in each draw of items it follows from the sums of the answers' terms."""
    names, of_item = np.unique(np.array(items), return_inverse=True)
    sums: Floats = np.stack(
        [np.bincount(of_item, weights=term, minlength=len(names)).astype(np.float64) for term in terms], axis=1
    )
    if len(names) < 2:
        return Measured(value, None, None)
    with np.errstate(all="ignore"):
        drawn = of_sums(*(item_weights(len(names), seed) @ sums).T)
    drawn = np.where(np.isfinite(drawn), drawn, np.nan)
    return Measured(value, *((None, None) if np.isnan(drawn).all() else interval(drawn, len(names))))


def interval(drawn: NDArray[np.float64], items: int, level: float = LEVEL) -> Interval:
    """Return the expanded percentile interval of a statistic from its draws of so many items, two at least: quantiles
    further out make up for draws that vary too little (Hesterberg 2015, "What Teachers Should Know About the
    Bootstrap", 5.3).
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


@lru_cache(maxsize=2)
def item_weights(items: int, seed: int) -> Weights:
    chance = np.random.default_rng(seed)
    return chance.multinomial(items, np.full(items, 1 / items), size=DRAWS).astype(np.float32)
