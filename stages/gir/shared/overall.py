"""What is reported of a subset: the mean over its tasks, each weighing the same, however many cases it has."""

from __future__ import annotations

from collections.abc import Mapping

from stages.gir.shared.items import SUBSETS, Subset


def overall(subset: Subset, means: Mapping[str, float]) -> float:
    """Return the mean of a subset's tasks; ValueError unless there is one mean for each: a mean of some is another."""
    tasks = SUBSETS[subset]
    if set(means) != set(tasks):
        raise ValueError(f"{subset} is the mean of {', '.join(tasks)}, not of {', '.join(means) or 'nothing'}")
    return sum(means.values()) / len(tasks)
