"""Tables of sources: Parquet, JSON and JSON lines, CSV, TSV, and texts with one row per line, packed or not.

Text stays text: "NA", "nan" and "None" in a cell are captions; only nulls and blanks are empty.
"""

from __future__ import annotations

import csv
import io
import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, NamedTuple

import pyarrow.parquet as pq

from gamut.dataset.reading.folders import Folder, damage_in_one_line, ending, unpack
from gamut.dataset.shared.source_blocks import Columns
from gamut.project.errors import UserError, nearest_choice
from gamut.project.inputs import DoubledObject, json_object

ROWS_AT_ONCE = 16
"""How many rows of Parquet are read at once: they may be images of megabytes each."""
Wanted = Sequence[str] | None
"""Columns that must exist and are read; None: all columns."""
Opener = Callable[[], IO[bytes]]
SURROGATE = re.compile("[\ud800-\udfff]")
"""Half a character outside the basic plane, which UTF-8 cannot hold."""
DECODER = json.JSONDecoder(object_pairs_hook=json_object)
"""It reads NaN and Infinity, which Python writes, as numbers, and keeps whole numbers exact."""
PARQUET = ".parquet"
BUFFER = 2**20
"""Bytes of a column that are read at once. By default a whole row group is read, which may hold gigabytes of images."""


class RawRow(NamedTuple):
    """One row as a source holds it: nothing is checked, anything may be missing or of a wrong type."""

    caption: object = None
    image: object = None
    source_id: object = None


RawRowOrReason = RawRow | str
"""A row as found, or a sentence that says why it cannot be read."""
Cells = dict[str, Any] | str
"""A row by column, or such a sentence."""


def mapped_columns(columns: Columns) -> list[str]:
    """Return each name once."""
    return list(dict.fromkeys(filter(None, (columns.caption, columns.image, columns.source_id))))


def pick_cells(columns: Columns, row: Mapping[str, Any]) -> RawRow:
    """Return what a row holds in the mapped columns; NaN, which pandas writes for missing values, becomes None."""
    names = (columns.caption, columns.image, columns.source_id)
    values = (None if name is None else row.get(name) for name in names)
    return RawRow(*(None if isinstance(value, float) and math.isnan(value) else value for value in values))


def require_columns(where: Path | str, wanted: Iterable[str], known: Iterable[str]) -> None:
    """Raise UserError, which begins with `where`, for the first wanted column that is missing or occurs twice."""
    known = list(known)
    for name in wanted:
        if name not in known:
            raise UserError(f"{where}: there is no column {name!r}{nearest_choice(name, known)}")
        if known.count(name) > 1:
            raise UserError(f"{where}: {known.count(name)} columns are called {name!r}: rename all but one")


def read_table(folder: Folder, name: str, wanted: Wanted) -> Iterator[Cells]:
    """Yield the rows of a table; UserError for a damaged file, or a column missing in the header (JSON has none)."""
    where = folder.path_of(name)
    reader = READERS[ending(name)]
    csv.field_size_limit(2**31 - 1)  # the default is 131,072
    with damage_in_one_line(where):
        yield from reader(where, lambda: unpack(name, folder.open(name)), wanted)


def read_parquet(where: str, open: Opener, wanted: Wanted) -> Iterator[Cells]:
    """Read few rows at a time: they may be images."""
    with open() as opened:
        with parquet_errors_in_one_line(where):
            file = pq.ParquetFile(opened, buffer_size=BUFFER, pre_buffer=False)
        if wanted is not None:
            require_columns(where, wanted, file.schema_arrow.names)
        batches = file.iter_batches(ROWS_AT_ONCE, columns=None if wanted is None else list(wanted))
        while True:
            with parquet_errors_in_one_line(where):
                batch = next(batches, None)
                rows = batch.to_pylist() if batch else None
            if rows is None:
                return
            yield from rows


def parquet_columns(folder: Folder, name: str) -> list[str]:
    with folder.open(name) as opened, parquet_errors_in_one_line(folder.path_of(name)):
        return list(pq.read_schema(opened).names)


@contextmanager
def parquet_errors_in_one_line(where: str) -> Iterator[None]:
    """Turn Parquet errors into a UserError of one line; errors of the network pass through."""
    try:
        yield
    except (ValueError, OSError) as error:  # Arrow's errors, and text that is not UTF-8, are ValueErrors
        if isinstance(error, OSError) and type(error) is not OSError:
            raise
        said = str(error).splitlines()[0]
        raise UserError(f"{where}: this is not a readable Parquet file ({said}): fetch or write it again") from None


def read_json(where: str, open: Opener, wanted: Wanted) -> Iterator[Cells]:
    """Yield one JSON object per line, or those of an array or of a document over several lines, which is read whole.

    A bad line becomes a reason instead of a row.
    """
    with open() as file:
        first = next((line for line in text_lines(where, file) if line.strip()), "").strip()
    with open() as file:
        if first.startswith("[") or first == "{":
            for number, value in enumerate(json_entries(where, "".join(text_lines(where, file))), start=1):
                yield check_row(value, f"entry {number}", wanted)
            return
        for number, line in enumerate(text_lines(where, file), start=1):
            if line.strip():
                try:
                    yield check_row(DECODER.decode(line), f"line {number}", wanted)
                except (ValueError, RecursionError) as error:
                    yield f"line {number} is not JSON: {error}"


