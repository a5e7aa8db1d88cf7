"""`gamut board`: boards as they were measured, from metrics/<benchmark>/<edition>, in the form that is wanted."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gamut.command.terminal import print_json, print_staleness
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.defining.parameters import CONTROL
from gamut.evaluation.scoring.board import INCOMPLETE, SCORING_RULE, Standing
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.printed import print_cells
from gamut.evaluation.scoring.statistics.ranks import RankInterval
from gamut.evaluation.scoring.tables import REMARKS, TIDY, as_latex, as_markdown, read_tidy_rows, standing_cells
from gamut.project.csv_forms import form_rows
from gamut.project.errors import UserError, nearest_choice
from gamut.project.parameters import load
from gamut.project.pipeline import PARAMS, value_at
from gamut.project.validation import read_yaml
from gamut.tables.columns import Row, grouped

TextTable = tuple[str, list[str], list[str], list[list[str]]]
"""Title, notes, heads of columns, rows."""
SHOWN: Mapping[str, Callable[..., None]] = {
    "table": print_cells,
    "markdown": lambda *table: print(as_markdown(*table), end=""),
    "latex": lambda *table: print(as_latex(*table), end=""),
}
FORMS = (*SHOWN, "csv", "json")


class MeasuredBoard(NamedTuple):
    """`title`: the benchmark's; `by`: who judges, in words; `lines`: those of board.csv, without controls."""

    title: str
    folder: Path
    metric: Metric
    judge: str
    by: str
    lines: Sequence[Row]

    @property
    def place(self) -> dict[str, str]:
        return {"benchmark": self.folder.parent.name, "edition": self.folder.name}

    def standings(self) -> list[Standing]:
        found = []
        for name in dict.fromkeys(line["contestant"] for line in self.lines):
            own = [line for line in self.lines if line["contestant"] == name]
            rank = RankInterval(own[0]["rank_best"], own[0]["rank_worst"]) if own[0]["rank_best"] else None
            estimates = {one["name"]: Estimate(one["value"], one["low"], one["high"], one["n"]) for one in own}
            found.append(Standing(name, estimates, own[0]["coverage"] or 0, rank=rank, tie_group=own[0]["tie_group"]))
        return found

    def cells(self, names: Sequence[str]) -> list[list[str]]:
        return standing_cells(self.standings(), names)


def boards_of(name: str) -> list[MeasuredBoard]:
    """Return a benchmark's boards, the headline first; UserError where it was not measured."""
    benchmark = curation_of(name).benchmark
    params = load(benchmark.params)
    folder, words = benchmark.metrics_folder(params), benchmark.block(params).words_before_judge
    metrics = {metric.name: metric for metric in benchmark.metrics_in(params)}
    lines = [one for one in read_tidy_rows(benchmark, params) if not one["contestant"].startswith(CONTROL)]
    boards = grouped(((one["metric"], one["judge"]), one) for one in lines if one["metric"] in metrics)
    top, first = benchmark.headline(params)
    return [
        MeasuredBoard(benchmark.title, folder, of := metrics[metric], judge, f"{words(of)} {judge}", own)
        for (metric, judge), own in sorted(boards.items(), key=lambda one: one[0] != (top.name, first))
    ]


def headlines() -> Iterator[tuple[str, MeasuredBoard | str]]:
    """Yield the benchmarks of params.yaml, each with its headline board, or in words why it has none."""
    for name in NAMES:
        if value_at(read_yaml(PARAMS), name) is not None:
            try:
                yield name, next(iter(boards_of(name)), "nobody is on its board")
            except UserError as error:
                yield name, str(error)


def print_boards(name: str | None, metric: str | None, judge: str | None, every: bool, form: str) -> None:
    """Print one benchmark's boards, or without its name a line a benchmark and contestant."""
    if form not in FORMS:
        raise UserError(f"--format {form}: there is no such form{nearest_choice(form, FORMS)}")
    boards, tables = list[MeasuredBoard](), list[TextTable]()
    if name is not None:
        boards = chosen_boards(name, metric, judge)[: None if every else 1]
        for one in boards:
            names = one.metric.shown if form == "table" else one.metric.tabled
            title = f"{one.title}, edition {one.folder.name}, {one.metric.name}, {one.by}"
            tables.append((title, remarks_on(one), ["rank", "contestant", *names], one.cells(names)))
    elif metric or judge or every:
        raise UserError(f"name the benchmark whose boards are meant: {', '.join(NAMES)}")
    else:
        rows = []
        for of, found in headlines():
            if isinstance(found, str):
                print(f"{of}: {found}", file=sys.stderr)
                continue
            first, failed = found.metric.shown[:1], "" if found.lines[0]["trusted"] else " (failed its validation)"
            boards.append(found._replace(lines=[line for line in found.lines if line["name"] in first]))
            rows += [
                [found.title, *cells, f"{first[0]}, {found.metric.name}, {found.by}{failed}"]
                for cells in found.cells(first)
            ]
        tables.append(("Boards", [], ["benchmark", "rank", "contestant", "value", "board"], rows))
    records = [{**one.place, **line} for one in boards for line in one.lines]
    if form == "json":
        print_json(records)
    elif form == "csv":
        lines = csv.writer(sys.stdout, lineterminator="\n")
        lines.writerows([("benchmark", "edition", *TIDY), *(record.values() for record in records)])
    for table in tables if form in SHOWN else ():
        SHOWN[form](*table)
    for of in dict.fromkeys(one.place["benchmark"] for one in boards):
        print_staleness(of, [f"{of}.board"])


def chosen_boards(name: str, metric: str | None, judge: str | None) -> list[MeasuredBoard]:
    there = boards_of(name)
    found = [one for one in there if metric in (None, one.metric.name) and judge in (None, one.judge)]
    if not found:
        names = ", ".join(f"--metric {one.metric.name} --judge {one.judge}" for one in there)
        raise UserError(f"{name}: there is no such board; there are: {names or 'none, it measures nobody'}")
    return found


def remarks_on(one: MeasuredBoard) -> list[str]:
    rows = form_rows(one.folder / "plots" / REMARKS, ("setting", "judge", "remark"), "")
    said = [row["remark"] for _, row in rows if (row["setting"], row["judge"]) == (one.metric.name, one.judge)]
    whole = all(line["coverage"] in (None, 1) for line in one.lines)
    return said if whole else [*said, f"{INCOMPLETE} not all scored: {SCORING_RULE}"]
