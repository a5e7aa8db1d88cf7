"""Tables written whole or not at all: folders of Parquet shards with a manifest, equal bytes for equal rows."""

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
from gamut.tables.pool import Made, link
from gamut.tables.reading import MANIFEST, manifest, shard_names

AT_ONCE = 4
"""Rows with pictures that are taken over at a time."""


class TableWriter:
    """Write a table shard by shard, in order, under a temporary name; each call of `write` makes one row group.
    `finished` is given each shard as soon as its file is whole.
    """

    def __init__(self, folder: Path, schema: pa.Schema, finished: Callable[[Made], None] | None = None) -> None:
        self.folder, self.schema, self.finished = folder, schema, finished
        self.temporary = folder.with_name(folder.name + ".new")
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(parents=True)
        self.shards: list[Row] = []
        self.statuses: Counter[str] = Counter()
        self.of_shard: Counter[str] = Counter()
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
            if any(done["name"] == f"{shard}.parquet" for done in self.shards):
                raise ValueError(f"shard {shard} is finished, its rows do not come in order")
            path = self.temporary / f"{shard}.parquet"
            self.open_shard = (shard, parquet_writer(path, self.schema), HashedFile(path), hashlib.sha256())
            self.rows = 0
        if not len(rows):
            return
        table = (rows if isinstance(rows, pa.Table) else self._table_of(rows)).combine_chunks()
        _, writer, file, digest = self.open_shard
        writer.write_table(table, row_group_size=len(table))
        file.read_on()
        digest.update(rows_digest(table))
        self.rows += len(table)
        if "status" in self.schema.names:
            self.of_shard.update(table["status"].to_pylist())

    def _table_of(self, rows: Sequence[Mapping[str, Any]]) -> pa.Table:
        """Arrow keeps Python's lock while it takes values over: pictures come a few at a time."""
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
        self.shards.append({"name": path.name, "rows": self.rows} | digests)
        if self.finished:
            self.finished(Made(self.folder.name, path, self.shards[-1], dict(sorted(self.of_shard.items()))))
        self.statuses += self.of_shard
        self.of_shard.clear()

    def commit(self) -> None:
        self._close_shard()
        put_in_place(self.temporary, self.folder, self.shards, self.statuses)


class HashedFile:
    """Reads what is written to a growing file, while that is still in the system's memory, for its sha256."""

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


def gather_tables(parts: Sequence[Path], folder: Path) -> None:
    """Put a table together from finished tables of one or more shards each, in their order; the parts are used up."""
    begin_table(folder, [])
    end_table(folder, [], parts, [shard for part in parts for shard in shard_names(part)])


def begin_table(folder: Path, kept: Sequence[Made]) -> None:
    """Begin a table, under a temporary name, with the finished shards that the pool has of it."""
    temporary = folder.with_name(folder.name + ".new")
    shutil.rmtree(temporary, ignore_errors=True)
    shutil.rmtree(made_folder(folder), ignore_errors=True)
    temporary.mkdir(parents=True)
    for made in kept:
        link(made.path, temporary / made.entry["name"])


def end_table(folder: Path, kept: Sequence[Made], parts: Sequence[Path], order: Sequence[str]) -> None:
    """Add the shards of finished tables, which are used up, and put all in place."""
    temporary = folder.with_name(folder.name + ".new")
    entries = {made.entry["name"]: made.entry for made in kept}
    statuses = sum((Counter(made.statuses) for made in kept), Counter[str]())
    for part in parts:
        whole = manifest(part)
        statuses.update(whole["statuses"])
        for entry in whole["shards"]:
            (part / entry["name"]).rename(temporary / entry["name"])
            entries[entry["name"]] = entry
        shutil.rmtree(part)
    shutil.rmtree(made_folder(folder), ignore_errors=True)
    put_in_place(temporary, folder, [entries[f"{shard}.parquet"] for shard in order], statuses)


def made_folder(folder: Path) -> Path:
    """Return where the shards of a table lie while they are made; git and DVC ignore such names."""
    return folder.with_name(f".{folder.name}.made.new")


def put_in_place(temporary: Path, folder: Path, shards: Sequence[Row], statuses: Mapping[str, int]) -> None:
    """Write the manifest first, then rename the folder."""
    rows = sum(shard["rows"] for shard in shards)
    write_json(temporary / MANIFEST, {"rows": rows, "statuses": dict(sorted(statuses.items())), "shards": list(shards)})
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)


def parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Pages of a fixed size, not content-defined ones: around images those never meet again behind a row that was
    left out, and a new version of a dataset uploads five times as much (bench/publish.py).
    """
    encoded = {f"{f.name}.bytes" for f in schema if f.type == IMAGE}
    leaves = {name for f in schema for name in _leaves(f)}
    return pq.ParquetWriter(
        path,
        schema,
        compression={leaf: "none" if leaf in encoded else "zstd" for leaf in leaves},
        use_dictionary=False,
        write_page_index=True,
        # Whether a page is full is looked at after so many values: else 400 pictures of an answers table were one page,
        # and who wants one of them had to read all. Where pictures are columns of their own, pages stay as they are.
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
