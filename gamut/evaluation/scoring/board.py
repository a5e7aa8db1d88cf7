"""A board: contestants in order of one reported value, with possible ranks and groups of ties.

A missing score of an asked item counts as the scale's lowest, whatever the cause. So a contestant gains nothing if it
fails on hard items, or keeps a judge from judging them. Controls are below the contestants, without a rank.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, product
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item
from gamut.evaluation.defining.measures import Joint, Metric, Resampled, Scale, Summed, ends_of
from gamut.evaluation.defining.parameters import CONTROL, MAX_UNJUDGED, Params
from gamut.evaluation.scoring import comparison, scores
from gamut.evaluation.scoring.comparison import Difference
from gamut.evaluation.scoring.conditions import off_task_in_words
from gamut.evaluation.scoring.estimates import Estimate, estimates, flat_estimates, round_value, rounded_share
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics.inference import Floats, Inference
from gamut.evaluation.scoring.statistics.ranks import (
    RankInterval,
    Studentized,
    better_pairs,
    rank_intervals,
    tie_groups,
)
from gamut.evaluation.scoring.values import Scores, infer_value, paired_difference, value_of
from gamut.project.plain_text import decimals
from gamut.tables.columns import Row

INCOMPLETE = "*"
"""Follows the name of a contestant whose coverage is below 1."""
SCORING_RULE = "every missing score of an asked item counts as the scale's lowest, in values, intervals and ranks"
"""The rule that makes hiding useless, in the words of documentation and boards."""


@dataclass(frozen=True)
class Standing:
    """One row of a board. `scored`: the ranking value over existing scores only. `coverage`: the share of scores that
    exist. `rank` and `tie_group` are None for controls, for either reason not to rank, and with too few scores.
    """

    name: str
    estimates: Mapping[str, Estimate]
    coverage: float
    scored: float | None = None
    too_little: str | None = None
    off_task: str | None = None
    rank: RankInterval | None = None
    tie_group: int | None = None


@dataclass(frozen=True)
class Layout:
    """How a metric's scores are laid out. `max_unjudged`: the share of a contestant that may be unjudged."""

    items: Sequence[str]
    strata: NDArray[np.int64]
    metric: Metric
    ends: Mapping[str, Scale]
    seed: int
    max_unjudged: float = MAX_UNJUDGED
    joint: Sequence[Joint] = ()

    @property
    def ranking(self) -> Summed:
        one = self.metric.reported[self.metric.shown[0]]
        assert not isinstance(one, Resampled)  # no benchmark may have such a metric (`Benchmark.mistakes_in`)
        return one

    def bounds(self, rows: Sequence[Row]) -> Bounds:
        return scores.score_bounds(rows, self.items, self.metric)

    def too_little(self, rows: Sequence[Row]) -> str | None:
        return scores.unjudged_in_words(rows, self.max_unjudged)

    def estimates(self, rows: Sequence[Row]) -> dict[str, Estimate]:
        """Return the reported values of one contestant by one judge, without intervals if too little is judged."""
        found = estimates(self.bounds(rows), self.strata, self.metric.reported, self.ends, self.seed)
        if self.too_little(rows) is None:
            return found
        return {name: one._replace(low=None, high=None) for name, one in found.items()}


def layout_of(benchmark: AnyBenchmark, params: Params, items: Sequence[Item], metric: Metric) -> Layout:
    ids, strata, most = [str(item.id) for item in items], benchmark.strata_of(items), benchmark.block(params).judge
    ends = ends_of(metric, benchmark.measures)
    return Layout(ids, strata, metric, ends, params.seed, most.max_unjudged, benchmark.joint)


class Board(NamedTuple):
    """A metric by one judge: contestants in order, then controls. `trusted`: the judge did not fail its validation.
    `remarks`: lines that a reader must know. `seen_by`: the words before the judge's name.
    """

    metric: Metric
    judge: str
    rows: Sequence[Standing]
    trusted: bool = True
    remarks: Sequence[str] = ()
    seen_by: str = "judged by"


def standing(name: str, rows: Sequence[Row], layout: Layout) -> Standing:
    """Return a row of a board; a contestant of which a judge could score nothing has no values."""
    scored, too_little, covered = value_over_scored(rows, layout), layout.too_little(rows), scores.coverage(rows)
    found = {} if too_little and not covered else layout.estimates(rows)
    return Standing(name, found, covered, scored, too_little, off_task_in_words(rows))


def value_over_scored(rows: Sequence[Row], layout: Layout) -> float | None:
    """Return the ranking value over existing scores only; None if a column has no score at all."""
    found = value_of(scores.score_matrix(rows, layout.items, layout.metric, "value"), layout.ranking)
    return None if np.isnan(found) else found


def rank_contestants(scores: Mapping[str, Sequence[Row]], layout: Layout) -> list[Standing]:
    """Rank contestants, by name with their scores of one metric and judge, best first, ties by name. All rank intervals
    and tie groups hold together with 95 % confidence. Contestants with too few scores or verdicts are last, without a
    rank.
    """
    by = layout.metric.shown[0]
    rows = [standing(name, scores[name], layout) for name in sorted(scores)]
    bounds = {row.name: layout.bounds(scores[row.name]) for row in rows}
    able = [row for row in rows if row.too_little is None and can_be_ranked(bounds[row.name], layout)]
    rest = [row for row in rows if row not in able]
    is_better = better_pairs(len(able), *pair_gaps([bounds[row.name].low for row in able], layout))
    ranks = rank_intervals(is_better)
    groups = tie_groups(np.array([row.estimates[by].value for row in able]), is_better)
    placed = [replace(row, rank=ranks[n], tie_group=groups[n]) for n, row in enumerate(able)]
    return sorted(placed, key=lambda row: -row.estimates[by].value) + rest


