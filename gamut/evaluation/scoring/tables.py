"""Boards as tables: for papers (Markdown, LaTeX with booktabs), one row per contestant; board.csv, one line per value;
and the data for `dvc plots` (templates in .dvc/plots). A missing value is empty, or a dash for people, never 0.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.parameters import CONTROL, Params
from gamut.evaluation.scoring.board import Board, Standing, estimate_in_words, marked_name, no_rank_notes, rank_in_words
from gamut.evaluation.scoring.estimates import round_value, rounded_share
from gamut.project import markdown, pipeline
from gamut.project.csv_forms import form_rows
from gamut.project.errors import UserError
from gamut.project.files import write_csv, write_whole
from gamut.project.plain_text import harmless_text
from gamut.tables.columns import Row, grouped

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
"""Special characters of LaTeX, besides those that take a backslash."""


def write_tables(folder: Path, title: str, boards: Sequence[Board]) -> None:
    for board in boards:
        rows = [row for row in board.rows if not is_control(row)]
        names, start = board.metric.tabled, folder / f"{board.metric.name}.{board.judge}"
        heading = f"{title}, {board.metric.name}, {board.seen_by} {board.judge}"
        remarks = [*board.remarks, *no_rank_notes(rows)]
        head, shown = ("rank", "contestant", *names), standing_cells(rows, names)
        write_whole(Path(f"{start}.md"), as_markdown(heading, remarks, head, shown).encode())
        write_whole(Path(f"{start}.tex"), as_latex(heading, remarks, head, shown).encode())


def standing_cells(rows: Sequence[Standing], names: Sequence[str]) -> list[list[str]]:
    """Return rank, name and values as text, one row for each contestant."""
    return [
        [rank_in_words(row), marked_name(row, row.name), *(estimate_in_words(row.estimates.get(one)) for one in names)]
        for row in rows
    ]


def as_markdown(title: str, remarks: Sequence[str], head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    table = markdown.markdown_table(head, [[*map(markdown.escape_markdown, row)] for row in rows])
    return "\n\n".join([f"# {markdown.escape_markdown(title)}", table, *map(markdown.escape_markdown, remarks)]) + "\n"


def as_latex(title: str, remarks: Sequence[str], head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table as LaTeX: names on the left, ranks and values on the right, remarks in rows at the end."""
    lines = [" & ".join(map(escape_latex, row)) + r" \\" for row in (head, *rows)]
    columns = "".join("l" if name in ("benchmark", "contestant", "board") else "r" for name in head)
    begin = rf"\begin{{tabular}}{{{columns}}}"
    notes = [
        rf"\multicolumn{{{len(head)}}}{{p{{\linewidth}}}}{{\footnotesize {escape_latex(one)}}} \\" for one in remarks
    ]
    ruled = [begin, r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule", *notes, r"\end{tabular}"]
    return "\n".join([f"% {harmless_text(title)}", *ruled]) + "\n"


def escape_latex(text: str) -> str:
    """Return a text as LaTeX that shows it; a dash between numbers is one, and a minus a minus."""
    escaped = re.sub(
        r"[&%$#_{}]|[\\~^]", lambda one: SPECIAL.get(one[0], f"\\{one[0]}"), harmless_text(text).replace("–", "--")
    )
    return re.sub(r"(?<![\w-])-(?=\d)", "$-$", escaped)


TIDY = (
    *("metric", "judge", "contestant", "name", "value", "low", "high", "n", "lowest", "highest"),
    *("rank_best", "rank_worst", "tie_group", "coverage", "trusted"),
)
"""Columns of board.csv, which has one line for each value in a row of a board. `lowest`, `highest`: the ends of its
scale, if any. Ranks, ties and coverage are in the line of the ranking value, the first of a contestant. `trusted`: 0 if
the judge failed its validation."""
TEXTS = ("metric", "judge", "contestant", "name")


def tidy_rows(boards: Sequence[Board], ends: Mapping[str, Mapping[str, Scale]]) -> Iterator[list[object]]:
    """Yield the lines of board.csv: what boards and their tables show, controls too; `ends` by metric and value."""
    for board in boards:
        names = dict.fromkeys((*board.metric.shown, *board.metric.tabled))
        for row in board.rows:
            for name in (name for name in names if name in row.estimates or not row.estimates):
                found, scale = row.estimates.get(name), ends[board.metric.name].get(name, ("", ""))
                ranks: Sequence[object] = [""] * 4
                if name == board.metric.shown[0]:
                    places = ("", "", "") if row.rank is None else (row.rank.best, row.rank.worst, row.tie_group)
                    ranks = [*places, rounded_share(row.coverage)]
                numbers: Sequence[object] = [*map(csv_number, found[:3]), found.n] if found else ["", "", "", 0]
                yield [board.metric.name, board.judge, row.name, name, *numbers, *scale, *ranks, int(board.trusted)]


def read_tidy_rows(benchmark: AnyBenchmark, params: Params) -> list[Row]:
    """Return the lines of a benchmark's board.csv, None for a missing number."""
    path = benchmark.metrics_folder(params) / "board.csv"
    fix = f": `dvc repro {pipeline.address(f'{benchmark.name}.board')}` computes it"
    rows = (row for _, row in form_rows(path, TIDY, fix))
    try:
        return [
            {name: row[name] if name in TEXTS else json.loads(row[name] or "null") for name in TIDY} for row in rows
        ]
    except ValueError:
        raise UserError(f"{path} is not a board: delete it and run `dvc repro` to write it again") from None


REMARKS = "remarks.csv"
"""A file with one line per remark on a board: the verdict on the judge, and why contestants have no rank."""


def read_remarks(metrics: Path) -> dict[tuple[str, str], list[str]]:
    """Return the remarks in a folder of metrics, by metric and judge."""
    path = metrics / "plots" / REMARKS
    rows = form_rows(path, ("setting", "judge", "remark"), "") if path.exists() else ()
    return grouped(((row["setting"], row["judge"]), row["remark"]) for _, row in rows)


def write_plots(folder: Path, boards: Sequence[Board]) -> None:
    """Write intervals.csv (ranking values), profiles.csv (the metrics' profiles), and remarks.csv."""
    intervals = (
        (row.name, metric.name, judge, *map(csv_number, found[:3]), "" if row.tie_group is None else row.tie_group)
        for metric, judge, rows, *_ in boards
        for row in rows
        if (found := row.estimates.get(metric.shown[0]))
    )
    profiles = (
        (row.name, metric.name, judge, name, csv_number(row.estimates[name].value))
        for metric, judge, rows, *_ in boards
        for row in rows
        for name in metric.profile
        if name in row.estimates and not is_control(row)
    )
    remarks = (
        (board.metric.name, board.judge, one)
        for board in boards
        for one in (*board.remarks, *no_rank_notes(board.rows))
    )
    start = ("contestant", "setting", "judge")
    write_csv(folder / "intervals.csv", (*start, "value", "low", "high", "tie_group"), intervals)
    write_csv(folder / "profiles.csv", (*start, "stratum", "value"), profiles)
    write_csv(folder / REMARKS, ("setting", "judge", "remark"), remarks)


def is_control(row: Standing) -> bool:
    return row.name.startswith(CONTROL)


def csv_number(value: float | None) -> float | str:
    return "" if value is None else round_value(value)
