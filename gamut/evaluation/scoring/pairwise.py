"""Two entrants in every metric of a benchmark by every judge, or in words why they cannot be compared.

They are comparable if items of both have the same specs (what contestants were given, what which judge was asked, how
often), and if values are computed from scores as they are here.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Metric, ends_of
from gamut.evaluation.defining.parameters import VALIDATION, Params
from gamut.evaluation.scoring import scores
from gamut.evaluation.scoring.comparison import Difference, adjust_together, differences
from gamut.evaluation.scoring.estimates import round_value
from gamut.evaluation.scoring.scores import SCHEMA, Bounds
from gamut.evaluation.scoring.specs import Items, first_spec_difference, metric_spec, read_metric_specs, specs_of
from gamut.project.errors import UserError
from gamut.project.files import read_metrics
from gamut.project.pipeline import PARAMS
from gamut.project.revisions import WORKSPACE
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows


def workspace_file(path: Path) -> Path:
    return path


class Entrant(NamedTuple):
    """A contestant of the project as it is now, or at a revision. `get` returns copies of the revision's files."""

    contestant: str
    revision: str = WORKSPACE
    get: Callable[[Path], Path] = workspace_file

    def __str__(self) -> str:
        return self.contestant if self.revision == WORKSPACE else f"{self.contestant}@{self.revision}"


class ScoredSetting(NamedTuple):
    """What makes scores of one setting and judge comparable: specs, the items that the entrant was asked, and the
    strata and measures of the scores.
    """

    specs: Items
    items: frozenset[str]
    names: frozenset[str]


class ScoreLayout(NamedTuple):
    """Scores of one metric and judge; `strata`: that of each item; `bounds`: shape (items, columns of the metric)."""

    strata: Mapping[str, str]
    bounds: Bounds
    too_little: str | None


@dataclass(frozen=True)
class EntrantScores:
    """The scores of an entrant in one benchmark. `followed`: by metric the digest of how its values were computed.
    `failed`: metrics and judges whose validation failed.
    """

    entrant: Entrant
    asked: Mapping[tuple[str, str], ScoredSetting]
    laid: Mapping[tuple[str, str], ScoreLayout]
    followed: Mapping[str, str]
    failed: frozenset[tuple[str, str]]


def read_entrant_scores(entrant: Entrant, benchmark: AnyBenchmark, params: Params) -> EntrantScores:
    metrics, most = benchmark.metrics_in(params), benchmark.block(params).judge.max_unjudged
    folder = entrant.get(benchmark.scores / entrant.contestant)
    rows = list(read_rows(folder))
    if rows and (lacking := [name for name in SCHEMA.names if name not in rows[0]]):
        without = f"without {', '.join(lacking)}: run `dvc repro` to score again"
        raise UserError(f"scores of {entrant} have an earlier layout, {without}")
    by_name = {metric.name: metric for metric in metrics}
    placed = scores.by_metric_and_judge(rows, metrics, benchmark.joint)
    try:
        return EntrantScores(
            entrant,
            {key: scored_setting(own) for key, own in scores.by_setting_and_judge(rows).items()},
            {(name, judge): score_layout(own, by_name[name], most) for (name, judge), own in placed.items()},
            read_metric_specs(folder),
            failed_validations(entrant, benchmark.metrics_folder(params) / "board.json", placed),
        )
    except UserError as error:
        raise UserError(f"scores of {entrant}: {error}") from None


def failed_validations(entrant: Entrant, board: Path, places: Iterable[tuple[str, str]]) -> frozenset[tuple[str, str]]:
    try:
        copy = entrant.get(board)
        found = read_metrics(copy)
    except UserError:  # no board at that revision, or a damaged one
        found = {}
    return frozenset(place for place in places if found.get(f"{'.'.join(place)}.{VALIDATION}.passed") == 0)