def without_ranks(rows: Sequence[Standing]) -> list[Standing]:
    """Remove ranks, for a judge that failed its validation: it cannot tell which contestant is better."""
    return [replace(row, rank=None, tie_group=None) for row in rows]


def can_be_ranked(scores: Bounds, layout: Layout) -> bool:
    return infer_value(scores.low, layout.strata, layout.ranking, None) is not None


def pair_gaps(matrices: Sequence[Scores], layout: Layout) -> tuple[list[Inference | None], Studentized]:
    """Return the difference of every pair, on the items that both were asked, and how the differences move in the same
    draws; in the order of `itertools.combinations`.
    """
    one, scale, strata = layout.ranking, layout.ends.get(layout.metric.shown[0]), layout.strata
    found, moved = list[Inference | None](), list[Floats]()
    for first, second in combinations(matrices, 2):
        scores, apart = paired_difference(*comparison.common_scores(second, first), one)
        gap, moves = comparison.inferred_difference(scores, strata, apart, scale)
        found.append(gap)
        moved.append(moves)
    return found, comparison.studentized_moves(found, moved, layout.seed)


def differences_over_base(
    variants: Mapping[str, str], scores: Mapping[str, Sequence[Row]], layout: Layout
) -> dict[str, list[Difference]]:
    """Return how far each variant is above the contestant that it varies, in every shown value. All variants of one
    contestant are tested together in each value: else one of thirty would be above it by chance.
    """
    reported = {name: layout.metric.reported[name] for name in layout.metric.shown}
    found: dict[str, list[Difference]] = {}
    for variant, base in variants.items():
        both = [scores[name] for name in (base, variant) if name in scores]
        if len(both) == 2 and not any(map(layout.too_little, both)):
            ours, theirs = map(layout.bounds, both)
            found[variant] = comparison.differences(ours, theirs, layout.strata, reported, layout.ends, layout.seed)
    for base, name in product(dict.fromkeys(variants.values()), layout.metric.shown):
        places = [
            (own, n)
            for variant, own in found.items()
            for n, one in enumerate(own)
            if one.name == name and variants[variant] == base
        ]
        family = comparison.adjust_together([own[n] for own, n in places], layout.seed)
        for (own, n), one in zip(places, family, strict=True):
            own[n] = one
    return found


def flat_standings(prefix: str, standings: Sequence[Standing], names: Sequence[str]) -> dict[str, float]:
    keys: dict[str, float] = {}
    for row in standings:
        start = f"{prefix}{row.name}."
        keys |= flat_estimates(start, {name: row.estimates[name] for name in names if name in row.estimates})
        if row.scored is not None:
            keys[f"{start}{names[0]}_scored"] = round_value(row.scored)
        if row.rank is not None and row.tie_group is not None:
            keys |= {f"{start}rank_best": row.rank.best, f"{start}rank_worst": row.rank.worst}
            keys[f"{start}tie_group"] = row.tie_group
        keys[f"{start}coverage"] = rounded_share(row.coverage)
    return keys


def no_difference_notes(metric: Metric, standings: Iterable[Standing]) -> list[str]:
    """Return, for resampled values with a lowest end such as a gap, contestants that do not differ from it."""
    shown = {
        name: one.ends for name in metric.shown if isinstance(one := metric.reported[name], Resampled) and one.ends
    }
    found: dict[str, list[str]] = {name: [] for name in shown}
    for row, (name, ends) in product(standings, shown.items()):
        value = row.estimates.get(name)
        if not row.name.startswith(CONTROL) and value and value.high is not None and value.low == ends.lowest:
            found[name].append(f"{row.name} ({decimals(value.value)}, up to {decimals(value.high)})")
    return [f"{name}: not different from zero: {', '.join(names)}" for name, names in found.items() if names]


def no_rank_notes(standings: Iterable[Standing]) -> list[str]:
    return [
        f"{row.name}: no rank: {row.too_little or row.off_task}"
        for row in standings
        if (row.too_little or (row.off_task and row.rank is None)) and not row.name.startswith(CONTROL)
    ]


def marked_name(row: Standing, name: str) -> str:
    return name if row.coverage == 1 else name + INCOMPLETE


def rank_in_words(row: Standing) -> str:
    """Return `1`, or `1-3` for an uncertain rank; empty without one."""
    if row.rank is None:
        return ""
    return str(row.rank.best) if row.rank.best == row.rank.worst else f"{row.rank.best}-{row.rank.worst}"


def estimate_in_words(estimate: Estimate | None, places: int = 1) -> str:
    if estimate is None:
        return "–"
    if estimate.low is None or estimate.high is None:
        return decimals(estimate.value, places)
    between = "–" if estimate.low >= 0 else " to "  # a dash beside a minus is hard to read
    value, low, high = (decimals(one, places) for one in (estimate.value, estimate.low, estimate.high))
    return f"{value} {low}{between}{high}"
