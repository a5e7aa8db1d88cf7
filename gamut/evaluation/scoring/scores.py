"""From judgments to scores of items: one row for each item, setting, judge and measure, and why judgments are missing.

A score is a mean over all expected values; a missing one counts as the scale's lowest, whatever the cause. `value` uses
only existing scores, and every missing one is counted by its status.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from statistics import fmean
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from gamut.evaluation.defining.measures import Column, Joint, Metric, Place, Scale
from gamut.project.budgets import most_failures
from gamut.tables.columns import Row, grouped, table_schema

SCHEMA = table_schema(
    "item stratum groups:[string] setting judge measure spec value:float64 low:float64 high:float64 scored:int32 "
    "left_out:[string] off_task:bool"
)
"""`spec` is added by `scoring.specs`: what the value depends on besides the contestant. `value`: the mean over the
existing samples, parts and repeats, null if there are none. `low`, `high`: means over all that was expected, null if
nothing was; in `high` what the judge did not score counts as the highest, for values that fall with a score. `scored`:
how many have a value. `left_out`: the reason for each of the others: `answered.<the answer's status>`, `judged.<the
judgment's>`, `not_asked.task`, or `not_asked.invalid_input`, which is not expected, as it cannot be asked. `off_task`:
other contestants are asked the item, but this one does not do such tasks (`scoring.conditions`)."""
OK, NOT_ASKED, OFF_TASK, JUDGED = "answered.ok", "not_asked.invalid_input", "not_asked.task", "judged."


class Bounds(NamedTuple):
    """Scores as (items, columns), at their lowest and highest; NaN if none was expected."""

    low: NDArray[np.float64]
    high: NDArray[np.float64]


def item_scores(
    answers: Iterable[Row],
    judgments: Mapping[str, Iterable[Row]],
    places: Mapping[str, Place],
    expected: Callable[[str, str], Mapping[str, int]],
    scales: Mapping[str, Scale],
) -> list[Row]:
    """Return the scores of one contestant, in the order of its answers, with all columns but `spec`.

    `expected`: for an item and setting, how many judgments of each measure an answer should have; further ones count
    too. An expected one without a row is `judged.not_asked` if there is an answer, else it has the answer's status. An
    answer that is `invalid_input` without a reply was not asked for, and nothing is expected.
    """
    answered = grouped(((row["setting"], row["item"]), (row["sample"], answer_reason(row))) for row in answers)
    wanted = {(setting, item): expected(item, setting) for setting, item in answered}
    found: list[Row] = []
    for judge, rows in judgments.items():
        values: dict[tuple[str, str, str], list[float]] = {}
        failed: dict[tuple[str, str, str], list[str]] = {}
        seen: Counter[tuple[str, str, str, int]] = Counter()
        for row in rows:
            key = row["setting"], row["item"], row["question"]
            seen[*key, row["sample"]] += 1
            if row["status"] == "ok":
                values.setdefault(key, []).append(row["value"])
            else:
                failed.setdefault(key, []).append(JUDGED + row["status"])
        for (setting, item), reasons in answered.items():
            for measure, scale in scales.items():
                each = wanted[setting, item].get(measure, 0)
                scores, unscored = values.get((setting, item, measure), []), failed.get((setting, item, measure), [])
                if not (each or scores or unscored):
                    continue
                lacking = [
                    reason for sample, reason in reasons for _ in range(seen[setting, item, measure, sample], each)
                ]
                unanswered = [reason for reason in lacking if reason != OK]
                refused = [scale.lowest] * (len(unanswered) - unanswered.count(NOT_ASKED))
                unscored += [f"{JUDGED}not_asked"] * lacking.count(OK)
                found.append(
                    score_key(item, places[item], setting, judge, measure)
                    | {
                        "value": mean(scores),
                        "low": mean([*scores, *refused, *[scale.lowest] * len(unscored)]),
                        "high": mean([*scores, *refused, *[scale.highest] * len(unscored)]),
                        "scored": len(scores),
                        "left_out": [*unanswered, *unscored],
                        "off_task": False,
                    }
                )
    return found


def score_key(item: str, place: Place, setting: str, judge: str, measure: str) -> Row:
    where = {"item": item, "stratum": place.stratum, "groups": list(place.groups)}
    return where | {"setting": setting, "judge": judge, "measure": measure}


def answer_reason(answer: Row) -> str:
    if answer["status"] == "invalid_input" and not answer["replies"]:
        return NOT_ASKED
    return f"answered.{answer['status']}"


def mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def by_setting_and_judge(scores: Iterable[Row]) -> dict[tuple[str, str], list[Row]]:
    return grouped(((score["setting"], score["judge"]), score) for score in scores)


COUNTED_ELSEWHERE: Row = {"scored": 0, "left_out": []}
"""For a joint score: its parts already count all that is scored or left out."""


def by_metric_and_judge(
    scores: Iterable[Row], metrics: Sequence[Metric], joint: Sequence[Joint] = ()
) -> dict[tuple[str, str], list[Row]]:
    """Return what counts in each metric by each judge; nothing of a metric for a contestant that was not asked in all
    its settings.

    Joint scores come together with the scores that they are made of.
    """
    names = {one.measure for one in joint}
    found: dict[tuple[str, str], list[Row]] = {}
    for judge, rows in grouped((score["judge"], score) for score in scores).items():
        settings = {row["setting"] for row in rows}
        for metric in metrics:
            columns = set(metric.columns) | parts_of_joint(metric.columns, joint)
            by = metric.by or judge
            if (counted := metric.settings_counted(settings)) is None or (metric.name, by) in found:
                continue
            named = dict(zip(counted, metric.settings, strict=True))
            own = (
                row | {"setting": named[row["setting"]]} if metric.instead else row
                for row in rows
                if row["setting"] in named
            )
            found[metric.name, by] = [
                row | COUNTED_ELSEWHERE if row["measure"] in names else row
                for row in own
                if any(place in columns for place in columns_of(row))
            ]
    return found


def parts_of_joint(columns: Iterable[Column], joint: Sequence[Joint]) -> set[Column]:
    return {
        Column(column.group, setting, of)
        for one in joint
        for column in columns
        if column.measure == one.measure
        for setting, of in one.made_of
    }


def columns_of(score: Row) -> Iterator[Column]:
    return (Column(group, score["setting"], score["measure"]) for group in score["groups"])


def coverage(scores: Sequence[Row]) -> float:
    """Return the share of expected judgments that has a value, 0..1; 0 if none is expected."""
    there = sum(score["scored"] for score in scores)
    missing = sum(count for name, count in left_out_counts(scores).items() if name != NOT_ASKED)
    return there / max(1, there + missing)


def judged_share(scores: Sequence[Row]) -> float:
    """Return the judged share of what judges were asked, 0..1; 1 if they were asked nothing."""
    there = sum(score["scored"] for score in scores)
    missing = sum(unjudged_counts(scores).values())
    return there / (there + missing) if there + missing else 1.0


def unjudged_counts(scores: Iterable[Row]) -> dict[str, int]:
    return {name.removeprefix(JUDGED): n for name, n in left_out_counts(scores).items() if name.startswith(JUDGED)}


def unjudged_in_words(scores: Sequence[Row], most: float) -> str | None:
    """Return "12.5 % unjudged: 30 unsupported, 4 refused_judge" for more than the share `most`, else None."""
    missing = unjudged_counts(scores)
    count = sum(missing.values())
    total = count + sum(score["scored"] for score in scores)
    if count <= most_failures(float(most), total):
        return None
    why = ", ".join(f"{n:,} {status}" for status, n in sorted(missing.items(), key=lambda one: -one[1]))
    return f"{100 * count / total:.1f} % unjudged: {why}"


def left_out_counts(scores: Iterable[Row]) -> dict[str, int]:
    """Count judgments without a value: `answered.<status>` is the contestant's status, `judged.…` the judge's."""
    return dict(sorted(Counter(chain.from_iterable(score["left_out"] for score in scores)).items()))


def score_matrix(
    scores: Iterable[Row], items: Sequence[str], metric: Metric, column_name: Literal["low", "high", "value"] = "low"
) -> NDArray[np.float64]:
    """Return scores as (items, columns of the metric), NaN if there is none or, in a paired metric, none in another
    setting. A column has no scores at all if its items ask for a task that the contestant does not do.
    """
    columns = metric.columns
    row_of = {item: number for number, item in enumerate(items)}
    column_of = {column: number for number, column in enumerate(columns)}
    matrix = np.full((len(items), len(columns)), np.nan)
    partial = set[int]()
    for score in scores:
        own = [column_of[column] for column in columns_of(score) if column in column_of]
        partial |= {*own} if score.get("off_task") else set()
        if score[column_name] is not None:
            matrix[row_of[score["item"]], own] = score[column_name]
    matrix[:, sorted(partial)] = np.nan
    if metric.paired:
        for kind in {(column.group, column.measure) for column in columns}:
            alike = [number for number, column in enumerate(columns) if (column.group, column.measure) == kind]
            matrix[np.ix_(np.isnan(matrix[:, alike]).any(axis=1), alike)] = np.nan
    return matrix


def score_bounds(scores: Sequence[Row], items: Sequence[str], metric: Metric) -> Bounds:
    return Bounds(score_matrix(scores, items, metric, "low"), score_matrix(scores, items, metric, "high"))
