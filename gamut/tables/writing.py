"""Writes tables whole or not at all: folders of Parquet shards with a manifest, equal bytes for equal rows."""

from __future__ import annotations

import hashlib
import shutil
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from gamut.project.files import write_json
from gamut.tables.columns import IMAGE, Row, compute, place
from gamut.tables.pool import FinishedShard, link
from gamut.tables.reading import MANIFEST, manifest, statuses_in

AT_ONCE = 4
"""Rows with pictures that are converted at a time."""


class TableWriter:
    """Writes a table shard by shard, in order, under a temporary name. Each call of `write` makes one row group.
    `finished` is called with each shard when its file is complete.
    """

    def __init__(
        self, folder: Path, schema: pa.Schema, finished: Callable[[FinishedShard], None] | None = None
    ) -> None:
        self.folder, self.schema, self.finished = folder, schema, finished
        self.temporary = folder.with_name(folder.name + ".new")
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(parents=True)
        self.shards: list[FinishedShard] = []
        self.statuses: Counter[str] = Counter()
        self.pictured = any(leaf.endswith("bytes") for field in schema for leaf in _leaves(field))
        self.open_shard: tuple[str, pq.ParquetWriter, HashedFile, Any] | None = None
        self.rows = 0

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.commit()
        elif self.open_shard:
            self.open_shard[1].close()
            self.open_shard[2].file.close()

    def write(self, shard: str, rows: Sequence[Mapping[str, Any]] | pa.Table) -> None:
        """Write one row group; an empty list still makes the shard's file."""
        if self.open_shard is None or self.open_shard[0] != shard:
            self._close_shard()
            if any(done.path.stem == shard for done in self.shards):
                raise ValueError(f"shard {shard} is finished, its rows do not come in order")
            path = self.temporary / f"{shard}.parquet"
            self.open_shard = (shard, parquet_writer(path, self.schema), HashedFile(path), hashlib.sha256())
            self.rows, self.statuses = 0, Counter()
        if not len(rows):
            return
        table = (rows if isinstance(rows, pa.Table) else self._table_of(rows)).combine_chunks()
        _, writer, file, digest = self.open_shard
        writer.write_table(table, row_group_size=len(table))
        file.read_on()
        digest.update(rows_digest(table))
        self.rows += len(table)
        if "status" in self.schema.names:
            self.statuses.update(table["status"].to_pylist())

    def _table_of(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """Convert rows, those with pictures a few at a time, because Arrow keeps Python's lock meanwhile."""
        if unknown := {name for row in rows for name in row} - set(self.schema.names):
            raise ValueError(f"columns that the schema does not have: {', '.join(sorted(unknown))}")
        most = AT_ONCE if self.pictured else len(rows)
        some = [list(rows[start : start + most]) for start in range(0, len(rows), most)]
        return pa.concat_tables(pa.Table.from_pylist(part, schema=self.schema) for part in some)

    def _close_shard(self) -> None:
        if self.open_shard is None:
            return
        shard, writer, file, digest = self.open_shard
        writer.close()
        self.open_shard = None
        path = self.temporary / f"{shard}.parquet"
        digests = {"sha256": file.close(), "rows_sha256": digest.hexdigest()}
        entry = {"name": path.name, "rows": self.rows} | digests
        self.shards.append(FinishedShard(self.folder.name, path, entry, dict(sorted(self.statuses.items()))))
        if self.finished:
            self.finished(self.shards[-1])

    def commit(self) -> None:
        self._close_shard()
        put_in_place(self.temporary, self.folder, self.shards)


class HashedFile:
    """Computes the sha256 of a growing file, by reading what was written while it is still in memory."""

    def __init__(self, path: Path) -> None:
        self.file, self.digest = path.open("rb", buffering=0), hashlib.sha256()
        self.buffer = memoryview(bytearray(1 << 18))

    def read_on(self) -> None:
        while count := self.file.readinto(self.buffer):
            self.digest.update(self.buffer[:count])

    def close(self) -> str:
        self.read_on()
        self.file.close()
        return self.digest.hexdigest()


def write_rows(folder: Path, schema: pa.Schema, rows: Sequence[Row]) -> None:
    """Write a whole table of rows in order of their ids."""
    with TableWriter(folder, schema) as table:
        for (shard, _), some in groupby(rows, key=lambda row: place(row["id"])):
            table.write(shard, list(some))


def shards_in(folder: Path) -> list[FinishedShard]:
    """Return the shards of a finished table."""
    paths = {folder / entry["name"]: entry for entry in manifest(folder)["shards"]}
    return [FinishedShard(folder.name, path, entry, statuses_in(path)) for path, entry in paths.items()]


def begin_table(folder: Path, kept: Sequence[FinishedShard] = ()) -> None:
    """Begin a table, under a temporary name, with its finished shards from the pool."""
    temporary = folder.with_name(folder.name + ".new")
    for old in (temporary, new_folder(folder)):
        shutil.rmtree(old, ignore_errors=True)
    temporary.mkdir(parents=True)
    for shard in kept:
        link(shard.path, temporary / shard.entry["name"])


def end_table(folder: Path, shards: Sequence[FinishedShard]) -> None:
    """Add, in this order, the shards that the table does not have yet, and put the table in place."""
    temporary = folder.with_name(folder.name + ".new")
    for shard in shards:
        if not (temporary / shard.entry["name"]).exists():
            shard.path.rename(temporary / shard.entry["name"])
    shutil.rmtree(new_folder(folder), ignore_errors=True)
    put_in_place(temporary, folder, shards)


def new_folder(folder: Path) -> Path:
    """Return the folder of a table's new shards until it is complete; git and DVC ignore such names."""
    return folder.with_name(f".{folder.name}.new")


def put_in_place(temporary: Path, folder: Path, shards: Sequence[FinishedShard]) -> None:
    """Write the manifest first, then rename the folder."""
    entries = [shard.entry for shard in shards]
    statuses = sum((Counter(shard.statuses) for shard in shards), Counter[str]())
    rows = sum(entry["rows"] for entry in entries)
    write_json(temporary / MANIFEST, {"rows": rows, "statuses": dict(sorted(statuses.items())), "shards": entries})
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)


def parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Return a writer with pages of fixed size. Content-defined pages around images do not align again after a row that
    was left out, and a new version of a dataset would upload five times as much (bench/publish.py).
    """
    encoded = {f"{f.name}.bytes" for f in schema if f.type == IMAGE}
    leaves = {name for f in schema for name in _leaves(f)}
    return pq.ParquetWriter(
        path,
        schema,
        compression={leaf: "none" if leaf in encoded else "zstd" for leaf in leaves},
        use_dictionary=False,
        write_page_index=True,
        # Arrow checks after so many values whether a page is full: otherwise 400 pictures of an answers table would be
        # one page, and to read one of them is to read all. If pictures are columns of their own, pages stay as usual.
        write_batch_size=1 if any(".list." in leaf and leaf.endswith(".bytes") for leaf in leaves) else None,
    )


def _leaves(field: pa.Field, prefix: str = "") -> Iterator[str]:
    path = f"{prefix}{field.name}"
    if pa.types.is_struct(field.type):
        for child in field.type:
            yield from _leaves(child, f"{path}.")
    elif pa.types.is_list(field.type):
        yield from _leaves(pa.field("element", field.type.value_type), f"{path}.list.")
    else:
        yield path


def rows_digest(table: pa.Table) -> bytes:
    """Return a sha256 of the logical rows, independent of Parquet, of chunking and of library versions."""
    digest = hashlib.sha256()
    for name, column in zip(table.column_names, table.columns, strict=True):
        digest.update(f"{name}:{column.type}:{len(column)};".encode())
        for chunk in _leaf_bytes(column.combine_chunks()):
            digest.update(chunk)
    return digest.digest()


def _leaf_bytes(array: Any) -> Iterator[bytes | memoryview]:
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    yield np.asarray(compute("is_null", array).to_numpy(zero_copy_only=False)).tobytes()
    kind = array.type
    if pa.types.is_struct(kind):
        for child in array.flatten():
            yield from _leaf_bytes(child)
    elif pa.types.is_list(kind):
        yield fill_nulls(compute("list_value_length", array), -1).to_numpy().tobytes()
        yield from _leaf_bytes(compute("list_flatten", array))
    elif pa.types.is_string(kind) or pa.types.is_binary(kind):
        values = array.view(pa.binary())
        yield fill_nulls(compute("binary_length", values), -1).to_numpy().tobytes()
        present = compute("drop_null", values) if values.null_count else values
        start, end = np.frombuffer(present.buffers()[1], np.int32)[[present.offset, present.offset + len(present)]]
        yield memoryview(present.buffers()[2] or b"")[start:end]
    else:
        yield fill_nulls(array, False if pa.types.is_boolean(kind) else 0).to_numpy(zero_copy_only=False).tobytes()


def fill_nulls(array: Any, value: bool | int) -> Any:
    return compute("coalesce", array, pa.scalar(value, array.type))
