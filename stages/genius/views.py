"""What is reported of GENIUS: 6 : 3.5 : 0.5 of three measures, each averaged over all items that have it (section 3).

Table 2's overall is micro: an item counts as much as any other, whatever its task, and a measure over those items alone
that are judged for it. Weights are not made to add up to 1 where a task has no visual consistency: multi_semantic comes
to 65 of 100 at most.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from stages.evaluation.defining.measures import Column, Linear, Scale, View
from stages.genius.shared.items import ALL, DIMENSIONS, SUB_TASKS, TASKS

WEIGHTS: Mapping[str, float] = {"rule_compliance": 0.6, "visual_consistency": 0.35, "aesthetic_quality": 0.05}
MEASURES = {measure: Scale(0, 2) for measure in WEIGHTS}
WITHOUT_CONSISTENCY = "multi_semantic"
"""The task of which no item has a hint for visual consistency."""
KINDS = tuple(kind for task in TASKS for kind in SUB_TASKS[task])


def of_side(side: str) -> View:
    """Return the view of one side, 0..100: `overall`, each measure over all items, each dimension and task, and, of
    dimensions, tasks and sub-tasks, each measure by itself, as `<group>.<measure>`.
    """
    groups = (ALL, *DIMENSIONS, *TASKS, *KINDS)
    columns = [Column(group, side, measure) for group in groups for measure in MEASURES]

    def weighted(group: str, weights: Mapping[str, float]) -> Linear:
        return Linear(
            np.array(
                [
                    100 / MEASURES[column.measure].highest * weights.get(column.measure, 0.0) * (column.group == group)
                    for column in columns
                ]
            )
        )

    reported = {"overall": weighted(ALL, WEIGHTS)} | {measure: weighted(ALL, {measure: 1}) for measure in MEASURES}
    reported |= {group: weighted(group, weights_of(group)) for group in (*DIMENSIONS, *TASKS)}
    alone = [column for column in columns if column.group != ALL]
    reported |= {f"{column.group}.{column.measure}": weighted(column.group, {column.measure: 1}) for column in alone}
    return View(side, (side,), columns, reported, ("overall", *MEASURES), TASKS)


def weights_of(group: str) -> Mapping[str, float]:
    """Return the weights of the measures of a group: the same, but for the measure that its items do not have."""
    if group != WITHOUT_CONSISTENCY:
        return WEIGHTS
    return {measure: weight for measure, weight in WEIGHTS.items() if measure != "visual_consistency"}
