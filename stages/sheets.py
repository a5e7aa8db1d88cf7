"""CSV files that people fill in, by hand or in a spreadsheet: what cannot be read is named with its file and line."""

from __future__ import annotations

import csv
from collections.abc import Iterator, Sequence
from pathlib import Path

from stages.errors import UserError

MOST_MISTAKES = 20
"""So many mistakes in a file are shown."""


def sheet_rows(path: Path, columns: Sequence[str], absent: str) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows with their line numbers, cells without blanks around them; columns beyond the wanted ones may be there.

    A UserError when it is no such CSV file; `absent` says how to mend that it is not there. The mark that spreadsheets
    put before UTF-8 is passed over.
    """
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.DictReader(file, restval="", strict=True)
            names = reader.fieldnames or []
            if len(names) == 1 and (separator := next((s for s in ";\t" if s in names[0]), None)):
                said = "semicolons" if separator == ";" else "tabs"
                raise UserError(f"{path}, line 1: {said} separate its cells: save it with commas (CSV UTF-8)")
            missing = [name for name in columns if name not in names]
            if missing:
                wanted = ",".join(columns)
                raise UserError(f"{path}: its first line has to name the columns {wanted}: no {missing[0]!r}")
            for row in reader:
                if None in row:
                    raise UserError(f"{path}, line {reader.line_num}: it has more cells than the first line names")
                yield reader.line_num, {name: cell.strip() for name, cell in row.items() if isinstance(cell, str)}
    except FileNotFoundError:
        raise UserError(f"{path}: no such file{absent}") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason}): convert it first") from None
    except csv.Error as error:
        raise UserError(f"{path}: not readable as CSV, in or before line {reader.reader.line_num}: {error}") from None


def refuse(path: Path, mistakes: Sequence[tuple[int, str]]) -> None:
    """Raise a UserError with a line for each of the first mistakes (line number, words), if there are any."""
    lines = [f"{path}, line {number}: {mistake}" for number, mistake in mistakes[:MOST_MISTAKES]]
    if len(mistakes) > MOST_MISTAKES:
        lines.append(f"{path}: {len(mistakes) - MOST_MISTAKES:,} more lines have mistakes")
    if lines:
        raise UserError("\n".join(lines))
