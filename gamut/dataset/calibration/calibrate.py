"""Compare labels with scores: write the metrics and curves of every filter, and print them for a person.

What is read of one shard for people's labels is kept like a shard (`of_shards`), so a new wave costs only its own rows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from rich.console import Console
from rich.table import Table

from gamut.dataset.calibration.filters import FILTERS, abouts_now
from gamut.dataset.calibration.labels import (
    TASK,
    Agreement,
    Label,
    Labels,
    LabelsOfPeople,
    known_ids,
    name_some,
    read_people,
    true_labels,
)
from gamut.dataset.calibration.measures import METRICS, Least, Measures, least_of, mean_shares, measure, round_or_none
from gamut.dataset.calibration.operating_points import THRESHOLDS, Floats, Points, points_of
from gamut.dataset.calibration.sampling import DrawnRow, count_scores, may_be_drawn, sample_of
from gamut.dataset.steps import CALIBRATE, Params
from gamut.pipeline.shards import values_of_shards
from gamut.project.decisions import read_decisions
from gamut.project.files import write_csv, write_json
from gamut.project.plain_text import amount
from gamut.tables.columns import grouped, place
from gamut.tables.reading import read_shard, shard_names

SUMMARY = Path("metrics/filters.json")
ScoredLabels = tuple[Labels, Mapping[str, Mapping[str, int]]]
"""The labels of a shard, and the scores of those rows that have one, by filter and id."""
CURVES = Path("metrics/precision_recall")


def calibrate(params: Params) -> None:
    labelled, agreements, unsure = labels_of(params)
    drawn_rows, unscored = score_labels(labelled)
    counts = cache(scores_of_all)
    least = least_of(params.calibrate)
    report, moved = {}, []
    for filter_ in FILTERS:
        name, rejects, threshold = filter_.name, not filter_.belongs, filter_.threshold(params)
        sample = sample_of(drawn_rows[name], partial(lambda name: counts()[name], name), params.seed)
        report[name] = measure(
            sample, unscored[name], threshold, rejects, least, agreements.get(name), unsure.get(name, 0)
        )
        write_curve(CURVES / f"{name}.csv", points_of(sample.counts, sample.strata, rejects))
        if len(sample.strata.rows) > 1 and sample.strata.scores is None:
            moved.append(name)
    write_json(METRICS, {name: measures.model_dump(exclude_none=True) for name, measures in report.items()})
    write_json(SUMMARY, mean_shares(report.values()))
    if any(measures.labels or measures.unscored for measures in report.values()):
        print_table(report, least)
    else:
        print(
            "calibrate: there are no labels: draw rows with `gamut calibrate --sample 50`, label them, and name the "
            "file at calibrate.labels in params.yaml"
        )
    if moved:
        print(
            f"Scores, rows or weights have changed since the labelled rows were drawn: {', '.join(moved)}. Their "
            "bounds are wider, and describe the rows of that time."
        )


def of_shards(what: str, wanted: Mapping[str, Any], value: Callable[[str], Any]) -> list[Any]:
    """Return a value of each shard. It is kept until labels, decisions, rows, or what is `wanted` of the shard change.
    `calibrate.labels` chooses what is wanted; no other parameter counts.
    """
    return values_of_shards(CALIBRATE, list(wanted), value, what, parameters=wanted.get)


def scores_of_all() -> dict[str, Floats]:
    """Return how many rows of each filter have each score, shape (11,)."""
    shards_of = {filter_: frozenset(shard_names(filter_.table)) for filter_ in FILTERS}

    def count(shard: str) -> dict[str, list[int]]:
        return {one.name: count_scores(one, shard) for one, shards in shards_of.items() if shard in shards}

    total = {filter_.name: np.zeros(len(THRESHOLDS)) for filter_ in FILTERS}
    for counts in of_shards("counts", dict.fromkeys(sorted(frozenset().union(*shards_of.values()))), count):
        for name, of_shard in counts.items():
            total[name] += of_shard
    return total


def labels_of(params: Params) -> tuple[Iterable[ScoredLabels], Mapping[str, Agreement], Mapping[str, int]]:
    """Return labels by shard (people's, or the world's truth), and by filter the agreement and how many are unsure."""
    if params.calibrate.labels is None:
        if people := read_decisions(TASK):
            print(
                f"calibrate: the labels of {', '.join(people)} are not counted: at calibrate.labels in params.yaml, "
                "name the file that their rows were drawn into"
            )
        return ((labels, scores_of(shard, labels)) for shard, labels in true_labels(params)), {}, {}
    path = Path(params.calibrate.labels)
    labels = read_people(path, known_ids, kept_abouts)
    for line in remarks_about(path, labels):
        print(f"calibrate: {line}")
    by_shard: dict[str, dict[str, dict[str, Label]]] = {}
    by_filter: dict[str, dict[str, Label]] = {}
    for (name, row_id), label in labels.rows.items():
        by_shard.setdefault(place(row_id)[0], {}).setdefault(name, {})[row_id] = label
        by_filter.setdefault(name, {})[row_id] = label
    unsure = {  # labels that are not known to be of rows that were drawn, as they are now
        name: sum(label.verdict is not None and not (label.about and drawn_by_lot) for label in rows.values())
        for name, rows in by_filter.items()
        for drawn_by_lot in [may_be_drawn(name, rows, params.seed)]
    }
    by_shard = dict(sorted(by_shard.items()))
    scores = of_shards("scores", by_shard, lambda shard: scores_of(shard, by_shard[shard]))
    return zip(by_shard.values(), scores, strict=True), labels.agreements, unsure


def kept_abouts(keys: Iterable[tuple[str, str]]) -> Mapping[tuple[str, str], str]:
    wanted = grouped((place(key[1])[0], key) for key in keys)

    def abouts(shard: str) -> list[tuple[str, str, str]]:
        return [(*key, about) for key, about in abouts_now(wanted[shard]).items()]

    return {(name, row_id): about for some in of_shards("abouts", wanted, abouts) for name, row_id, about in some}


def remarks_about(path: Path, labels: LabelsOfPeople) -> Iterator[str]:
    if empty := sum(label.verdict is None for label in labels.rows.values()):
        yield f"{path}: rows without a label yet: {empty:,}"
    for person, rows in labels.changed.items():
        yield (
            f"{person}: {amount(len(rows), 'label')} not counted, because the picture, caption or question has changed "
            f"({name_some(rows)}); `gamut label filters` asks again"
        )


def scores_of(shard: str, labels: Labels) -> dict[str, dict[str, int]]:
    """Return the scores of labelled rows that have one, by filter and id."""
    found: dict[str, dict[str, int]] = {}
    for filter_ in FILTERS:
        if wanted := labels.get(filter_.name):
            rows = read_shard(filter_.table, shard, ["id", "status", filter_.column])
            found[filter_.name] = {
                row["id"]: row[filter_.column] for row in rows if row["status"] == "ok" and row["id"] in wanted
            }
    return found


def score_labels(labelled: Iterable[ScoredLabels]) -> tuple[Mapping[str, list[DrawnRow]], Mapping[str, int]]:
    """Return the drawn rows of each filter with their scores, and how many labels are of rows without one."""
    drawn_rows: dict[str, list[DrawnRow]] = {filter_.name: [] for filter_ in FILTERS}
    unscored: Counter[str] = Counter()
    for labels, scores in labelled:
        for name, of_filter in scores.items():
            for row_id, label in sorted(labels[name].items()):
                if row_id in of_filter:
                    drawn_rows[name].append(DrawnRow(row_id, label, of_filter[row_id]))
                elif label.verdict is not None:
                    unscored[name] += 1
    return drawn_rows, unscored


def write_curve(path: Path, points: Points) -> None:
    values = zip(THRESHOLDS, points.precision.tolist(), points.recall.tolist(), strict=True)
    rows = (
        (threshold, round_or_none(precision), round_or_none(recall))
        for threshold, precision, recall in values
        if precision == precision and recall == recall  # NaN, which is undefined, is not itself
    )
    write_csv(path, ("threshold", "precision", "recall"), rows)


def print_table(report: Mapping[str, Measures], least: Least) -> None:
    title = "Filters find what to reject, characteristics what belongs"
    table = Table(title=title, title_justify="left")
    table.add_column("filter", overflow="fold")
    for heading in ("labels", "now", "precision", "recall", "suggested"):
        table.add_column(heading, justify="right", no_wrap=True)
    for name, found in report.items():
        precision = value_with_interval(found.precision, found.precision_low, found.precision_high)
        recall = value_with_interval(found.recall, found.recall_low, found.recall_high)
        suggested = "-" if found.suggested is None else str(found.suggested)
        table.add_row(name, f"{found.labels:,}", str(found.threshold), precision, recall, suggested)
    Console(soft_wrap=False).print(table)
    for line in remarks(report, least):
        print(line)
    print(f"{METRICS} has the same numbers; `gamut calibrate` says what is known of each filter, and what is missing.")


def remarks(report: Mapping[str, Measures], least: Least) -> Iterator[str]:
    sentences = {
        "unscored": "Labels of rows that have no score",
        "disputed": "Rows with as many labels 1 as 0",
        "blank": "Rows without a label (bounds assume the worst and the best for them)",
        "unsure": "Labels of rows that `gamut calibrate --sample` may not have drawn, or not as they are now, so "
        "nothing is suggested",
    }
    for key, what in sentences.items():
        if found := [f"{number:,} {name}" for name, of in report.items() if (number := getattr(of, key))]:
            yield f"{what}: {', '.join(found)}."
    if unknown := [name for name, of in report.items() if of.labels and of.suggested is None and not of.unsure]:
        wanted = f"precision {least.precision:g} and recall {least.recall:g}"
        yield f"No threshold is known to have {wanted}, so none is suggested: {', '.join(unknown)}."


def value_with_interval(value: float | None, low: float | None, high: float | None) -> str:
    return "-" if value is None else f"{value:.3f} {low:.2f}–{high:.2f}"
