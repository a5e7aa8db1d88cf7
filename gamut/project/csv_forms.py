"""CSV files that people fill in, by hand or in a spreadsheet: what cannot be read is named with its file and line, and
no spreadsheet computes what others wrote.
"""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import zip_longest
from pathlib import Path

from gamut.project.errors import UserError

MOST_MISTAKES = 20
"""So many mistakes in a file are shown."""
UNSEEN = r"\x00-\x1f\x7f-\x9f\xad\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff"
"""Controls and signs of no width."""
FORMULA = re.compile(rf"""['"\s{UNSEEN}]*[=+@＝＋－＠-]|'*[\t\r\n]""")
"""So begins what a spreadsheet may compute, or would without the quotes and blanks in front."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def guard_cell(text: str) -> str:
    """Put a quote before what a spreadsheet would compute; numbers stay."""
    return f"'{text}" if is_formula(text) else text


def unguard_cell(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and is_formula(cell[1:]) else cell


def is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None


def form_rows(path: Path, columns: Sequence[str], absent: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows with their line numbers, cells without guard and blanks. What spreadsheets add is passed over: a
    mark before UTF-8, other line ends, blank lines, nameless columns. UserError for no such CSV file; `absent` says how
    to fix that it is not there.
    """
    if path.exists() and not path.is_file():
        raise UserError(f"{path}: a folder or pipe, where a CSV file is expected")
    try:
        with path.open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file, strict=True)
            names = unguarded_texts(next(reader, []))
            require_columns(path, names, columns)
            for row in reader:
                cells = list(zip_longest(names, unguarded_texts(row), fillvalue=""))
                if any(cell for name, cell in cells if not name):
                    raise UserError(f"{path}, line {reader.line_num}: it has more cells than the first line names")
                if any(cell for _, cell in cells):
                    yield reader.line_num, {name: cell for name, cell in cells if name}
    except FileNotFoundError:
        raise UserError(f"{path}: no such file{absent}") from None
    except OSError as error:
        raise UserError(f"{path}: cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path}: not UTF-8 text ({error.reason}): convert it first") from None
    except csv.Error as error:
        raise UserError(f"{path}: not readable as CSV, in or before line {reader.line_num}: {error}") from None


def unguarded_texts(cells: Sequence[str]) -> list[str]:
    return [unguard_cell(cell.strip()).strip() for cell in cells]


def require_columns(path: Path, names: Sequence[str], columns: Sequence[str]) -> None:
    if len(names) == 1 and (separator := next((s for s in ";\t" if s in names[0]), None)):
        said = "semicolons" if separator == ";" else "tabs"
        raise UserError(f"{path}, line 1: {said} separate its cells: save it with commas (CSV UTF-8)")
    if missing := [name for name in columns if name not in names]:
        wanted = ",".join(columns)
        raise UserError(f"{path}: its first line has to name the columns {wanted}: no {missing[0]!r}")
    if twice := [name for name, count in Counter(names).items() if name and count > 1]:
        raise UserError(f"{path}, line 1: two columns are named {twice[0]!r}")


def refuse_lines(path: Path, mistakes: Sequence[tuple[int, str]]) -> None:
    lines = [f"{path}, line {number}: {mistake}" for number, mistake in mistakes[:MOST_MISTAKES]]
    if len(mistakes) > MOST_MISTAKES:
        lines.append(f"{path}: {len(mistakes) - MOST_MISTAKES:,} more lines have mistakes")
    if lines:
        raise UserError("\n".join(lines))
