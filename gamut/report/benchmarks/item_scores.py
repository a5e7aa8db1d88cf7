"""Scores of items, as shares of their scales, and the orders in which pages go through items."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import combinations, groupby
from operator import itemgetter
from statistics import fmean
from typing import NamedTuple

from gamut.evaluation.defining.measures import Linear, Metric, Scale
from gamut.evaluation.scoring.pairwise import TIE_DECIMALS
from gamut.tables.columns import Row, grouped

SCORE_IN_WORDS = (
    "A score is 0 to 100: the mean of the measures that count in the ranking value, each as a share of its scale and "
    "with its weight there; if none counts, of all measures."
)
ORDERS_IN_WORDS = {
    "edition": "in the order of the edition",
    "lowest": "by the mean score over contestants, judges and settings, the lowest first; a missing score counts as "
    "the scale's lowest",
    "disagree": "by how far judges differ about the same contestant's answers, on average over pairs of judges, "
    "contestants and settings, the farthest first; only scored answers count",
    "failed": "items with missing answers, or judgements without a value, the most first",
}
"""How each order is computed. Items with ties are in the edition's order."""
TITLES = {"edition": "edition order", "lowest": "lowest first", "disagree": "judges disagree most", "failed": "failed"}


class Score(NamedTuple):
    """A score, 0..100. In `least` a missing score counts as the lowest; `scored` uses only existing scores."""

    setting: str
    judge: str
    contestant: str
    least: float | None
    scored: float | None


class Summary(NamedTuple):
    """Scores of an item, 0..100. `disagreement` is between judges; `missing` counts missing things."""

    lowest: float | None
    mean: float | None
    disagreement: float | None
    missing: int


def weights(
    metrics: Iterable[Metric], measures: Mapping[str, Scale], setting: str, groups: Sequence[str]
) -> Mapping[str, float]:
    """Return the weight of each measure of an item in these groups in the ranking value of a setting. It comes from the
    first metric of this setting alone, otherwise from the first metric that includes it; empty if there is none.
    """
    for metric in sorted(metrics, key=lambda metric: metric.settings != (setting,)):
        ranking = metric.reported[metric.shown[0]]
        if setting in metric.settings and isinstance(ranking, Linear):
            found: dict[str, float] = {}
            for column, factor in zip(metric.columns, ranking.factors, strict=True):
                if factor > 0 and column.setting == setting and column.group in groups:
                    lowest, highest = measures[column.measure]
                    found[column.measure] = found.get(column.measure, 0.0) + float(factor) * (highest - lowest)
            return found
    return {}


def scores_of(
    contestant: str, rows: Iterable[Row], metrics: Sequence[Metric], measures: Mapping[str, Scale]
) -> Iterator[tuple[str, Score]]:
    """Yield scores by item from a table of scores, in which rows of an item, setting and judge are adjacent."""
    of_kind: dict[tuple[str, tuple[str, ...]], Mapping[str, float]] = {}
    for (item, setting, judge), same in groupby(rows, itemgetter("item", "setting", "judge")):
        own = list(same)
        kind = setting, tuple(own[0]["groups"])
        if kind not in of_kind:
            of_kind[kind] = weights(metrics, measures, *kind)
        least = share(own, "low", measures, of_kind[kind])
        yield item, Score(setting, judge, contestant, least, share(own, "value", measures, of_kind[kind]))


def share(rows: Sequence[Row], of: str, measures: Mapping[str, Scale], weight: Mapping[str, float]) -> float | None:
    """Return the weighted mean over measures of the shares of their scales, 0..100; None without rows. If no measure
    has a weight, all weigh the same.
    """
    there = [row for row in rows if row.get(of) is not None and row["measure"] in measures]
    counting = [row for row in there if weight.get(row["measure"])] or there
    total = sum(weight.get(row["measure"]) or 1.0 for row in counting)
    parts = (
        (weight.get(row["measure"]) or 1.0) * (row[of] - lowest) / (highest - lowest)
        for row in counting
        for lowest, highest in [measures[row["measure"]]]
    )
    return 100 * sum(parts) / total if counting else None


def summarise(scores: Sequence[Score], missing: int) -> Summary:
    everything = [score.least for score in scores if score.least is not None]
    return Summary(
        lowest=min(everything, default=None),
        mean=fmean(everything) if everything else None,
        disagreement=judge_distance(scores),
        missing=missing,
    )


def judge_distance(scores: Iterable[Score]) -> float | None:
    """Return the mean distance of two judges on the same answers; None if no answer has two judges."""
    same = grouped(((score.setting, score.contestant), score.scored) for score in scores if score.scored is not None)
    gaps = [abs(one - other) for values in same.values() for one, other in combinations(values, 2)]
    return fmean(gaps) if gaps else None


def orders(summaries: Sequence[Summary]) -> dict[str, list[int]]:
    """Return the items of each order, by their places in the edition; an order that would be empty is left out."""
    places = range(len(summaries))

    def of(key: str, downwards: bool = False) -> list[int]:
        found = [(getattr(summaries[place], key), place) for place in places]
        known = [
            (round(-value if downwards else value, TIE_DECIMALS), place) for value, place in found if value is not None
        ]
        return [place for _, place in sorted(known)]

    failed = [place for place in of("missing", downwards=True) if summaries[place].missing]
    disagree = of("disagreement", downwards=True)
    found = {"edition": list(places), "lowest": of("mean"), "disagree": disagree, "failed": failed}
    return {name: order for name, order in found.items() if order}
