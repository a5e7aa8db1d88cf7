"""GapEval's gap as the released code computes it, and the points of its map of gaps (Fig. 3).

The released gap is a joint fit of a model's categories, stopped after a fixed number of steps, in single precision
(appendix A of the paper, as far as the released code follows it). AdamW minimises over a model's abilities θ
(categories, 2) in text and picture, the tasks' difficulties β (2,), the abilities' mean μ (2,) and the Cholesky factor
L of their covariance:

    Bernoulli NLL of σ(θ - β) + ½ Σ (θ - μ)ᵀ(LLᵀ)⁻¹(θ - μ) + categories · Σ log diag L + .001 (|β|² + |μ|²)

This has no well-determined minimum. The result is where the steps end: it depends on their number, the precision and
the seventh digit of the start (docs/intervals.md says by how much). No ranking should rest on it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

from gamut.evaluation.scoring.estimates import round_value
from gamut.project.files import read_metrics, write_csv, write_json
from stages.gapeval.shared.benchmark import GAPEVAL, Params
from stages.gapeval.shared.gap import gap, joint_shares
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.metrics import BOTH_SETTINGS

UND, GEN, GAP = "und", "gen", "gap"
SHARES = ("succ", UND, GEN)
"""Shares right in both settings, in words, and as a picture, in percent."""
MAP_COLUMNS = ("judge", "contestant", "category", UND, GEN, GAP)
"""The columns of gap_map.csv, which `dvc plots` draws (Fig. 3)."""
Values = Mapping[tuple[str, str], float]
"""The values of one contestant, by category and score."""


def released(params: Params) -> None:
    judges, folder = params.gapeval.judges, GAPEVAL.metrics_folder(params)
    values = {judge: values_by_contestant(params, judge) for judge in judges}
    write_csv(
        folder / "gap_map.csv", MAP_COLUMNS, (point for judge in judges for point in map_points(judge, values[judge]))
    )
    by_release = {f"{judge}.{key}": one for judge in judges for key, one in released_gaps(values[judge])}
    write_json(folder / "released.json", by_release)
    print(f"{GAPEVAL.name}.board: gap_map.csv and released.json are in {folder}")


def values_by_contestant(params: Params, judge: str) -> dict[str, Values]:
    values: dict[str, Values] = {}
    for name in params.gapeval.contestants:
        path = GAPEVAL.metrics_of(params, name)
        metrics = read_metrics(path, beside=str)
        keys = {(of, score): f"{BOTH_SETTINGS}.{judge}.{of}.{score}" for of in CATEGORIES for score in (*SHARES, GAP)}
        values[name] = {place: metrics[key] for place, key in keys.items() if key in metrics}
    return values


def map_points(judge: str, by_contestant: Mapping[str, Values]) -> Iterator[tuple[object, ...]]:
    """Yield a row of the map for each contestant and category with both scores and a gap."""
    for name, values in by_contestant.items():
        for category in CATEGORIES:
            own = [values[category, score] for score in (UND, GEN, GAP) if (category, score) in values]
            if len(own) == 3:
                yield judge, name, category, *own


def released_gaps(by_contestant: Mapping[str, Values]) -> Iterator[tuple[str, float]]:
    """Yield released gaps, 0..100, by category and `overall`, and the `place`: the paper ranks the lowest first.

    A contestant without a score in some category is left out.
    """
    needed = [(category, score) for category in CATEGORIES for score in SHARES]
    complete = {name: values for name, values in by_contestant.items() if values.keys() >= {*needed}}
    if not complete:
        return
    shares = np.array([[values[place] for place in needed] for values in complete.values()]) / 100
    both, text, picture = np.moveaxis(shares.reshape(len(complete), len(CATEGORIES), len(SHARES)), -1, 0)
    cells = joint_shares(both, text, picture)
    gaps = 100 * released_gap(cells / cells.sum(axis=-1, keepdims=True))  # from rounded values: .83333, .91667, .91667
    overall = gaps.mean(axis=1)
    for name, own, mean in zip(complete, gaps.tolist(), overall.tolist(), strict=True):
        yield from ((f"{name}.{category}", round_value(one)) for category, one in zip(CATEGORIES, own, strict=True))
        yield f"{name}.overall", round_value(mean)
        yield f"{name}.place", 1 + int((overall < mean).sum())


Floats = NDArray[np.float64]
Numbers = NDArray[Any]
"""Numbers in the precision of the fit."""
STEPS = 2_000
OBSERVATIONS = 1_000.0
"""The weight of all samples of a category together, whatever their number."""
CLIPPED = 1e-5
RATE, DECAY = 0.05, 1e-4
FIRST_MEMORY, SECOND_MEMORY, STABLE = 0.9, 0.999, 1e-8
"""AdamW's two decay rates, and the term that prevents division by 0."""
RIDGE = 1e-3
START = (0.1, 0.05, 0.1)
"""L before softplus on its diagonal: upper left, lower left, lower right."""
FLOOR = 1e-4


