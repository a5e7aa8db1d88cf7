"""The page of a contestant: its settings, all that it scores, what is missing, and its answers, the lowest first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

from gamut.evaluation.defining.measures import Metric
from gamut.report.benchmarks.boards import settings
from gamut.report.benchmarks.items import Entry, Index
from gamut.report.benchmarks.measured import Measured, Metrics, Value, is_trusted, value_at
from gamut.report.site.folder import Folder
from gamut.report.site.pages import page
from gamut.report.site.texts import address

PARTS = ("", "_lo", "_hi", "_n")


class Reached(NamedTuple):
    """What a contestant reaches in a metric by a judge. `beside`: what else its metric file says there, by the end of
    the key.
    """

    metric: Metric
    judge: str
    trusted: bool
    start: str
    values: Sequence[tuple[str, Value]]
    beside: Metrics


class Line(NamedTuple):
    """One of its answers. `scores`: by judge, 0..100, over all samples of the setting; `mean`: of these."""

    entry: Entry
    scores: Sequence[float | None]
    mean: float | None


def write_contestants(folder: Folder, measured: Measured, index: Index) -> None:
    names = [address(item.id) for item in measured.items]
    for contestant in measured.contestants:
        reached = [*reached_by(measured, contestant)]
        shown = {f"{one.start}{end}" for one in reached for end in one.beside}
        shown |= {f"{value.key}{part}" for one in reached for _, value in one.values for part in PARTS}
        others = {key: value for key, value in measured.contestant_values[contestant].items() if key not in shown}
        folder.write(
            f"contestants/{address(contestant)}.html",
            page(
                "contestant.html",
                root="../",
                here="",
                title=f"{contestant}: {measured.benchmark.title}",
                measured=measured,
                name=contestant,
                settings=settings(measured.params.contestants[contestant]),
                reached=reached,
                others=others,
                lines=lines(measured, contestant, index),
                names=names,
                summaries=index.summaries,
            ),
        )


def reached_by(measured: Measured, contestant: str) -> Iterator[Reached]:
    metrics = measured.contestant_values[contestant]
    for metric in measured.metrics:
        for judge in metric.boards_by(measured.judges):
            start = f"{metric.name}.{judge}."
            own = {key.removeprefix(start): value for key, value in metrics.items() if key.startswith(start)}
            values = [(name, value_at(metrics, f"{start}{name}")) for name in metric.reported if name in own]
            told = {f"{name}{part}" for name, _ in values for part in PARTS}
            if own:
                beside = {end: own[end] for end in own if end not in told}
                yield Reached(metric, judge, is_trusted(measured.board, metric.name, judge), start, values, beside)


def lines(measured: Measured, contestant: str, index: Index) -> list[Line]:
    """Return a contestant's answers, the lowest score first; those without any stand last, in the edition's order."""
    found = []
    for entry in index.entries.get(contestant, []):
        of_item = index.scores.get(str(measured.items[entry.place].id), {})
        own = [of_item.get((entry.setting, judge, contestant)) for judge in measured.judges]
        scores = [None if one is None else one.least for one in own]
        known = [one for one in scores if one is not None]
        found.append(Line(entry, scores, fmean(known) if known else None))
    return sorted(found, key=lambda line: (line.mean is None, line.mean or 0, line.entry[:3]))
