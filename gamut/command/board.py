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

ENDINGS = {"csv": "csv", "markdown": "md", "latex": "tex"}
FORMS = ("table", *ENDINGS, "json")
WORDS = ("metric", "judge", "contestant", "name")
"""Columns of board.csv that hold no number."""


class BoardLines(NamedTuple):
    """The lines of board.csv of one board, without controls; `folder`: of metrics; `by`: the words before the judge."""

    title: str
    folder: Path
    metric: Metric
    judge: str
    by: str
    lines: Sequence[Row]

    def records(self) -> Iterator[Row]:
        return ({"benchmark": self.folder.parent.name, "edition": self.folder.name, **line} for line in self.lines)

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
        raise UserError(f"{name} is left out of the build: `gamut check` says why")
    folder, block = benchmark.metrics_folder(params), benchmark.block(params)
    path, mend = folder / "board.csv", f": `dvc repro {pipeline.address(f'{name}.board')}` measures first"
    rows = (row for _, row in form_rows(path, TIDY, mend))
    lines = [with_numbers(path, row) for row in rows if not row["contestant"].startswith(CONTROL)]
    metrics = {metric.name: metric for metric in benchmark.metrics_in(params)}
    top = benchmark.headline(params)
    found = [
        BoardLines(benchmark.title, folder, metrics[metric], judge, block.words_before_judge(metrics[metric]), own)
        for metric, judge in dict.fromkeys((line["metric"], line["judge"]) for line in lines)
        for own in [[line for line in lines if (line["metric"], line["judge"]) == (metric, judge)]]
        if metric in metrics
    ]
    return sorted(found, key=lambda one: (one.metric.name, one.judge) != (top[0].name, top[1]))


def with_numbers(path: Path, row: Row) -> Row:
    try:
        return {key: row[key] if key in WORDS else json.loads(row[key]) if row[key] else None for key in TIDY}
    except ValueError:
        raise UserError(f"{path}: no board: delete it, and `dvc repro` writes it anew") from None


def headlines() -> Iterator[BoardLines | str]:
    """Yield the headline board of each benchmark of params.yaml, or in words why it has none."""
    for name in NAMES:
        if value_at(read_yaml(PARAMS), name) is not None:
            try:
                yield next(iter(boards_of(name)), f"{name}: nobody is on its board")
            except UserError as error:
                yield str(error)


def print_boards(name: str | None, metric: str | None, judge: str | None, every: bool, form: str) -> None:
    if form not in FORMS:
        raise UserError(f"--format {form}: there is no such form{nearest_choice(form, FORMS)}")
    if name is None:
        if metric or judge or every:
            raise UserError("name the benchmark whose boards are meant, such as `gamut board prism --all`")
        print_headlines(form)
        return
    there = boards_of(name)
    boards = [one for one in there if metric in (None, one.metric.name) and judge in (None, one.judge)]
    if not boards:
        names = ", ".join(f"--metric {one.metric.name} --judge {one.judge}" for one in there)
        raise UserError(f"{name}: there is no such board; there are: {names or 'none, it measures nobody'}")
    boards = boards if every else boards[:1]
    if form == "json":
        print_json([record for one in boards for record in one.records()])
    for one in boards if form == "table" else ():
        head = ["rank", "contestant", *one.metric.shown]
        title = f"{one.title}, {one.metric.name}, {one.by} {one.judge}"
        print_text_table(title, head, standing_cells(one.standings(), one.metric.shown), remarks_on(one))
    for one in boards if form in ENDINGS else ():
        path = one.folder / "tables" / f"{one.metric.name}.{one.judge}.{ENDINGS[form]}"
        print(path.read_text(encoding="utf-8"), end="")
    print_staleness(there[0].title, [f"{name}.board"])


def remarks_on(board: BoardLines) -> list[str]:
    rows = form_rows(board.folder / "plots" / REMARKS, ("setting", "judge", "remark"), "")
    return [row["remark"] for _, row in rows if (row["setting"], row["judge"]) == (board.metric.name, board.judge)]


def print_headlines(form: str) -> None:
    """A line a benchmark and contestant; what has no board is said on stderr."""
    boards = list[BoardLines]()
    for one in headlines():
        if isinstance(one, str):
            print(one, file=sys.stderr)
        else:
            boards.append(one)
            print_staleness(one.title, [f"{one.folder.parent.name}.board"])
    records = [record for one in boards for record in one.records() if record["name"] == one.metric.shown[0]]
    head, rows = ("benchmark", "rank", "contestant", "value", "board"), list[list[str]]()
    for one in boards:
        of = f"{one.metric.shown[0]}, {one.metric.name}, {one.by} {one.judge}"
        rows += [[one.title, *cells, of] for cells in standing_cells(one.standings(), one.metric.shown[:1])]
    if form == "json":
        print_json(records)
    elif form == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([("benchmark", "edition", *TIDY), *(record.values() for record in records)])
    elif form == "table":
        print_text_table("", head, rows)
    else:
        print((as_markdown if form == "markdown" else as_latex)("Boards", (), head, rows), end="")
