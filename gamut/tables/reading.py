"""Reads tables: their manifests, and their rows by shard, work slice or id, one row group in memory at a time."""

from __future__ import annotations

import itertools
import json
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

from gamut.project.errors import UserError, system_refusal
from gamut.project.inputs import regular_file
from gamut.tables.columns import Row, compute, count_values, place

MANIFEST = "_manifest.json"
"""The name of a table's manifest; readers of folders skip names that begin with `_`."""


def manifest_path(folder: Path) -> Path:
    return folder / MANIFEST


def manifest(folder: Path) -> Any:
    """Read a table's manifest. Raise UserError if the table does not exist or is not complete."""
    path = manifest_path(folder)
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(
            f"{folder}: there is no finished table here: run `dvc repro`, or `dvc pull` to fetch it"
        ) from None
    except ValueError as error:  # not JSON, or not UTF-8
        raise UserError(f"{path} is damaged ({error}): run `dvc checkout {folder} --force`") from None


def shard_names(folder: Path) -> list[str]:
    return [shard["name"].removesuffix(".parquet") for shard in manifest(folder)["shards"]]


def open_parquet(path: Path, buffer: int = 0) -> pq.ParquetFile:
    """Open a Parquet file. It reads `buffer` bytes of a column at once; without it, all of a row group's."""
    with parquet_errors_in_one_line(path):
        return pq.ParquetFile(regular_file(path), buffer_size=buffer, pre_buffer=not buffer)


@contextmanager
def parquet_errors_in_one_line(path: Path) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise UserError(f"{path}: no such file") from None
    except (ValueError, OSError) as error:  # Arrow's errors, and text that is not UTF-8, are ValueErrors
        if isinstance(error, OSError) and (line := system_refusal(OSError(error.errno, "", str(path)))) is not None:
            raise UserError(line) from None  # Arrow's own have no file's name
        first_line = str(error).splitlines()[0]
        raise UserError(f"{path}: not a readable Parquet file ({first_line}): fetch or write it again") from None


def read_shard(folder: Path, shard: str, columns: Sequence[str] | None = None) -> list[Row]:
    return list(shard_rows(folder, shard, columns))