def scored_setting(rows: Iterable[Row]) -> ScoredSetting:
    rows = list(rows)
    # many entrants have equal specs: each is kept once
    specs = {item: {measure: sys.intern(spec) for measure, spec in own.items()} for item, own in specs_of(rows).items()}
    items = frozenset(row["item"] for row in rows if row["low"] is not None)
    return ScoredSetting(specs, items, frozenset(row[name] for row in rows for name in ("stratum", "measure")))


def score_layout(rows: Sequence[Row], metric: Metric, max_unjudged: float) -> ScoreLayout:
    """Leave out items that the entrant was not asked: two entrants are compared on common items."""
    rows = [row for row in rows if not row.get("off_task")]
    strata = {row["item"]: row["stratum"] for row in rows}
    return ScoreLayout(
        strata, scores.score_bounds(rows, list(strata), metric), scores.unjudged_in_words(rows, max_unjudged)
    )


@dataclass(frozen=True)
class Comparison:
    """Two entrants in one metric of a benchmark, by one judge. `items`: of both, in the order of differences."""

    benchmark: str
    first: str
    second: str
    metric: str
    judge: str
    differences: Sequence[Difference]
    trusted: bool = True
    items: Sequence[str] = field(default=(), repr=False, compare=False)


def comparisons(
    benchmark: AnyBenchmark, metrics: Sequence[Metric], first: EntrantScores, second: EntrantScores, seed: int
) -> Iterator[Comparison | str]:
    unlike = dict(unlike_settings(benchmark, metrics, first, second))
    both = first.asked.keys() & second.asked.keys() - unlike.keys()
    alone = {key: items_of_one_alone(key, first, second) for key in both}
    for (setting, judge), why in [*unlike.items(), *sorted(alone.items())]:
        if why:
            yield f"{benchmark.title}, {setting}, judged by {judge}: not compared: {why}"
    by_name = {metric.name: metric for metric in metrics}
    for name, judge in [key for key in first.laid if key in second.laid]:
        metric, where = by_name[name], f"{benchmark.title}, {name}, judged by {judge}"
        counted = [
            metric.settings_counted({setting for setting, by in one.asked if by == judge}) for one in (first, second)
        ]
        if apart := [setting for setting in metric.settings if (setting, judge) in unlike and counted[0] == counted[1]]:
            if metric.settings != (name,):  # else reported above
                yield f"{where}: not compared: {' and '.join(apart)} cannot be"
            continue
        follows = metric_spec(metric)
        if otherwise := [one.entrant for one in (first, second) if one.followed.get(name, follows) != follows]:
            yield f"{where}: not compared: values of {otherwise[0]} were computed from its scores by another formula"
            continue
        ours, theirs = pair = first.laid[name, judge], second.laid[name, judge]
        judged = zip((first.entrant, second.entrant), pair, strict=True)
        if unsure := [f"{one} has {own.too_little}" for one, own in judged if own.too_little]:
            yield f"{where}: not compared: {'; '.join(unsure)}"
            continue
        items = [item for item in ours.strata if item in theirs.strata]
        names = str(first.entrant), str(second.entrant)
        if found := metric_differences(benchmark, metric, ours, theirs, items, seed):
            trusted = (name, judge) not in first.failed | second.failed
            yield Comparison(benchmark.name, *names, name, judge, found, trusted, items)
        else:
            yield f"{where}: not compared: no column has scores of both, {' and '.join(names)}"


def unlike_settings(
    benchmark: AnyBenchmark, metrics: Sequence[Metric], first: EntrantScores, second: EntrantScores
) -> Iterator[tuple[tuple[str, str], str]]:
    ours, theirs = first.asked, second.asked
    for key in dict.fromkeys([*ours, *theirs]):
        if key not in ours or key not in theirs:
            yield key, f"{(second if key in theirs else first).entrant} is the only one with scores there"
        elif unlike := first_spec_difference(ours[key].specs, theirs[key].specs):
            yield key, unlike.between(str(first.entrant), str(second.entrant))
        elif unknown := (ours[key].names | theirs[key].names) - {*benchmark.strata, *benchmark.measures}:
            yield key, f"scored for {min(unknown)}, which the benchmark does not have any more"
        elif not any(key[0] in metric.settings for metric in metrics):
            yield key, f"no metric reports this setting with the present {PARAMS}"


