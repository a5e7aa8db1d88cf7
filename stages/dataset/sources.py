"""Captions from every source, each row with its id, before any filter (FLUX-Reason-6M, section 2.2).

A row that cannot be used is not dropped: it stays with status `invalid_input` and the reason.
"""

from __future__ import annotations

import csv
import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import orjson
import pyarrow as pa

from stages.dataset.joins import CAPTIONS
from stages.errors import UserError, nearest
from stages.params import FileSource, Params, SandboxSource
from stages.stage import main
from stages.tables import ROWS_PER_SLICE, Row, TableWriter, make_id, open_parquet, place, readable

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("wave", pa.string()),
        pa.field("source", pa.string()),
        pa.field("source_id", pa.string()),
        pa.field("caption", pa.string()),
        pa.field("status", pa.string()),
        pa.field("reason", pa.string()),
    ]
)
Raw = dict[str, Any] | str
"""A source row by column, or a sentence that says why it could not be read."""


def sources(params: Params) -> None:
    """Write the captions of all sources, one wave each."""
    with TableWriter(CAPTIONS, SCHEMA) as table:
        for source in params.sources:
            rows = sandbox_rows(source) if isinstance(source, SandboxSource) else file_rows(source)
            total = 0
            for (shard, _), group in itertools.groupby(rows, key=lambda row: place(row["id"])):
                batch = list(group)
                table.write(shard, batch)
                total += len(batch)
            if not total:
                table.write(place(make_id(source.wave, 0))[0], [])
            print(f"sources: wave {source.wave}: {total:,} rows" + ("" if total else f" ({origin(source)} is empty)"))


def origin(source: SandboxSource | FileSource) -> str:
    """Where a source's captions come from, in a word."""
    return "sandbox" if isinstance(source, SandboxSource) else source.path


def sandbox_rows(source: SandboxSource) -> Iterator[Row]:
    """Captions of random scenes."""
    from stages.sandbox.answers import captions

    for ordinal, caption in enumerate(captions(source.count, source.seed)):
        yield row_of(source, ordinal, {"caption": caption}, "caption", None, set())


def file_rows(source: FileSource) -> Iterator[Row]:
    """All rows of a source file, in order."""
    seen: set[str] = set()
    keys: set[str] = set()
    for ordinal, raw in enumerate(itertools.islice(read(source), source.limit)):
        keys.update(raw if isinstance(raw, dict) else ())
        yield row_of(source, ordinal, raw, source.columns.caption, source.columns.source_id, seen)
    if keys:
        demand_columns(Path(source.path), mapped(source), sorted(keys))


def row_of(
    source: SandboxSource | FileSource, ordinal: int, raw: Raw, caption: str, source_id: str | None, seen: set[str]
) -> Row:
    """One row of the captions table; `seen` holds the source ids so far."""
    row: Row = {"id": make_id(source.wave, ordinal), "wave": source.wave, "source": origin(source)}
    row |= {"source_id": None, "caption": None, "status": "invalid_input", "reason": None}
    if isinstance(raw, str):
        return row | {"reason": raw}
    text = raw.get(caption)
    if source_id is not None:
        row["source_id"] = None if raw.get(source_id) in (None, "") else str(raw[source_id])
    if text is None or text == "":
        return row | {"reason": f"column {caption!r} is empty"}
    if not isinstance(text, str):
        return row | {"reason": f"column {caption!r} holds {type(text).__name__}, not text"}
    row["caption"] = text
    if row["source_id"] is not None:
        if row["source_id"] in seen:
            return row | {"reason": f"source id {row['source_id']!r} is taken by an earlier row"}
        seen.add(row["source_id"])
    return row | {"status": "ok"}


def read(source: FileSource) -> Iterator[Raw]:
    """A file's rows by column name; raises UserError when the file or a mapped column is not there."""
    path = Path(source.path)
    if not path.is_file():
        raise UserError(f"{path}: no such file (wave {source.wave!r} in params.yaml): put it there, or `dvc pull` it")
    readers = {".parquet": read_parquet, ".jsonl": read_jsonl, ".csv": read_csv, ".tsv": read_tsv}
    return readers[path.suffix](path, mapped(source))


def mapped(source: FileSource) -> list[str]:
    """Names of the columns that the source's mapping uses."""
    return [name for name in (source.columns.caption, source.columns.source_id) if name is not None]


def demand_columns(path: Path, wanted: Iterable[str], known: list[str]) -> None:
    """Raise UserError for the first wanted column that is not known."""
    for name in wanted:
        if name not in known:
            raise UserError(f"{path}: there is no column {name!r}{nearest(name, known)}")


def read_parquet(path: Path, names: list[str]) -> Iterator[Raw]:
    """Rows of a Parquet file, only the columns in use."""
    with open_parquet(path) as file:
        demand_columns(path, names, file.schema_arrow.names)
        batches = file.iter_batches(ROWS_PER_SLICE, columns=names)
        while True:
            with readable(path):
                batch = next(batches, None)
                rows = batch.to_pylist() if batch else None
            if rows is None:
                return
            yield from rows


def read_jsonl(path: Path, names: list[str]) -> Iterator[Raw]:
    """One JSON object a line; a bad line is a row that says so."""
    for number, line in enumerate(lines(path), start=1):
        try:
            row = orjson.loads(line)
        except orjson.JSONDecodeError as error:
            yield f"line {number} is not JSON: {error}"
            continue
        yield row if isinstance(row, dict) else f"line {number} is not a JSON object"


def read_csv(path: Path, names: list[str]) -> Iterator[Raw]:
    """Comma-separated with quotes (RFC 4180)."""
    csv.field_size_limit(2**31 - 1)
    return by_header(path, names, csv.reader(lines(path), strict=True))


def read_tsv(path: Path, names: list[str]) -> Iterator[Raw]:
    """Tab-separated; quotes are ordinary characters there."""
    return by_header(path, names, (line.rstrip("\r\n").split("\t") for line in lines(path)))


def by_header(path: Path, names: list[str], rows: Iterator[list[str]]) -> Iterator[Raw]:
    """Rows of cells as mappings by the header; a row of another length is one that says so."""
    try:
        header = next(rows, None)
        if header is None:
            return
        demand_columns(path, names, header)
        for row in rows:
            if len(row) == len(header):
                yield dict(zip(header, row, strict=True))
            else:
                yield f"has {len(row)} cells where the header has {len(header)}"
    except csv.Error as error:
        line = getattr(rows, "line_num", "?")
        raise UserError(f"{path}: not readable as CSV, in or before line {line}: {error}") from None


def lines(path: Path) -> Iterator[str]:
    """A text file's lines; raises UserError when it is not UTF-8."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        try:
            yield from file
        except UnicodeDecodeError as error:
            raise UserError(f"{path}: not UTF-8 text ({error.reason}): convert it first") from None


if __name__ == "__main__":
    main("sources", sources)
