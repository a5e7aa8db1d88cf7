"""A benchmark's tables as in its paper, in Markdown and LaTeX: a row for each contestant, with its variants below it.
Printed values are added if the edition is the published one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import origin_path, read_origin
from gamut.evaluation.defining.measures import PaperTable, Printed, TableColumn
from gamut.evaluation.defining.parameters import Contestant, Params
from gamut.evaluation.scoring.board import Board, Standing, estimate_in_words, marked_name
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.tables import as_latex, as_markdown
from gamut.project.files import read_metrics, write_whole
from gamut.project.plain_text import decimals
from gamut.project.validation import read_checked

DASH = "–"
"""Used if there is no value: a contestant does not do the task, or was not asked."""
PRINTED = " (printed)"
PRINTED_NOTE = """\
Rows marked "(printed)" are from the paper: its authors measured them with their own judge and questions. With another \
judge or other questions, values are not comparable with them."""
RELEASED_NOTE = "Computed as in the released scripts, which leave out missing answers; without intervals: "


class Measured(NamedTuple):
    """The values by one judge: standings by metric and contestant, and the values of the released scripts."""

    judge: str
    standings: Mapping[tuple[str, str], Standing]
    released: Mapping[str, float]

    def estimate(self, column: TableColumn, metric: str, contestant: str) -> Estimate | None:
        if column.released:
            value = self.released.get(column.released.format(judge=self.judge, contestant=contestant))
            return None if value is None else Estimate(value, None, None, 0)
        row = self.standings.get((column.metric or metric, contestant))
        return row.estimates.get(column.value) if row else None


def write_paper_tables(benchmark: AnyBenchmark, params: Params, boards: Sequence[Board]) -> None:
    """Write the tables. A table without a value for any contestant is not written."""
    block, folder = benchmark.block(params), benchmark.metrics_folder(params)
    path = folder / "released.json"
    released = read_metrics(path)
    printed, contestants = printed_of(benchmark, params), in_families(benchmark.contestants(params))
    for judge in block.judged_by:
        own = [board for board in boards if board.judge in (judge, board.metric.by)]
        standings = {(board.metric.name, row.name): row for board in own for row in board.rows}
        measured = Measured(judge, standings, released)
        for table in benchmark.tables(block):
            if not (rows := [*measured_rows(table, measured, contestants)]):
                continue
            remarks = [remark for board in own if board.metric.name in table.rows for remark in board.remarks]
            notes = [table.note, *dict.fromkeys(remarks)]
            if released_columns := [column.words for column in table.columns if column.released]:
                notes.append(RELEASED_NOTE + ", ".join(released_columns))
            if printed and (beside := [*printed_rows(table, printed)]):
                rows, notes = [*rows, *beside], [*notes, PRINTED_NOTE, printed.note]
            title = f"{benchmark.title}, edition {block.edition}, {table.title}, by {judge}"
            shown = title, [*filter(None, notes)], ("contestant", *(column.words for column in table.columns)), rows
            start = folder / "tables" / f"{table.name}.{judge}"
            write_whole(Path(f"{start}.md"), as_markdown(*shown).encode())
            write_whole(Path(f"{start}.tex"), as_latex(*shown).encode())


def measured_rows(table: PaperTable, measured: Measured, contestants: Sequence[str]) -> Iterator[list[str]]:
    for contestant in contestants:
        for metric, behind in table.rows.items():
            found = [measured.estimate(column, metric, contestant) for column in table.columns]
            if any(found):
                row = measured.standings.get((metric, contestant))
                name = marked_name(row, contestant) if row else contestant
                yield [name + behind, *(cell(one, table) for one in found)]


def cell(estimate: Estimate | None, table: PaperTable) -> str:
    if estimate is None:
        return DASH
    low, high = (None if one is None else one * table.factor for one in (estimate.low, estimate.high))
    return estimate_in_words(Estimate(estimate.value * table.factor, low, high, estimate.n), table.places)


def printed_rows(table: PaperTable, printed: Printed) -> Iterator[list[str]]:
    for name, values in printed.tables.get(table.name, {}).items():
        yield [name + PRINTED, *(DASH if value is None else decimals(value, table.places) for value in values)]


def printed_of(benchmark: AnyBenchmark, params: Params) -> Printed | None:
    """Return the printed values. None if the edition is another one, or a part, with other values."""
    path = origin_path(benchmark.name, benchmark.block(params).edition)
    if not benchmark.printed or (origin := read_origin(path)) is None:
        return None
    printed = read_checked(Printed, Path(benchmark.printed))
    whole = benchmark.edition(params).read_bytes().count(b"\n") >= printed.items
    return printed if whole and any(one.casefold() in origin.source.casefold() for one in printed.sources) else None


def in_families(contestants: Mapping[str, Contestant]) -> list[str]:
    """Return contestants in their order, each followed by its variants."""

    def family(name: str) -> Iterator[str]:
        yield name
        for variant, one in contestants.items():
            if one.variant_of == name:
                yield from family(variant)

    bases = [name for name, one in contestants.items() if one.variant_of not in contestants]
    return list(dict.fromkeys([*(one for base in bases for one in family(base)), *contestants]))
