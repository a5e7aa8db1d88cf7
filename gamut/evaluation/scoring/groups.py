"""Contestants that are trainings of one recipe, together: their ranking value on a benchmark's headline board, as a
mean over trainings and items, and the difference of two recipes.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Metric, Resampled, Scale, ends_of
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.scoring import values
from gamut.evaluation.scoring.pairwise import (
    Entrant,
    EntrantScores,
    bounds_of_items,
    read_entrant_scores,
    unlike_settings,
)
from gamut.evaluation.scoring.statistics.inference import Floats, interval, sampling_strata
from gamut.evaluation.scoring.statistics.trainings import FEWEST, infer_over_trainings
from gamut.evaluation.scoring.verdicts import AHEAD, BEHIND, LEVEL, UNKNOWN
from gamut.project.errors import UserError
from gamut.project.pipeline import PARAMS, value_at
from gamut.project.plain_text import decimals
from gamut.project.validation import read_yaml


class OverTrainings(NamedTuple):
    """A mean, or the second group's mean minus the first's, and its 95 % interval. `why`: why there is no interval.
    `trainings`: of each group.
    """

    value: float | None
    low: float | None = None
    high: float | None = None
    trainings: Sequence[int] = ()
    items: int = 0
    why: str = ""

    def __str__(self) -> str:
        if self.low is None or self.high is None or self.value is None:
            return f"{UNKNOWN if self.value is None else decimals(self.value, 3)}: {self.why}"
        word = "" if len(self.trainings) == 1 else f"{AHEAD if self.low > 0 else BEHIND if self.high < 0 else LEVEL} "
        ends = f"{decimals(self.value, 3)} [{decimals(self.low, 3)}, {decimals(self.high, 3)}]"
        many = " against ".join(map(str, reversed(self.trainings))) + " trainings"
        return f"{word}{ends}, {many}" + (f" and {self.items:,} items" if self.items > 1 else "")


def over_trainings(*groups: Floats, ends: Scale | None = None, taken_off: int = 1) -> OverTrainings:
    """Return the mean of one group, or the second's minus the first's, each of shape (trainings, items). `ends`: of one
    group's values. A group with one training has no interval, and no difference.
    """
    several, counts, items = len(groups) > 1, [*map(len, groups)], groups[0].shape[1]
    if several and ends is not None:
        ends = Scale(ends.lowest - ends.highest, ends.highest - ends.lowest)
    found = infer_over_trainings(*groups, ends=ends, taken_off=taken_off)
    if found is None or (between := interval(found)) is None:
        why = "too few items" if found is None else "nothing varies"
        why = "one training does not show how trainings vary" if min(counts) < FEWEST else why
        return OverTrainings(None if several else float(groups[0].mean()), None, None, counts, items, why)
    return OverTrainings(found.value, *between, counts, items)


def compare_groups(benchmark: AnyBenchmark, params: Params, *groups: Sequence[Entrant]) -> OverTrainings:
    """Return the same for the ranking value of the headline board. All trainings of a group must be comparable: one
    that is not may be an effect of the recipe. An item does not count if one of them lacks its score.
    """
    metric, judge = benchmark.headline(params)
    try:
        everybody = [read_entrant_scores(entrant, benchmark, params) for group in groups for entrant in group]
        scores, strata = common_scores(benchmark, metric, judge, everybody)
    except UserError as error:
        return OverTrainings(None, why=str(error))
    stacked = np.split(scores, np.cumsum([len(group) for group in groups])[:-1])
    ends = ends_of(metric, benchmark.measures).get(metric.shown[0])
    return over_trainings(*stacked, ends=ends, taken_off=len(np.unique(sampling_strata(strata))))


def common_scores(
    benchmark: AnyBenchmark, metric: Metric, judge: str, everybody: Sequence[EntrantScores]
) -> tuple[Floats, NDArray[np.int64]]:
    """Return the value if all items moved it as each one does, less the means of strata, shape (entrants, items), and
    the strata. The mean over items is the value itself. UserError for contestants that cannot be compared.
    """
    one, place = metric.reported[metric.shown[0]], (metric.name, judge)
    if isinstance(one, Resampled):
        raise UserError(f"{metric.shown[0]} is resampled, so trainings cannot be compared by it")
    for scored in everybody:
        if (laid := scored.laid.get(place)) is None or laid.too_little or place in scored.failed:
            lacks = laid and (laid.too_little or f"{judge} failed its validation")
            raise UserError(f"{scored.entrant}: {lacks or f'no scores of {metric.name} by {judge}'}")
        for (setting, by), unlike in unlike_settings(benchmark, [metric], everybody[0], scored):
            if by == judge and setting in metric.settings:
                raise UserError(f"{setting}: {unlike}")
        ours, theirs = ways_of_asking(everybody[0].entrant), ways_of_asking(scored.entrant)
        if apart := sorted(key for key in ours | theirs if ours.get(key) != theirs.get(key)):
            raise UserError(f"{scored.entrant} and {everybody[0].entrant} are asked in different ways ({apart[0]})")
    strata_of = [scored.laid[place].strata for scored in everybody]
    items = [item for item in strata_of[0] if all(item in of for of in strata_of)]
    found = np.stack([values.least_scores(bounds_of_items(scored.laid[place], items), one) for scored in everybody])
    found[:, np.isnan(found).any(axis=0)] = np.nan
    counting = ~np.isnan(found).all(axis=(0, 2))
    strata = np.array([benchmark.strata.index(strata_of[0][item]) for item in items], np.int64)[counting]
    rows = []
    for own in found[:, counting]:
        moved = values.movement_within_strata(values.movement(own, strata, one), strata)
        rows.append(values.value_of(own, one) + len(own) * moved)
    if not len(strata) or np.isnan(rows).any():
        raise UserError(f"in a column that counts, no item has scores of all {len(everybody)} contestants")
    return np.stack(rows), strata


def ways_of_asking(entrant: Entrant) -> dict[str, Any]:
    """Return a contestant's parameters without its weights, and without parameters that change no answer."""
    block = value_at(read_yaml(entrant.get(PARAMS)), f"contestants.{entrant.contestant}")
    model = block.get("model") or {}
    ways = block | model | {"weight": (model.get("adapter") or {}).get("weight", 1)}
    aside = {"model", "id", "revision", "adapter", "variant_of", "max_failures"}
    return {key: ways[key] for key in ways.keys() - aside}
