"""The page of a contestant: its settings, all that it scores, what is missing, and its answers, the lowest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from gamut.evaluation.defining.measures import Metric
from gamut.report.benchmarks.boards import settings_yaml
from gamut.report.benchmarks.items import Entry, Index
from gamut.report.benchmarks.results import Metrics, Results, Value, is_trusted, value_at
from gamut.report.site.folder import Folder
from gamut.report.site.pages import write_page
from gamut.report.site.texts import address

KEY_ENDS = ("", "_lo", "_hi", "_n")


class MetricValues(NamedTuple):
    """By one judge. `beside`: what else the contestant's metric file says there, by the end of the key."""

    metric: Metric
    judge: str
    trusted: bool
    start: str
    values: Sequence[tuple[str, Value]]
    beside: Metrics


class AnswerLine(NamedTuple):
    """One of its answers. `scores`: by judge, 0..100, over all samples of the setting; `mean`: of these."""

    entry: Entry
    scores: Sequence[float | None]
    mean: float | None


def write_contestants(folder: Folder, results: Results, index: Index) -> None:
    names = [address(item.id) for item in results.items]
    for contestant in results.contestants:
        reached = [*metric_values(results, contestant)]
        shown = {f"{one.start}{end}" for one in reached for end in one.beside}
        shown |= {f"{value.key}{part}" for one in reached for _, value in one.values for part in KEY_ENDS}
        others = {key: value for key, value in results.contestant_values[contestant].items() if key not in shown}
        write_page(
            folder,
            f"contestants/{address(contestant)}.html",
            "contestant.html",
            f"{contestant}: {results.benchmark.title}",
            results=results,
            name=contestant,
            settings=settings_yaml(results.params.contestants[contestant]),
            reached=reached,
            others=others,
            lines=answer_lines(results, contestant, index),
            names=names,
        )


def metric_values(results: Results, contestant: str) -> Iterator[MetricValues]:
    metrics = results.contestant_values[contestant]
    for metric in results.metrics:
        for judge in metric.boards_by(results.judges):
            start = f"{metric.name}.{judge}."
            own = {key.removeprefix(start): value for key, value in metrics.items() if key.startswith(start)}
            values = [(name, value_at(metrics, f"{start}{name}")) for name in metric.reported if name in own]
            told = {f"{name}{part}" for name, _ in values for part in KEY_ENDS}
            if own:
                beside = {end: own[end] for end in own if end not in told}
                yield MetricValues(metric, judge, is_trusted(results.board, metric.name, judge), start, values, beside)


def answer_lines(results: Results, contestant: str, index: Index) -> list[AnswerLine]:
    """Return a contestant's answers, the lowest score first; those without any stand last, in the edition's order."""
    found = []
    for entry in index.entries.get(contestant, []):
        of_item = index.scores.get(str(results.items[entry.place].id), {})
        own = [of_item.get((entry.setting, judge, contestant)) for judge in results.judges]
        scores = [None if one is None else one.least for one in own]
        known = [one for one in scores if one is not None]
        found.append(AnswerLine(entry, scores, fmean(known) if known else None))
    return sorted(found, key=lambda line: (line.mean is None, line.mean or 0, line.entry[:3]))
