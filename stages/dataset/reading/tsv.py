"""Tab-separated tables: whether quotes hold cells together, or are part of the text.

pandas, R and spreadsheets quote cells that hold quotes, tabs or line ends, and double the quotes in them. Others write
text as it is. Which of the two a file is shows only in all of it; where both readings are possible it is refused.
"""

from __future__ import annotations

import csv
import itertools
import re
from collections.abc import Callable, Iterable, Iterator

from stages.project.errors import UserError

QUOTED = re.compile(r'(?:^|\t)"')
"""A cell that opens with a quote."""
UNCLOSED = re.compile(r'(?:^|\t)"(?:[^"\t]*"[^"\t]*")*[^"\t]*(?:\t|$)')
"""Such a cell that may go on in the next line: it holds an odd number of quotes."""
CELL = re.compile(r'(?:^|(?<=\t))(?:"((?:[^"]|"")*)"|([^\t]*))(?=\t|$)')
"""A cell of a line in which all such cells are closed: what stands in its quotes, or all of it."""


def tsv_rows(where: str, lines: Callable[[], Iterator[str]]) -> Iterator[list[str]]:
    """Yield the rows of a table, the header first; blank lines at the end are no rows.

    `lines` opens the file: it is read twice. UserError where quotes can be read either way, or neither.
    """
    if is_quoted(where, lines):
        return csv.reader(lines(), delimiter="\t", strict=True)
    return (line.split("\t") for line in without_blank_end(lines()))


def is_quoted(where: str, lines: Callable[[], Iterator[str]]) -> bool:
    """Return whether quotes hold cells together.

    As text, each line has as many cells as the header. As quoted cells, each row has, and no quote stands elsewhere.
    Where neither does, it is text with wrong lines, unless a cell may go on in the next line.
    Where both do, doubled quotes or a quoted header speak for quoted cells, and a quote in a cell without quotes
    around it speaks for text.
    """
    if not any(QUOTED.search(line) for line in lines()):
        return False
    first = next(lines()).rstrip("\r\n")
    as_text = all(line.count("\t") == first.count("\t") for line in without_blank_end(lines()))
    cells = quoted_cells(lines())
    if cells is None:
        if as_text or not any(UNCLOSED.search(line.rstrip("\r\n")) for line in lines()):
            return False
        raise UserError(
            f"{where}: quotes that open a cell are not closed behind it: save it as .csv, .jsonl or .parquet"
        )
    doubled, bare = cells
    if as_text and doubled == bare:
        raise UserError(
            f"{where}: its quotes may hold cells together or be part of the text: save it as .csv, .jsonl or .parquet"
        )
    return not as_text or doubled


def quoted_cells(lines: Iterable[str]) -> tuple[bool, bool] | None:
    """Return whether quoted cells hold quotes (or are the header's), and whether others do; None for a table that is
    not quoted cells.
    """
    raw: list[str] = []

    def noted() -> Iterator[str]:
        for line in lines:
            raw.append(line)
            yield line

    doubled, bare, width = False, False, 0
    try:
        for row in csv.reader(noted(), delimiter="\t", strict=True):
            text = "".join(raw).rstrip("\r\n")
            raw.clear()
            if not row:
                continue
            if '"' in text:
                for quoted, plain in CELL.findall(text):
                    doubled = doubled or '""' in quoted or (not width and bool(quoted))
                    bare = bare or '"' in plain
            width = width or len(row)
            if len(row) != width:
                return None
    except csv.Error:
        return None
    return doubled, bare


def without_blank_end(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines without their line ends, and without blank ones after the last that is not."""
    blank = 0
    for line in lines:
        bare = line.rstrip("\r\n")
        if not bare:
            blank += 1
            continue
        yield from itertools.repeat("", blank)
        blank = 0
        yield bare
