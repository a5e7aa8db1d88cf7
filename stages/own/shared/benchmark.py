"""What a benchmark of one's own is: items as a file has them, each put once as it is.

An item's score is the mean of what its answer is judged for, in percent of each scale, and what is reported are means
over items: of all, and of each of the groups that items name. So the metrics follow from the items of the edition.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining import parameters
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.editions import read_edition
from gamut.evaluation.defining.measures import Column, Linear, Metric, OfSums, Scale
from gamut.evaluation.defining.parameters import BenchmarkParameters
from gamut.evaluation.defining.questions import Prompt
from stages.own.shared.items import ALL, MEASURES, SETTING, WANTED, WAYS, OwnItem, way_of
from stages.own.shared.judging import judge_questions, right_answer, task_parts

NAME = "own"


class Own(BenchmarkParameters):
    """Its block in params.yaml. How answers are judged stands in the items, and so in the frozen edition."""


class Params(parameters.Params):
    own: Own


def groups(item: OwnItem) -> Sequence[str]:
    return (ALL, *item.groups)


def metric(items: Sequence[OwnItem]) -> Metric:
    there = dict.fromkeys((group, measure) for item in items for group in groups(item) for measure in item.measures)
    measures = [measure for measure in MEASURES if (ALL, measure) in there]
    columns = [Column(group, SETTING, measure) for group, measure in there]
    named = list(dict.fromkeys(group for item in items for group in item.groups))
    reported: dict[str, Linear | OfSums] = {"overall": mean_over(items, ALL, columns)}
    if len(measures) > 1:
        reported |= {measure: mean_of(columns, ALL, [measure]) for measure in measures}
    shown = tuple(reported)
    reported |= {group: mean_over(items, group, columns) for group in named}
    return Metric(SETTING, (SETTING,), columns, reported, shown, tuple(named))


def mean_over(items: Sequence[OwnItem], group: str, columns: Sequence[Column]) -> Linear | OfSums:
    """Return the mean over items of what each is judged for, 0..100; a ratio of sums where items are judged unlike."""
    alike = {item.measures for item in items if group in groups(item)}
    if len(alike) == 1:
        return mean_of(columns, group, *alike)
    own = [place for place, column in enumerate(columns) if column.group == group]
    percent = np.array([100 / MEASURES[columns[place].measure].highest for place in own])

    def terms(scores: NDArray[np.float64]) -> NDArray[np.float64]:
        shares = scores[:, own] * percent
        there = ~np.isnan(shares)
        of_item = np.where(there, shares, 0).sum(axis=1) / np.maximum(1, there.sum(axis=1))
        return np.where(there.any(axis=1, keepdims=True), np.stack([of_item, np.ones(len(scores))], axis=1), np.nan)

    return OfSums(terms, lambda sums: sums[..., 0] / sums[..., 1], Scale(0, 100))


def mean_of(columns: Sequence[Column], group: str, measures: Sequence[str]) -> Linear:
    counting = [column.group == group and column.measure in measures for column in columns]
    shares = [100 / MEASURES[column.measure].highest / len(measures) for column in columns]
    return Linear(np.array(counting) * np.array(shares))


OWN: Benchmark[Own, OwnItem] = Benchmark(
    name=NAME,
    title="Own benchmark",
    params=Params,
    item=OwnItem,
    settings=lambda block: (SETTING,),
    prompt=lambda block, item, setting, pictures: Prompt(task_parts(item, pictures), WANTED[item.answer]),
    strata=WAYS,
    stratum=lambda item: way_of(item.measures),
    groups=groups,
    measures=MEASURES,
    judge_questions=lambda block, item, setting: judge_questions(item, setting),
    metrics=lambda block: [metric(read_edition(NAME, block.edition, OwnItem))],
    reference=right_answer,
)
