"""CSV files that people fill in, by hand or in a spreadsheet. Errors name file and line, and no spreadsheet runs text
of others as a formula.
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
"""The most mistakes that are shown for a file."""
UNSEEN = r"\x00-\x1f\x7f-\x9f\xad\u180e\u200b-\u200f\u2028-\u202f\u2060-\u206f\ufeff"
"""Control characters and characters without width."""
FORMULA = re.compile(rf"""['"\s{UNSEEN}]*[=+@＝＋－＠-]|'*[\t\r\n]""")
"""The start of a text that a spreadsheet may compute, perhaps after quotes and blanks."""
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)


def guard_cell(text: str) -> str:
    """Put a quote before a text that a spreadsheet would compute; numbers stay."""
    return f"'{text}" if is_formula(text) else text


def unguard_cell(cell: str) -> str:
    return cell[1:] if cell.startswith("'") and is_formula(cell[1:]) else cell


def is_formula(text: str) -> bool:
    return FORMULA.match(text) is not None and NUMBER.fullmatch(text) is None


def form_rows(path: Path, columns: Sequence[str], absent: str) -> Iterator[tuple[int, dict[str, str]]]:
    """Yield the rows with their line numbers, cells without guard and blanks. Additions of spreadsheets are ignored: a
    mark before UTF-8, other line ends, blank lines, nameless columns. Raise UserError if it is not such a CSV file;
    `absent` tells how to fix a missing one.
    """
    if path.exists() and not path.is_file():
        raise UserError(f"{path} is a folder or pipe, but a CSV file is expected")
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
        raise UserError(f"{path} cannot be read ({error.strerror})") from None
    except UnicodeDecodeError as error:
        raise UserError(f"{path} is not UTF-8 text ({error.reason}): convert it first") from None
    except csv.Error as error:
        raise UserError(f"{path} cannot be read as CSV, in or before line {reader.line_num}: {error}") from None


def unguarded_texts(cells: Sequence[str]) -> list[str]:
    return [unguard_cell(cell.strip()).strip() for cell in cells]


def require_columns(path: Path, names: Sequence[str], columns: Sequence[str]) -> None:
    if len(names) == 1 and (separator := next((s for s in ";\t" if s in names[0]), None)):
        said = "semicolons" if separator == ";" else "tabs"
        raise UserError(f"{path}, line 1: {said} separate its cells: save it with commas (CSV UTF-8)")
    if missing := [name for name in columns if name not in names]:
        wanted = ",".join(columns)
        raise UserError(f"{path}: its first line must name the columns {wanted}: {missing[0]!r} is missing")
    if twice := [name for name, count in Counter(names).items() if name and count > 1]:
        raise UserError(f"{path}, line 1: two columns are named {twice[0]!r}")


def refuse_lines(path: Path, mistakes: Sequence[tuple[int, str]]) -> None:
    lines = [f"{path}, line {number}: {mistake}" for number, mistake in mistakes[:MOST_MISTAKES]]
    if len(mistakes) > MOST_MISTAKES:
        lines.append(f"{path}: {len(mistakes) - MOST_MISTAKES:,} more lines have mistakes")
    if lines:
        raise UserError("\n".join(lines))
