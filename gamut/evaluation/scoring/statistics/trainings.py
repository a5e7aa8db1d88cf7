"""Trainings of one recipe are draws, and items too: what a recipe does is a mean over both, crossed (Clark 1973, "The
language-as-fixed-effect fallacy"; degrees of freedom by Satterthwaite 1946).

Of scores, trainings by items, a training's mean varies by its own effect and a share of what is left over, which is its
effect on single items; an item's mean by the item's effect and a share of the same. Each variance is estimated from the
means, and what is left over, which is in both, is taken off once.
"""

from __future__ import annotations

import numpy as np

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.scoring.statistics.inference import Floats, Inferred, StandardError, as_difference

FEWEST = 2
"""Trainings of a recipe: one tells nothing of another."""


def infer_over_trainings(*groups: Floats, ends: Scale | None = None, taken_off: int = 1) -> Inferred | None:
    """Return the mean of one group of scores, shape (trainings, items), or the second's less the first's on the same
    items, which are paired, while trainings are not (Welch 1947). None where a group has one training.

    An item that lacks a score in any training does not count. Of one item, such as a loss, it is over trainings alone.
    `ends`: the least and the most that it can be. `taken_off`: of how many means, such as of strata, items have been
    rid. Where nothing varies it is as sure as of so many items as there are trainings.
    """
    there = ~np.isnan(np.concatenate(groups)).any(axis=0)
    groups = tuple(group[:, there] for group in groups)
    fewest, items = min(map(len, groups)), int(there.sum())
    if fewest < FEWEST or not items or 1 < items <= taken_off:
        return None
    means = [group.mean(axis=0) for group in groups]
    of_items = means[-1] - (means[0] if len(groups) > 1 else 0)
    value = float(of_items.mean())
    parts = [(group.mean(axis=1).var(ddof=1) / len(group), len(group) - 1) for group in groups]
    variance = by_trainings = sum(part for part, _ in parts)
    if items > 1:
        free = items - taken_off
        by_items = float(((of_items - value) ** 2).sum()) / free / items
        left = [left_over(group, free) for group in groups]
        variance = max(by_trainings, by_items, by_trainings + by_items - sum(part for part, _ in left))
        parts += [(by_items, free), *left]
    degrees = variance**2 / sum(part**2 / of for part, of in parts) if variance else fewest - 1
    error = StandardError(float(np.sqrt(variance)), float(degrees))
    found = Inferred(value, error, min(fewest, items) if items > 1 else fewest, ends)
    return as_difference(found) if len(groups) > 1 else found


def left_over(group: Floats, free: int) -> tuple[float, int]:
    """Return what neither trainings nor items account for, as a variance of the group's mean, with its degrees."""
    apart = group - group.mean(axis=1, keepdims=True) - group.mean(axis=0) + group.mean()
    degrees = (len(group) - 1) * free
    return float((apart**2).sum()) / degrees / group.size, degrees
