"""Trainings of one recipe are random, and items too: a recipe's effect is a mean over both, crossed (Clark 1973, "The
language-as-fixed-effect fallacy"; degrees of freedom by Satterthwaite 1946).

For scores, trainings by items: a training's mean varies by its own effect and a share of the residual, its effect on
single items. An item's mean varies by the item's effect and a share of the residual. Each variance is estimated from
the means. The residual is in both, so it is subtracted once.
"""

from __future__ import annotations

import numpy as np

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.scoring.statistics.inference import Floats, Inferred, StandardError, as_difference

FEWEST = 2
"""Least number of trainings of a recipe: one does not show how they vary."""


def infer_over_trainings(*groups: Floats, ends: Scale | None = None, taken_off: int = 1) -> Inferred | None:
    """Return the mean of one group of scores, shape (trainings, items), or the second's minus the first's on the same
    items. Items are paired, trainings are not (Welch 1947). None if a group has one training.

    An item that lacks a score in any training does not count. With one item, such as a loss, the mean is over trainings
    only. `ends`: its least and greatest possible value. `taken_off`: how many means, such as of strata, were subtracted
    from items. If nothing varies, it is as certain as for so many items as there are trainings.
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
    """Return the residual variance of the group's mean (not trainings, not items), with its degrees of freedom."""
    apart = group - group.mean(axis=1, keepdims=True) - group.mean(axis=0) + group.mean()
    degrees = (len(group) - 1) * free
    return float((apart**2).sum()) / degrees / group.size, degrees