def items_of_one_alone(key: tuple[str, str], first: EntrantScores, second: EntrantScores) -> str:
    """Return how many items only one of two was asked, in words; empty if there is none."""
    ours, theirs = first.asked[key].items, second.asked[key].items
    counted = (len(ours - theirs), first.entrant), (len(theirs - ours), second.entrant)
    return " and ".join(f"{n:,} item{'s' * (n > 1)}, asked of {who} alone" for n, who in counted if n)


def metric_differences(
    benchmark: AnyBenchmark, metric: Metric, first: ScoreLayout, second: ScoreLayout, items: Sequence[str], seed: int
) -> list[Difference]:
    number_of = {stratum: number for number, stratum in enumerate(benchmark.strata)}
    strata = np.array([number_of[first.strata[item]] for item in items], np.int64)
    shown = {name: metric.reported[name] for name in (*metric.shown, *metric.profile)}
    ours, theirs = bounds_of_items(first, items), bounds_of_items(second, items)
    return adjust_together(differences(ours, theirs, strata, shown, ends_of(metric, benchmark.measures), seed), seed)


def bounds_of_items(layout: ScoreLayout, items: Sequence[str]) -> Bounds:
    row_of = {item: number for number, item in enumerate(layout.strata)}
    rows = np.array([row_of[item] for item in items], np.int64)
    return Bounds(layout.bounds.low[rows], layout.bounds.high[rows])


def comparison_values(comparison: Comparison) -> dict[str, Any]:
    values = vars(comparison) | {"differences": [difference_values(one) for one in comparison.differences]}
    return {name: value for name, value in values.items() if name != "items"}


def difference_values(one: Difference) -> dict[str, Any]:
    found = {name: value for name, value in vars(one).items() if name not in ("inferred", "moved", "added")}
    for name in ("first", "second", "difference", "low", "high", "detectable"):
        found[name] = found[name] if found[name] is None else round_value(found[name])
    return found


TIE_DECIMALS = 9
"""Numbers with the same decimals up to here are equal: later ones depend on the order of summation."""


class MovedItem(NamedTuple):
    """An item with different scores. `added`: its part of the difference. `scores`: names and the scores of both."""

    item: str
    setting: str
    added: float
    scores: Sequence[tuple[str, float, float]]


def item_contributions(one: Comparison) -> NDArray[np.float64]:
    return one.differences[0].added.round(TIE_DECIMALS)


def most_moved_items(
    metric: Metric, one: Comparison, first: ScoreLayout, second: ScoreLayout, most: int
) -> Iterator[MovedItem]:
    """Yield the items with the largest parts of the first difference, in either direction; none with part 0."""
    added = item_contributions(one)
    by_size = [int(number) for number in np.argsort(-np.abs(added), kind="stable")[:most] if added[number]]
    items = [one.items[number] for number in by_size]
    several = len(metric.settings) > 1
    names = [f"{column.setting} {column.measure}" if several else column.measure for column in metric.columns]
    ours, theirs = (bounds_of_items(laid, items).low for laid in (first, second))
    there = ~np.isnan(ours) & ~np.isnan(theirs)
    for row, (number, item) in enumerate(zip(by_size, items, strict=True)):
        counting = {names[column]: column for column in np.flatnonzero(there[row])}  # once for all groups
        scores = [(name, float(ours[row, column]), float(theirs[row, column])) for name, column in counting.items()]
        yield MovedItem(item, metric.columns[next(iter(counting.values()))].setting, float(added[number]), scores)


def scores_in_words(one: MovedItem) -> str:
    return ", ".join(f"{name} {ours:.4g} → {theirs:.4g}" for name, ours, theirs in one.scores)
