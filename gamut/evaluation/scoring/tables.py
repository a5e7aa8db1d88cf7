"""Boards as tables: for papers (CSV, Markdown, LaTeX with booktabs), a row a contestant, and behind `dvc plots`
(templates in .dvc/plots). What is not there is empty, or a dash for people, and never 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.parameters import CONTROL
from gamut.evaluation.scoring.board import Board, Standing, estimate_in_words, marked_name, no_rank_notes, rank_in_words
from gamut.evaluation.scoring.estimates import Estimate, round_value, rounded_share
from gamut.project import markdown
from gamut.project.files import write_csv, write_whole
from gamut.project.plain_text import harmless_text

SPECIAL = {"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"}
"""Of LaTeX, beside what takes a backslash."""


def write_tables(folder: Path, title: str, boards: Sequence[Board]) -> None:
    for board in boards:
        rows = [row for row in board.rows if not is_control(row)]
        names, start = board.metric.tabled, folder / f"{board.metric.name}.{board.judge}"
        ends = [f"{name}{end}" for name in names for end in ("", "_lo", "_hi")]
        head = ("contestant", "rank_best", "rank_worst", *ends, "items", "coverage")
        write_csv(Path(f"{start}.csv"), head, (csv_row(row, names) for row in rows))
        heading = f"{title}, {board.metric.name}, {board.seen_by} {board.judge}"
        remarks = [*board.remarks, *no_rank_notes(rows)]
        head, shown = ("rank", "contestant", *names), standing_cells(rows, names)
        write_whole(Path(f"{start}.md"), as_markdown(heading, remarks, head, shown).encode())
        write_whole(Path(f"{start}.tex"), as_latex(heading, remarks, head, shown).encode())


def standing_cells(rows: Sequence[Standing], names: Sequence[str]) -> list[list[str]]:
    """Return rank, name and values in words, a row a contestant."""
    return [
        [rank_in_words(row), marked_name(row, row.name), *(cell_in_words(row.estimates.get(name)) for name in names)]
        for row in rows
    ]


def csv_row(row: Standing, names: Sequence[str]) -> list[object]:
    ranks = ("", "") if row.rank is None else (row.rank.best, row.rank.worst)
    found = [row.estimates.get(name) for name in names]
    cells = [csv_number(number) for one in found for number in (one[:3] if one else [None] * 3)]
    return [row.name, *ranks, *cells, found[0].n if found[0] else "", rounded_share(row.coverage)]


def cell_in_words(estimate: Estimate | None) -> str:
    return "–" if estimate is None else estimate_in_words(estimate)


def as_markdown(title: str, remarks: Sequence[str], head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    table = markdown.markdown_table(head, [[*map(markdown.escape_markdown, row)] for row in rows])
    return "\n\n".join([f"# {markdown.escape_markdown(title)}", table, *map(markdown.escape_markdown, remarks)]) + "\n"


def as_latex(title: str, remarks: Sequence[str], head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Names stand on the left, ranks and values on the right."""
    lines = [" & ".join(map(escape_latex, row)) + r" \\" for row in (head, *rows)]
    notes = [f"% {harmless_text(one)}" for one in (title, *remarks)]
    columns = "".join("l" if name in ("benchmark", "contestant", "board") else "r" for name in head)
    begin = rf"\begin{{tabular}}{{{columns}}}"
    ruled = [begin, r"\toprule", lines[0], r"\midrule", *lines[1:], r"\bottomrule", r"\end{tabular}"]
    return "\n".join([*notes, *ruled]) + "\n"


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
"""Of board.csv, a line a value of a row of a board. `lowest`, `highest`: the ends of its scale, if any; ranks,
ties and coverage stand in the line of what ranks, the first of a contestant; `trusted`: 0 by a judge that failed its
validation.
"""


def tidy_rows(boards: Sequence[Board], ends: Mapping[str, Mapping[str, Scale]]) -> Iterator[list[object]]:
    """Yield the lines of board.csv: what boards and their tables show, controls too; `ends` by metric and value."""
    for board in boards:
        names = dict.fromkeys((*board.metric.shown, *board.metric.tabled))
        for row in board.rows:
            for name in (name for name in names if name in row.estimates):
                found, scale = row.estimates[name], ends[board.metric.name].get(name, ("", ""))
                ranks: Sequence[object] = [""] * 4
                if name == board.metric.shown[0]:
                    places = ("", "", "") if row.rank is None else (row.rank.best, row.rank.worst, row.tie_group)
                    ranks = [*places, rounded_share(row.coverage)]
                numbers = [*map(csv_number, found[:3]), found.n, *scale]
                yield [board.metric.name, board.judge, row.name, name, *numbers, *ranks, int(board.trusted)]


REMARKS = "remarks.csv"
"""A line a remark on a board: the verdict on the judge, and why somebody has no rank."""


def write_plots(folder: Path, boards: Sequence[Board]) -> None:
    """Write intervals.csv, of what ranks, profiles.csv, of the metrics' profiles, and remarks.csv."""
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
