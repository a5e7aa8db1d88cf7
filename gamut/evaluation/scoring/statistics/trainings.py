"""Trainings of one recipe are draws, and items too: what a recipe does is a mean over both, crossed (Clark 1973, "The
language-as-fixed-effect fallacy"; degrees of freedom by Satterthwaite 1946).

Of y, trainings by items, a training's mean varies by its own effect and by a share of what is left over (its effect on
single items), an item's mean by the item's effect and a share of the same. Each variance is estimated from the means,
and what is left over, which both have in them, is taken off once.
"""

from __future__ import annotations

import numpy as np

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.scoring.statistics.inference import Floats, Inferred, StandardError, as_difference

FEWEST = 2
"""Trainings of a recipe: one tells nothing of another."""


def infer_mean(scores: Floats, ends: Scale | None = None, taken_off: int = 1) -> Inferred | None:
    """Return the mean of scores, shape (trainings, items), over trainings and items; None of fewer than two trainings.

    Of one item (a loss) over trainings alone. An item without a score in any training does not count. `taken_off`: how
    many means of items, such as of strata, scores have been rid of. Where nothing varies it is as sure as of so many
    items as there are trainings.
    """
    return infer([scores], ends, taken_off)


def infer_difference(first: Floats, second: Floats, ends: Scale | None = None, taken_off: int = 1) -> Inferred | None:
    """Return the second's mean less the first's, on the same items; `ends`: of the difference. Items are paired, and
    trainings are not (Welch 1947).
    """
    found = infer([second, first], ends, taken_off)
    return found and as_difference(found)


def infer(groups: list[Floats], ends: Scale | None, taken_off: int) -> Inferred | None:
    there = ~np.isnan(np.concatenate(groups)).any(axis=0)
    groups = [group[:, there] for group in groups]
    fewest, items = min(map(len, groups)), int(there.sum())
    if fewest < FEWEST or not items or 1 < items <= taken_off:
        return None
    signs = [1, -1][: len(groups)]
    of_items = sum(sign * group.mean(axis=0) for sign, group in zip(signs, groups, strict=True))
    value = float(np.mean(of_items))
    parts = [(group.mean(axis=1).var(ddof=1) / len(group), len(group) - 1) for group in groups]
    variance = by_trainings = sum(part for part, _ in parts)
    if items > 1:
        free = items - taken_off
        by_items = float(((of_items - value) ** 2).sum()) / free / items
        left = [
            (left_over(group) / (len(group) - 1) / free / len(group) / items, (len(group) - 1) * free)
            for group in groups
        ]
        variance = max(by_trainings, by_items, by_trainings + by_items - sum(part for part, _ in left))
        parts += [(by_items, free), *left]
    degrees = variance**2 / sum(part**2 / of for part, of in parts) if variance else float(fewest - 1)
    error = StandardError(float(np.sqrt(variance)), float(degrees))
    return Inferred(value, error, min(fewest, items) if items > 1 else fewest, ends)


def left_over(group: Floats) -> float:
    """Return the sum of squares that neither trainings nor items account for."""
    apart = group - group.mean(axis=1, keepdims=True) - group.mean(axis=0) + group.mean()
    return float((apart**2).sum())
