"""The pages of a benchmark's boards and of its contestants.

Boards: one table per metric and judge, controls in their own table, and profiles over groups. A contestant: its
settings, all its scores, what is missing, and its answers, the lowest first.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator, Sequence
from statistics import fmean
from typing import NamedTuple

import numpy as np
from ruamel.yaml import YAML

from gamut.evaluation.defining.editions import item_count
from gamut.evaluation.defining.measures import Linear, Metric, Scale, ends_of
from gamut.evaluation.defining.parameters import CORRELATION, Contestant
from gamut.evaluation.scoring.board import SCORING_RULE
from gamut.evaluation.scoring.tables import read_remarks
from gamut.report.benchmarks.index import MOST_TELLING, Entry, Index, telling_items
from gamut.report.benchmarks.own_files import board_files, copy_file, own_charts, own_tables
from gamut.report.benchmarks.results import (
    ENDS,
    Metrics,
    Results,
    Value,
    as_number,
    board_anchor,
    is_control,
    is_trusted,
    names_on_board,
    value_at,
    values_at,
)
from gamut.report.site.folder import Folder
from gamut.report.site.pages import write_page
from gamut.report.site.texts import address, hide_secrets

OVER = "over_"
"""The prefix of the keys of a variant's gains, before the name of the contestant that it is a variant of."""


class Row(NamedTuple):
    """A row of a board. `key` is the prefix of the keys of its values; the first of `values` ranks; `spec` is the hash
    of what was asked. For a variant, `gains` says how much it scores above the contestant that it is a variant of.
    """

    name: str
    control: bool
    key: str
    values: Sequence[Value]
    scored: float | None
    ranks: tuple[float, float] | None
    tie_group: float | None
    coverage: float | None
    profile: Sequence[Value]
    spec: str | None
    gains: Sequence[tuple[str, Value]]


class Board(NamedTuple):
    """A board by one judge. `ends` are the limits of values; `correlated`: correlations of values over contestants."""

    metric: Metric
    judge: str
    anchor: str
    rows: Sequence[Row]
    ends: dict[str, Scale]
    trusted: bool
    remarks: Sequence[str]
    correlated: Sequence[tuple[str, Value]]

    @property
    def raised_values(self) -> list[tuple[str, str]]:
        """The shown values that a missing answer raises, each with the settings that it subtracts."""
        shown = [(name, self.metric.reported[name]) for name in self.metric.shown]
        settings = {
            name: [self.metric.columns[number].setting for number in np.flatnonzero(one.factors < 0)]
            for name, one in shown
            if isinstance(one, Linear)
        }
        return [(name, " and ".join(dict.fromkeys(own))) for name, own in settings.items() if own]

    @property
    def axis(self) -> Scale:
        """Return the limits of the bars of the ranking value: its scale, or without one the range of values."""
        first = [row.values[0] for row in self.rows]
        found = [end for value in first for end in (value.value, value.low, value.high) if end is not None]
        return self.ends.get(self.metric.shown[0]) or Scale(min([0, *found]), max([1, *found]))


def write_boards(folder: Folder, results: Results, index: Index, stale: str | None = None) -> None:
    found = boards(results)
    telling = {one.anchor: telling_items(results, index, one.metric, one.judge) for one in found}
    metric, judge = results.benchmark.headline(results.params)
    painted = [
        item for item in telling.get(board_anchor(metric.name, judge), ()) if any(one.picture for one in item.answers)
    ]
    folder.write(MOST_TELLING, json.dumps([one.values() for one in painted[:1]], ensure_ascii=False, indent=1) + "\n")
    write_page(
        folder,
        "index.html",
        "boards.html",
        f"{results.benchmark.title}: boards",
        "boards",
        results=results,
        stale=stale,
        boards=found,
        telling=telling,
        files={one.anchor: board_files(folder, results, one.metric.name, one.judge) for one in found},
        every=copy_file(folder, results, results.folder / "board.csv"),
        tables=[*own_tables(folder, results)],
        charts=[*own_charts(folder, results)],
        settings={name: settings_yaml(results.params.contestants[name]) for name in results.contestants},
        edition=item_count(results.items),
        rule=SCORING_RULE,
        over=OVER,
    )


