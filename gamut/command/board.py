"""`gamut board`: boards as they were measured, from metrics/<benchmark>/<edition>, in the form that is wanted."""

from __future__ import annotations

import csv
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import NamedTuple

from gamut.command.terminal import print_json, print_staleness
from gamut.evaluation.curating.benchmarks import NAMES, curation_of
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Metric
from gamut.evaluation.defining.parameters import CONTROL
from gamut.evaluation.scoring.board import INCOMPLETE, SCORING_RULE, Standing
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.printed import print_cells
from gamut.evaluation.scoring.statistics.ranks import RankInterval
from gamut.evaluation.scoring.tables import TIDY, as_latex, as_markdown, read_remarks, read_tidy_rows, standing_cells
from gamut.project.errors import UserError, nearest_choice
from gamut.project.parameters import load
from gamut.project.pipeline import PARAMS, value_at
from gamut.project.validation import read_yaml
from gamut.tables.columns import Row, grouped

SHOWN: Mapping[str, Callable[..., None]] = {
    "table": print_cells,
    "markdown": lambda *table: print(as_markdown(*table), end=""),
    "latex": lambda *table: print(as_latex(*table), end=""),
}
"""Each takes a title, notes, heads of columns and rows."""
FORMS = (*SHOWN, "csv", "json")


class MeasuredBoard(NamedTuple):
    """`by`: who judges, in words; `lines`: those of board.csv, without controls."""

    benchmark: AnyBenchmark
    edition: str
    metric: Metric
    judge: str
    by: str
    remarks: Sequence[str]
    lines: Sequence[Row]

    def standings(self) -> list[Standing]:
        found = []
        for name, own in grouped((line["contestant"], line) for line in self.lines).items():
            rank = RankInterval(own[0]["rank_best"], own[0]["rank_worst"]) if own[0]["rank_best"] else None
            known = [one for one in own if one["value"] is not None]
            estimates = {one["name"]: Estimate(one["value"], one["low"], one["high"], one["n"]) for one in known}
            found.append(Standing(name, estimates, own[0]["coverage"] or 0, rank=rank, tie_group=own[0]["tie_group"]))
        return found


def boards_of(name: str) -> list[MeasuredBoard]:
    """Return a benchmark's boards, the headline first; UserError where it was not measured."""
    benchmark = curation_of(name).benchmark
    params = load(benchmark.params)
    block, remarks = benchmark.block(params), read_remarks(benchmark.metrics_folder(params))
    lines = [one for one in read_tidy_rows(benchmark, params) if not one["contestant"].startswith(CONTROL)]
    by_place = grouped(((one["metric"], one["judge"]), one) for one in lines)
    metrics, boards = {metric.name: metric for metric in benchmark.metrics_in(params)}, list[MeasuredBoard]()
    for place, own in by_place.items():
        of, judge = place
        if metric := metrics.get(of):
            by, said = f"{block.words_before_judge(metric)} {judge}", remarks.get(place, [])
            boards.append(MeasuredBoard(benchmark, block.edition, metric, judge, by, said, own))
    top, first = benchmark.headline(params)
    return sorted(boards, key=lambda one: (one.metric.name, one.judge) != (top.name, first))


def headlines() -> Iterator[tuple[str, MeasuredBoard | str]]:
    """Yield the benchmarks of params.yaml, each with its headline board, or in words why it has none."""
    values = read_yaml(PARAMS)
    for name in NAMES:
        if value_at(values, name) is not None:
            try:
                yield name, next(iter(boards_of(name)), "its board has no contestants")
            except UserError as error:
                yield name, str(error)


def print_boards(name: str | None, metric: str | None, judge: str | None, every: bool, form: str) -> None:
    """Print one benchmark's boards, or without its name a line a benchmark and contestant."""
    if form not in FORMS:
        raise UserError(f"--format: there is no format {form!r}{nearest_choice(form, FORMS)}")
    if name is not None:
        boards = chosen_boards(name, metric, judge)[: None if every else 1]
    elif metric or judge or every:
        raise UserError(f"--metric, --judge and --all need a benchmark: name one of {', '.join(NAMES)}")
    else:
        boards = [*ranking_lines()]
    if form == "json":
        print_json([record for one in boards for record in records(one)])
    elif form == "csv":
        lines = csv.writer(sys.stdout, lineterminator="\n")
        lines.writerow(("benchmark", "edition", *TIDY))
        lines.writerows(record.values() for one in boards for record in records(one))
    elif name is None:
        head = ["benchmark", "rank", "contestant", "value", "board"]
        SHOWN[form]("Boards", [], head, [row for one in boards for row in overview_rows(one)])
    else:
        for one in boards:
            print_whole(one, form)
    for of in dict.fromkeys(one.benchmark.name for one in boards):
        print_staleness(of, [f"{of}.board"])


def chosen_boards(name: str, metric: str | None, judge: str | None) -> list[MeasuredBoard]:
    there = boards_of(name)
    found = [one for one in there if metric in (None, one.metric.name) and judge in (None, one.judge)]
    if not found:
        names = ", ".join(f"--metric {one.metric.name} --judge {one.judge}" for one in there)
        raise UserError(f"{name} has no such board; its boards: {names or 'none, as it measures no contestant'}")
    return found


def ranking_lines() -> Iterator[MeasuredBoard]:
    """Yield headline boards with the lines of what ranks alone; say on stderr of whom there is none."""
    for name, found in headlines():
        if isinstance(found, str):
            print(f"{name}: {found}", file=sys.stderr)
        else:
            ranking = found.metric.shown[0]
            if lines := [line for line in found.lines if line["name"] == ranking]:
                yield found._replace(lines=lines)
            else:  # each contestant lacks what it counts
                others = f"`gamut board {name}` shows the others"
                print(f"{name}: no contestant has a value of {ranking}: {others}", file=sys.stderr)


def records(one: MeasuredBoard) -> list[Row]:
    return [{"benchmark": one.benchmark.name, "edition": one.edition, **line} for line in one.lines]


def overview_rows(one: MeasuredBoard) -> list[list[str]]:
    failed = "" if one.lines[0]["trusted"] else " (failed its validation)"
    ranking = one.metric.shown[0]
    board = f"{ranking}, {one.metric.name}, {one.by}{failed}"
    return [[one.benchmark.title, *cells, board] for cells in standing_cells(one.standings(), [ranking])]


def print_whole(one: MeasuredBoard, form: str) -> None:
    names = one.metric.shown if form == "table" else one.metric.tabled
    title = f"{one.benchmark.title}, edition {one.edition}, {one.metric.name}, {one.by}"
    whole = all(line["coverage"] in (None, 1) for line in one.lines)
    notes = one.remarks if whole else [*one.remarks, f"{INCOMPLETE} not all scored: {SCORING_RULE}"]
    SHOWN[form](title, notes, ["rank", "contestant", *names], standing_cells(one.standings(), names))
