"""Rows of sources in files: tables (Parquet, CSV, TSV, JSON lines) and folders of images with captions beside them.

Files and folders are read in the order of their names; hidden ones (`.name`) are no part of a source.
"""

from __future__ import annotations

import csv
import itertools
import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow.parquet as pq

from stages.dataset.reading.columns import ROWS_AT_ONCE, Found, FoundRow, mapped, picked, require_columns
from stages.dataset.shared.parameters import FileSource, FolderSource
from stages.project.errors import UserError
from stages.project.inputs import files_below, is_visible, regular, repeated_keys, require_no_circle
from stages.tables.reading import open_parquet, readable

Cells = dict[str, Any] | str
"""A table's row by column, or a sentence that says why it cannot be read."""
PARQUET = ".parquet"
IMAGE_SUFFIXES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".avif")
BESIDE = (".txt", ".json")
"""Beside NAME.jpg: its caption, and what img2dataset notes about it."""
BUFFER = 2**20
"""Bytes of a column that are read at once. Without it a whole row group is, which may hold gigabytes of images."""


def file_rows(source: FileSource) -> Iterator[FoundRow]:
    """Yield all rows of a table, in order; raises UserError when the file or a mapped column is not there."""
    path, wanted = there(source), mapped(source.columns)
    keys: set[str] = set()
    for cells in itertools.islice(read(path, wanted), source.limit):
        if isinstance(cells, str):
            yield cells
        else:
            keys.update(cells)
            yield picked(source.columns, cells)
    if keys:
        require_columns(path, wanted, sorted(keys))


def folder_rows(source: FolderSource) -> Iterator[FoundRow]:
    """Yield all images of a folder in order of their paths, which are their source ids; NAME.txt beside one is its
    caption.

    Raises UserError when the folder is not there or a file cannot be read.
    """
    top = there(source)
    for image in itertools.islice(filter(is_image, files_below(top)), source.limit):
        name = os.fsencode(image.relative_to(top)).decode(errors="backslashreplace")
        text = image.with_suffix(".txt")
        try:
            caption = regular(text).read_text(encoding="utf-8-sig").strip() if os.path.lexists(text) else None
            yield Found(caption, regular(image).read_bytes(), name)
        except UnicodeDecodeError as error:
            yield f"the caption beside {name} is not UTF-8 text ({error.reason})"
        except OSError as error:
            raise UserError(f"{error.filename}: cannot be read ({error.strerror}): mend or remove it") from None


def left_aside(source: FileSource | FolderSource) -> int:
    """Return how many files of a source's folder are no part of it: neither read nor beside an image."""
    count = 0
    for here, folders, names in os.walk(source.path, followlinks=True):
        folders[:] = filter(is_visible, folders)
        for name in folders:
            require_no_circle(Path(here, name))
        files = [Path(name) for name in names if is_visible(name)]
        if isinstance(source, FileSource):
            count += sum(file.suffix != PARQUET for file in files)
        else:
            stems = {file.stem for file in files if is_image(file)}
            count += sum(not is_image(file) and not (file.suffix in BESIDE and file.stem in stems) for file in files)
    return count


def there(source: FileSource | FolderSource) -> Path:
    """Return the path of a source that is there and is what it is said to be, or a UserError."""
    path = Path(source.path)
    kind = "file" if isinstance(source, FileSource) and path.suffix else "folder"
    if not path.exists():
        raise UserError(f"{path}: no such {kind} (wave {source.wave!r} in params.yaml): put it there, or `dvc pull` it")
    if kind == "folder" and not path.is_dir():
        raise UserError(f"{path}: is no folder (wave {source.wave!r} in params.yaml): give the file's name an ending")
    return path


def parquet_files(folder: Path) -> list[Path]:
    """Return the Parquet files of a source's folder, in the order in which they are read."""
    return [file for file in files_below(folder) if file.suffix == PARQUET]


def is_image(path: Path) -> bool:
    """Return whether a file claims to be an image."""
    return path.suffix.lower() in IMAGE_SUFFIXES


def read(path: Path, wanted: list[str]) -> Iterator[Cells]:
    """Return rows of a file, or of all Parquet files of a folder."""
    if not path.is_dir():
        return READERS[path.suffix](path, wanted)
    files = parquet_files(path)
    for file in files:  # first of all, so that hours of reading do not end at the last one
        with open_parquet(file) as opened:
            require_columns(file, wanted, opened.schema_arrow.names)
    return itertools.chain.from_iterable(read_parquet(file, wanted) for file in files)


def read_parquet(path: Path, wanted: list[str]) -> Iterator[Cells]:
    """Yield rows of a Parquet file, only the columns in use, few at a time: they may be images."""
    with readable(path):
        file = pq.ParquetFile(regular(path), buffer_size=BUFFER, pre_buffer=False)
    with file:
        require_columns(path, wanted, file.schema_arrow.names)
        batches = file.iter_batches(ROWS_AT_ONCE, columns=wanted)
        while True:
            with readable(path):
                batch = next(batches, None)
                rows = batch.to_pylist() if batch else None
            if rows is None:
                return
            yield from rows


def read_jsonl(path: Path, wanted: list[str]) -> Iterator[Cells]:
    """Yield one JSON object a line; a bad line is a row that says so."""
    for number, line in enumerate(lines(path), start=1):
        if not line.strip():
            continue
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield f"line {number} is not JSON: {error}"
            continue
        if not isinstance(row, dict):
            yield f"line {number} is not a JSON object"
        elif twice := set(wanted).intersection(repeated_keys(line)):
            yield f"line {number} has the key {min(twice)!r} twice"
        else:
            yield row


def read_csv(path: Path, wanted: list[str]) -> Iterator[Cells]:
    """Comma-separated with quotes (RFC 4180)."""
    csv.field_size_limit(2**31 - 1)
    return by_header(path, wanted, csv.reader(lines(path), strict=True))


def read_tsv(path: Path, wanted: list[str]) -> Iterator[Cells]:
    """Tab-separated; quotes are ordinary characters there. Blank lines at the end are no rows."""
    return by_header(path, wanted, (line.split("\t") for line in without_blank_end(lines(path))))


READERS: dict[str, Callable[[Path, list[str]], Iterator[Cells]]] = {
    PARQUET: read_parquet,
    ".jsonl": read_jsonl,
    ".csv": read_csv,
    ".tsv": read_tsv,
}


def by_header(path: Path, wanted: list[str], rows: Iterator[list[str]]) -> Iterator[Cells]:
    """Yield rows of cells as mappings by the header; a row of another length is one that says so."""
    try:
        header = next(rows, None)
        if header is None:
            return
        require_columns(path, wanted, header)
        for row in rows:
            if not row:  # a blank line
                continue
            if len(row) == len(header):
                yield dict(zip(header, row, strict=True))
            else:
                yield f"has {len(row)} cells where the header has {len(header)}"
    except csv.Error as error:
        line = getattr(rows, "line_num", "?")
        raise UserError(f"{path}: not readable as CSV, in or before line {line}: {error}") from None


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


def lines(path: Path) -> Iterator[str]:
    """Yield a text file's lines; raises UserError when it is not UTF-8."""
    with regular(path).open(encoding="utf-8-sig", newline="") as file:
        try:
            yield from file
        except UnicodeDecodeError as error:
            raise UserError(f"{path}: not UTF-8 text ({error.reason}): convert it first") from None