def json_entries(where: str, text: str) -> list[Any]:
    """Return the entries of a JSON array, or JSON values one after another, over any number of lines."""
    values, position = list[Any](), 0
    try:
        while position < len(text):
            if text[position].isspace():
                position += 1
                continue
            value, position = DECODER.raw_decode(text, position)
            values.append(value)
    except (ValueError, RecursionError) as error:
        raise UserError(f"{where}: this is neither JSON lines nor a JSON array ({error}): fix or convert it") from None
    return values[0] if len(values) == 1 and isinstance(values[0], list) else values


def check_row(row: Any, label: str, wanted: Wanted) -> Cells:
    """Return a JSON value as a row, or the reason why it is not one."""
    if not isinstance(row, dict):
        return f"{label} is not a JSON object"
    repeated = row.keys_twice if isinstance(row, DoubledObject) else ()
    for column in row if wanted is None else wanted:
        if column in repeated:
            return f"{label} has the key {column!r} twice"
        if isinstance(value := row.get(column), str) and SURROGATE.search(value):
            return f"{label} is not JSON: half a character in {column!r}"
    return row


def read_csv(where: str, open: Opener, wanted: Wanted) -> Iterator[Cells]:
    """Yield comma-separated rows with quotes (RFC 4180)."""
    with open() as file:
        yield from rows_by_header(where, wanted, csv.reader(text_lines(where, file), strict=True))


def read_tsv(where: str, open: Opener, wanted: Wanted) -> Iterator[Cells]:
    """Yield tab-separated rows, with or without quotes; blank lines at the end are not rows."""

    def all_lines() -> Iterator[str]:
        with open() as file:
            yield from text_lines(where, file)

    if is_quoted(where, all_lines):
        yield from rows_by_header(where, wanted, csv.reader(all_lines(), delimiter="\t", strict=True))
    else:
        yield from rows_by_header(where, wanted, (line.split("\t") for line in without_blank_end(all_lines())))


def read_text(where: str, open: Opener, wanted: Wanted) -> Iterator[Cells]:
    """Yield one row per line, in the column `text`."""
    require_columns(where, wanted or (), ["text"])
    with open() as file:
        yield from ({"text": line} for line in without_blank_end(text_lines(where, file)))


READERS: dict[str, Callable[[str, Opener, Wanted], Iterator[Cells]]] = {
    PARQUET: read_parquet,
    ".jsonl": read_json,
    ".ndjson": read_json,
    ".csv": read_csv,
    ".tsv": read_tsv,
    ".json": read_json,
    ".txt": read_text,
}


def rows_by_header(where: str, wanted: Wanted, rows: Iterator[list[str]]) -> Iterator[Cells]:
    """Yield rows by the names of the first row; a row of another length becomes a reason."""
    try:
        header = next(rows, None)
        if header is None:
            return
        require_columns(where, wanted or (), header)
        for row in rows:
            if not row:  # a blank line
                continue
            if len(row) == len(header):
                yield dict(zip(header, row, strict=True))
            else:
                yield f"has {len(row)} cells where the header has {len(header)}"
    except csv.Error as error:
        line = getattr(rows, "line_num", "?")
        raise UserError(f"{where}: this cannot be read as CSV, in or before line {line}: {error}") from None


def text_lines(where: str, file: IO[bytes]) -> Iterator[str]:
    try:
        yield from io.TextIOWrapper(file, encoding="utf-8-sig", newline="")
    except UnicodeDecodeError as error:
        raise UserError(f"{where}: this is not UTF-8 text ({error.reason}): convert it first") from None


def is_quoted(where: str, open: Callable[[], Iterator[str]]) -> bool:
    """Return whether quotes enclose cells of a tab-separated table (as pandas, R and spreadsheets write them), or are
    part of the text. UserError if both or neither is possible.

    Read as text, each line must have as many cells as the header; read as quoted cells, each row must. If both hold,
    doubled quotes or a quoted header mean quoted cells, and a quote inside a cell that does not begin with one means
    text.
    """
    header = next(open(), "").rstrip("\r\n")
    opening, doubled, bare, as_text, filled = False, header.startswith('"'), False, True, 0
    for line in without_blank_end(open()):
        filled += bool(line)
        as_text = as_text and line.count("\t") == header.count("\t")
        for cell in line.split("\t") if '"' in line else ():
            quoted = cell.startswith('"')
            opening, doubled = opening or quoted, doubled or (quoted and '""' in cell[1:-1])
            bare = bare or (not quoted and '"' in cell)
    if not opening:
        return False
    try:
        widths = Counter(len(row) for row in csv.reader(open(), delimiter="\t", strict=True) if row)
    except csv.Error:
        widths = Counter()
    as_cells = len(widths) == 1
    if as_text != as_cells:
        return as_cells
    if as_text and doubled != bare and widths.total() == filled:
        return doubled
    raise UserError(
        f"{where}: quotes in it may enclose cells or be part of the text: save it as .csv, .jsonl or .parquet"
    )


def without_blank_end(lines: Iterator[str]) -> Iterator[str]:
    """Yield lines without their line ends, and without the blank lines at the end."""
    blank = 0
    for line in lines:
        bare = line.rstrip("\r\n")
        if not bare:
            blank += 1
            continue
        yield from itertools.repeat("", blank)
        blank = 0
        yield bare