def released_gap(shares: Floats) -> Floats:
    """Return the released gaps, 0..1, shape (…, categories), from each category's joint shares p11, p10, p01, p00,
    shape (…, categories, 4): both settings right, text only, picture only, neither. Each model is fitted alone.
    """
    return gaps_of_fit(fit_abilities(shares, np.float32, STEPS), shares)


def gaps_of_fit(theta: Numbers, shares: Floats) -> Floats:
    return gap(theta[..., 0].astype(np.float64) - theta[..., 1], shares[..., 3], shares[..., 0])


def fit_abilities(shares: Floats, precision: DTypeLike, steps: int) -> Numbers:
    """Return the abilities with the lowest loss in this many steps, as released, shape (…, categories, 2)."""
    models, categories = shares.shape[:-2], shares.shape[-2]
    # categories, settings, models
    right = np.moveaxis((shares[..., :1] + shares[..., 1:3]).reshape(-1, categories, 2), 0, -1)
    chances = np.clip(right, CLIPPED, 1 - CLIPPED)
    start, counts = np.log(chances / (1 - chances)), right * OBSERVATIONS
    best = descend(start.astype(precision), counts.astype(precision), steps)
    return np.moveaxis(best, -1, 0).reshape(*models, categories, 2)


def descend(theta: Numbers, right: Numbers, steps: int) -> Numbers:
    """Return the best abilities after this many steps. `theta`, `right`: abilities at the start and numbers of right
    judgments, shape (categories, 2, fits). Every sum has a fixed order, whatever the number of fits.
    """
    precision, (categories, _, fits) = theta.dtype.type, theta.shape
    size = 2 * categories
    values = np.concatenate(
        [
            theta.reshape(size, fits),
            np.zeros((2, fits), precision),
            running_total(theta) / precision(categories),
            np.repeat(np.array(START, precision)[:, None], fits, axis=1),
        ]
    )
    first, second = np.zeros_like(values), np.zeros_like(values)
    best, lowest = values[:size].copy(), np.full(fits, np.inf, precision)
    for step in range(1, steps + 1):
        losses, slope = loss_and_slope(values, right)
        first *= precision(FIRST_MEMORY)
        first += precision(1 - FIRST_MEMORY) * slope
        second *= precision(SECOND_MEMORY)
        second += precision(1 - SECOND_MEMORY) * slope * slope
        values *= precision(1 - RATE * DECAY)
        width = np.sqrt(second) / precision(np.sqrt(1 - SECOND_MEMORY**step)) + precision(STABLE)
        values -= precision(RATE / (1 - FIRST_MEMORY**step)) * first / width
        better = losses < lowest
        lowest = np.where(better, losses, lowest)
        np.copyto(best, values[:size], where=better)
    return best.reshape(categories, 2, fits)


def loss_and_slope(values: Numbers, right: Numbers) -> tuple[Numbers, Numbers]:
    """Return the loss of each fit, shape (fits,), and its slope in every value, (values, fits)."""
    precision, (categories, _, fits) = values.dtype.type, right.shape
    size = 2 * categories
    theta, beta, mean, raw = values[:size].reshape(right.shape), values[size : size + 2], values[-5:-3], values[-3:]
    logits = theta - beta
    misses = np.exp(-np.abs(logits))
    likelihood = precision(OBSERVATIONS) * (np.maximum(logits, 0) + np.log1p(misses)) - right * logits
    chances = np.where(logits >= 0, precision(1), misses) / (1 + misses)
    off = precision(OBSERVATIONS) * chances - right

    diagonal, below = np.log1p(np.exp(raw[::2])) + precision(FLOOR), raw[1]
    apart = theta - mean
    left = apart[:, 0] / diagonal[0]
    lower = (apart[:, 1] - below * left) / diagonal[1]
    pull_lower = lower / diagonal[1]
    pull = np.stack([(left - below * pull_lower) / diagonal[0], pull_lower], axis=1)

    losses = running_total(running_total(likelihood)) + precision(0.5) * running_total(left * left + lower * lower)
    losses = losses + precision(categories) * running_total(np.log(diagonal))
    losses = losses + precision(RIDGE) * (running_total(beta * beta) + running_total(mean * mean))
    slope = np.empty_like(values)
    slope[:size] = (off + pull).reshape(size, fits)
    slope[size : size + 2] = precision(2 * RIDGE) * beta - running_total(off)
    slope[-5:-3] = precision(2 * RIDGE) * mean - running_total(pull)
    bends = 1 / (1 + np.exp(-raw[::2]))
    slope[-3] = (precision(categories) / diagonal[0] - running_total(pull[:, 0] * left)) * bends[0]
    slope[-2] = -running_total(pull[:, 1] * left)
    slope[-1] = (precision(categories) / diagonal[1] - running_total(pull[:, 1] * lower)) * bends[1]
    return losses, slope


def running_total(numbers: Numbers) -> Numbers:
    """Return the sum over the first axis, added from its start: NumPy's order depends on the shape."""
    return np.add.accumulate(numbers, axis=0)[-1]