def boards(results: Results) -> list[Board]:
    remarks = read_remarks(results.folder)
    found = []
    for metric in results.metrics:
        for judge in metric.boards_by(results.judges):
            rows = [row_of(results, metric, judge, name) for name in names_on_board(results.board, metric.name, judge)]
            start = f"{metric.name}.{judge}."
            trusted = is_trusted(results.board, metric.name, judge)
            ends, said = ends_of(metric, results.benchmark.measures), remarks.get((metric.name, judge), [])
            correlated = values_at(results.board, f"{start}{CORRELATION}.")
            if rows:
                anchor = board_anchor(metric.name, judge)
                found.append(Board(metric, judge, anchor, rows, ends, trusted, said, correlated))
    return found


def row_of(results: Results, metric: Metric, judge: str, name: str) -> Row:
    board, own = results.board, results.contestant_values.get(name, {})
    start, key = f"{metric.name}.{judge}.", f"{metric.name}.{judge}.{name}."
    best, worst = as_number(board.get(f"{key}rank_best")), as_number(board.get(f"{key}rank_worst"))
    beside = results.judges[0] if metric.by else judge
    specs = [str(own[spec]) for setting in metric.settings if (spec := f"spec.{setting}.{beside}") in own]
    return Row(
        name=name,
        control=is_control(name),
        key=key,
        values=[value_at(board, f"{key}{shown}") for shown in metric.shown],
        scored=as_number(board.get(f"{key}{metric.shown[0]}_scored")),
        ranks=None if best is None or worst is None else (best, worst),
        tie_group=as_number(board.get(f"{key}tie_group")),
        coverage=as_number(board.get(f"{key}coverage")),
        profile=[value_at(own, f"{start}{part}") for part in metric.profile],
        spec=", ".join(specs) or None,
        gains=[
            (told, value) for told, value in values_at(board, f"{key}{OVER}") if f"{OVER}{told}" not in metric.shown
        ],
    )


def settings_yaml(contestant: Contestant) -> str:
    """Return a contestant's block of params.yaml as YAML, without defaults and without possible secrets."""
    out = io.StringIO()
    yaml = YAML()
    yaml.width = 100
    yaml.dump(hide_secrets(contestant.model_dump(mode="json", by_alias=True, exclude_defaults=True)), out)
    return out.getvalue()


class MetricValues(NamedTuple):
    """A contestant's values in one metric by one judge. `ends` are their limits; `others` are the other entries of its
    metric file, by the end of the key.
    """

    metric: Metric
    judge: str
    trusted: bool
    start: str
    values: Sequence[tuple[str, Value]]
    ends: dict[str, Scale]
    others: Metrics


class AnswerLine(NamedTuple):
    """An answer of a contestant. `scores` are by judge, 0..100, over all samples; `mean` is their mean."""

    entry: Entry
    scores: Sequence[float | None]
    mean: float | None


def write_contestants(folder: Folder, results: Results, index: Index) -> None:
    names = [address(item.id) for item in results.items]
    for contestant in results.contestants:
        reached = [*metric_values(results, contestant)]
        shown = {f"{one.start}{end}" for one in reached for end in one.others}
        shown |= {f"{value.key}{part}" for one in reached for _, value in one.values for part in ("", *ENDS)}
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
            told = {f"{name}{part}" for name, _ in values for part in ("", *ENDS)}
            if own:
                beside = {end: own[end] for end in own if end not in told}
                trusted = is_trusted(results.board, metric.name, judge)
                ends = ends_of(metric, results.benchmark.measures)
                yield MetricValues(metric, judge, trusted, start, values, ends, beside)


def answer_lines(results: Results, contestant: str, index: Index) -> list[AnswerLine]:
    """Return a contestant's answers, the lowest score first; those without a score are last, in the edition's order."""
    found = []
    for entry in index.entries.get(contestant, []):
        of_item = index.scores.get(str(results.items[entry.place].id), {})
        own = [of_item.get((entry.setting, judge, contestant)) for judge in results.judges]
        scores = [None if one is None else one.least for one in own]
        known = [one for one in scores if one is not None]
        found.append(AnswerLine(entry, scores, fmean(known) if known else None))
    return sorted(found, key=lambda line: (line.mean is None, line.mean or 0, line.entry[:3]))