def read_rows(folder: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield a table's rows, with one row group in memory at a time."""
    for shard in shard_names(folder):
        yield from shard_rows(folder, shard, columns)


def read_columns(folder: Path, shard: str, columns: Sequence[str]) -> pa.Table:
    """Read columns of one shard as stored; `a.list.element.b` names a part of a nested one."""
    path = folder / f"{shard}.parquet"
    with open_parquet(path) as file, parquet_errors_in_one_line(path):
        return file.read(columns=list(columns))


def shard_columns(folder: Path, columns: Sequence[str]) -> Iterator[tuple[str, pa.Table]]:
    """Yield a table's shards in order, with these columns only, as `read_columns` gives them."""
    for shard in shard_names(folder):
        yield shard, read_columns(folder, shard, columns)


def statuses_in(path: Path) -> dict[str, int]:
    """Count the rows of a shard by their status; {} if they have none."""
    with open_parquet(path) as file, parquet_errors_in_one_line(path):
        if "status" not in file.schema_arrow.names:
            return {}
        return count_values(file.read(columns=["status"])["status"])


def shard_rows(
    folder: Path, shard: str, columns: Sequence[str] | None = None, ids: Container[str] | None = None
) -> Iterator[Row]:
    """Yield a shard's rows (only `ids`, if given), with one row group in memory at a time."""
    for table in row_groups(folder, shard, columns, ids):
        rows = table.to_pylist()
        del table
        yield from rows


def row_groups(
    folder: Path, shard: str, columns: Sequence[str] | None = None, ids: Container[str] | None = None
) -> Iterator[pa.Table]:
    """Yield a shard's row groups, each a work slice, as stored; if `ids` is given, only these rows."""
    path = folder / f"{shard}.parquet"
    with open_parquet(path) as file:
        for group in range(file.num_row_groups):
            with parquet_errors_in_one_line(path):
                wanted = _positions(file, group, ids)
                if wanted is not None and not wanted:
                    continue
                table = file.read_row_group(group, columns=list(columns) if columns else None)
                if wanted is not None and len(wanted) < len(table):
                    table = compute("take", table, pa.array(wanted))
            yield table


def _positions(file: pq.ParquetFile, group: int, ids: Container[str] | None) -> list[int] | None:
    """Return the positions of `ids` in a row group; None for all."""
    if ids is None:
        return None
    present = file.read_row_group(group, columns=["id"])["id"].to_pylist()
    return [position for position, row_id in enumerate(present) if row_id in ids]


def slice_rows(folder: Path, shard: str, number: int, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """Yield a slice's rows, with only a few large rows in memory. Columns that an older table lacks are left out."""
    path = folder / f"{shard}.parquet"
    with open_parquet(path, BUFFER) as file, parquet_errors_in_one_line(path):
        groups = [group for group in range(file.num_row_groups) if _may_hold(file, group, number)]
        there = None if columns is None else [name for name in columns if name in file.schema_arrow.names]
        batches = file.iter_batches(BATCH, groups, there, use_threads=False) if groups else ()
        rows = itertools.chain.from_iterable(batch.to_pylist() for batch in batches)
        yield from (row for row in rows if place(row["id"])[1] == number)


BUFFER = 1 << 16
"""Bytes of a column that are read at once; otherwise it would be all of a row group's."""
BATCH = 16
"""Rows that `slice_rows` has in memory."""


def _may_hold(file: pq.ParquetFile, group: int, number: int) -> bool:
    """Return whether a row group may have rows of a slice, by the first and the last id that its footer names."""
    ids = file.metadata.row_group(group).column(file.schema_arrow.names.index("id")).statistics
    if ids is None or not ids.has_min_max:
        return True
    return place(ids.min)[1] <= number <= place(ids.max)[1]


Slice = tuple[str, int, list[Row]]
"""Shard name, slice number in the shard, and the slice's rows."""


def slices(folder: Path, columns: Sequence[str] | None = None) -> Iterator[Slice]:
    """Yield a table in work slices; a shard without rows gives one empty slice, so that no shard is lost."""
    for shard in shard_names(folder):
        yield from cut_into_slices(shard, shard_rows(folder, shard, columns))


def cut_into_slices(shard: str, rows: Iterable[Row]) -> Iterator[Slice]:
    """Cut one shard's rows (in order of id) into work slices."""
    empty = True
    for number, group in itertools.groupby(rows, key=lambda row: place(row["id"])[1]):
        empty = False
        yield shard, number, list(group)
    if empty:
        yield shard, 0, []


KEPT = 4
"""Row groups that are read at the same time, as by the units of a cluster's worker."""


class RowsById:
    """Reads columns of one row by its id. Rows requested in the table's order are read once each; a step back reads
    their row group again from its start.
    """

    def __init__(self, folder: Path, columns: Sequence[str]) -> None:
        self.folder, self.columns = folder, list(columns)
        self.places: dict[str, dict[str, tuple[int, int]]] = {}
        self.under_way: dict[tuple[str, int], tuple[int, Iterator[pa.RecordBatch]]] = {}

    def __call__(self, row_id: str) -> Row:
        shard = place(row_id)[0]
        path = self.folder / f"{shard}.parquet"
        if shard not in self.places:
            self.places[shard] = places_of(path)
        if row_id not in self.places[shard]:
            raise UserError(f"{path} has no row {row_id}, perhaps it was replaced meanwhile: run `dvc repro` again")
        group, position = self.places[shard][row_id]
        following, rows = self.under_way.pop((shard, group), (0, None))
        if rows is None or following > position:
            following, rows = 0, row_by_row(path, group, self.columns)
        with parquet_errors_in_one_line(path):
            row: Row = next(itertools.islice(rows, position - following, None)).to_pylist()[0]
        self.under_way[shard, group] = position + 1, rows
        if len(self.under_way) > KEPT:
            del self.under_way[next(iter(self.under_way))]
        return row


def places_of(path: Path) -> dict[str, tuple[int, int]]:
    with open_parquet(path) as file, parquet_errors_in_one_line(path):
        return {
            row_id: (group, position)
            for group in range(file.num_row_groups)
            for position, row_id in enumerate(file.read_row_group(group, columns=["id"])["id"].to_pylist())
        }


def row_by_row(path: Path, group: int, columns: Sequence[str]) -> Iterator[pa.RecordBatch]:
    with open_parquet(path, BUFFER) as file:
        yield from file.iter_batches(1, row_groups=[group], columns=list(columns), use_threads=False)
