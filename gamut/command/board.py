"""`gamut board`: boards as they were measured, from metrics/<benchmark>/<edition>, in the form that is wanted."""

from __future__ import annotations

import csv
import json
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from gamut.command.terminal import print_json, print_staleness, print_text_table
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.boards import reason_of
from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.defining.parameters import CONTROL
from gamut.evaluation.scoring.board import Standing
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.statistics.ranks import RankInterval
from gamut.evaluation.scoring.tables import REMARKS, TIDY, as_latex, as_markdown, standing_cells
from gamut.project import pipeline
from gamut.project.csv_forms import form_rows
from gamut.project.errors import UserError, nearest_choice
from gamut.project.parameters import load
from gamut.project.pipeline import PARAMS, value_at
from gamut.project.validation import read_yaml
from gamut.tables.columns import Row

FORMS = ("table", "csv", "markdown", "latex", "json")
WORDS = ("metric", "judge", "contestant", "name")
"""Columns of board.csv that hold no number."""


class BoardLines(NamedTuple):
    """The lines of board.csv of one board, without controls; `by`: who judges, in words."""

    benchmark: AnyBenchmark
    folder: Path
    metric: Metric
    judge: str
    by: str
    lines: Sequence[Row]

    def standings(self) -> list[Standing]:
        found = []
        for name in dict.fromkeys(line["contestant"] for line in self.lines):
            own = [line for line in self.lines if line["contestant"] == name]
            first = own[0]  # of what ranks
            rank = RankInterval(first["rank_best"], first["rank_worst"]) if first["rank_best"] else None
            estimates = {one["name"]: Estimate(one["value"], one["low"], one["high"], one["n"]) for one in own}
            found.append(Standing(name, estimates, first["coverage"] or 0, rank=rank, tie_group=first["tie_group"]))
        return found


def boards_of(name: str) -> list[BoardLines]:
    """Return a benchmark's boards, the headline first; UserError where it has none."""
    benchmark = curation_of(name).benchmark
    params = load(benchmark.params)
    if reason_of(name).exists():
        raise UserError("left out of the build: `gamut check` says why")
    folder, words = benchmark.metrics_folder(params), benchmark.block(params).words_before_judge
    path, mend = folder / "board.csv", f": `dvc repro {pipeline.address(f'{name}.board')}` measures first"
    metrics = {metric.name: metric for metric in benchmark.metrics_in(params)}
    boards: dict[tuple[str, str], list[Row]] = {}
    for _, row in form_rows(path, TIDY, mend):
        if row["metric"] in metrics and not row["contestant"].startswith(CONTROL):
            boards.setdefault((row["metric"], row["judge"]), []).append(with_numbers(path, row))
    top, by = benchmark.headline(params)
    return [
        BoardLines(benchmark, folder, metrics[metric], judge, f"{words(metrics[metric])} {judge}", lines)
        for (metric, judge), lines in sorted(boards.items(), key=lambda one: one[0] != (top.name, by))
    ]


def with_numbers(path: Path, row: Row) -> Row:
    try:
        return {key: row[key] if key in WORDS else json.loads(row[key]) if row[key] else None for key in TIDY}
    except ValueError:
        raise UserError(f"{path}: no board: delete it, and `dvc repro` writes it anew") from None


def headlines() -> Iterator[tuple[str, BoardLines | str]]:
    """Yield the benchmarks of params.yaml, each with its headline board, or in words why it has none."""
    for name in NAMES:
        if value_at(read_yaml(PARAMS), name) is not None:
            try:
                yield name, next(iter(boards_of(name)), "nobody is on its board")
            except UserError as error:
                yield name, str(error)


def print_boards(name: str | None, metric: str | None, judge: str | None, every: bool, form: str) -> None:
    if form not in FORMS:
        raise UserError(f"--format {form}: there is no such form{nearest_choice(form, FORMS)}")
    if name is not None:
        boards = chosen_boards(name, metric, judge, every)
        tables = [board_cells(one, full=form != "table") for one in boards]
    elif metric or judge or every:
        raise UserError("name the benchmark whose boards are meant, such as `gamut board prism --all`")
    else:
        boards = []
        for of, one in headlines():
            if isinstance(one, str):
                print(f"{of}: {one}", file=sys.stderr)
            else:
                boards.append(one._replace(lines=[line for line in one.lines if line["name"] == one.metric.shown[0]]))
        tables = [("Boards", [], ["benchmark", "rank", "contestant", "value", "board"], headline_cells(boards))]
    places = ((one, {"benchmark": one.benchmark.name, "edition": one.folder.name}) for one in boards)
    records = [{**place, **line} for one, place in places for line in one.lines]
    if form == "json":
        print_json(records)
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([("benchmark", "edition", *TIDY), *(record.values() for record in records)])
    for table in tables if form in ("table", "markdown", "latex") else ():
        if form == "table":
            print_text_table(*table)
        else:
            print((as_markdown if form == "markdown" else as_latex)(*table), end="")
    for benchmark in dict.fromkeys(one.benchmark.name for one in boards):
        print_staleness(benchmark, [f"{benchmark}.board"])


def chosen_boards(name: str, metric: str | None, judge: str | None, every: bool) -> list[BoardLines]:
    there = boards_of(name)
    found = [one for one in there if metric in (None, one.metric.name) and judge in (None, one.judge)]
    if not found:
        names = ", ".join(f"--metric {one.metric.name} --judge {one.judge}" for one in there)
        raise UserError(f"{name}: there is no such board; there are: {names or 'none, it measures nobody'}")
    return found if every else found[:1]


TableCells = tuple[str, list[str], list[str], list[list[str]]]
"""Title, remarks, heads of columns, rows."""


def board_cells(one: BoardLines, full: bool) -> TableCells:
    names = one.metric.tabled if full else one.metric.shown
    title = f"{one.benchmark.title}, edition {one.folder.name}, {one.metric.name}, {one.by}"
    rows = form_rows(one.folder / "plots" / REMARKS, ("setting", "judge", "remark"), "")
    said = [row["remark"] for _, row in rows if (row["setting"], row["judge"]) == (one.metric.name, one.judge)]
    return title, said, ["rank", "contestant", *names], standing_cells(one.standings(), names)


def headline_cells(boards: Sequence[BoardLines]) -> list[list[str]]:
    return [
        [one.benchmark.title, *cells, f"{one.metric.shown[0]}, {one.metric.name}, {one.by}"]
        for one in boards
        for cells in standing_cells(one.standings(), one.metric.shown[:1])
    ]
