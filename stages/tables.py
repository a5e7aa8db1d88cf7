"""Tables: folders of Parquet shards with a manifest, written whole or not at all, equal bytes for equal rows.

Ids are `<wave>-<8 digits>`: the ordinal is the row's position in its source block. The ordinal alone says in which
shard (5,000 rows) and in which work slice (100 rows) a row lives, in every table. A slice is also a row group, as in
the published dataset (5,000 rows and 50 row groups a shard).
"""

from __future__ import annotations

import hashlib
import itertools
import json
import shutil
from collections import Counter
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from stages.errors import UserError, system_refusal
from stages.files import write_whole
from stages.inputs import regular

ROWS_PER_SHARD = 5_000
ROWS_PER_SLICE = 100
MANIFEST = "_manifest.json"
"""A table's own manifest: readers of folders pass over names that begin with `_`."""
EARLIER_MANIFEST = "manifest.json"
"""What it was called before: tables on disk, in DVC's cache and in published versions have it still."""
Row = dict[str, Any]

IMAGE = pa.struct([pa.field("bytes", pa.binary()), pa.field("path", pa.string())])
REPLIES = pa.list_(
    pa.struct(
        [
            pa.field("fingerprint", pa.string()),
            pa.field("finish", pa.string()),
            pa.field("content", pa.string()),
            pa.field("input_tokens", pa.int32()),
            pa.field("output_tokens", pa.int32()),
        ]
    )
)
ASKED = [
    pa.field("status", pa.string()),
    pa.field("reason", pa.string()),
    pa.field("model", pa.string()),
    pa.field("replies", REPLIES),
]
"""Columns of every asked row: status, why it is not `ok` (or what is odd about one that is), and the provenance: model
id and the replies as they came. A reply that is an image has no content there: a usable one is the row's own image."""
PROVENANCE = ("model", "replies")


def make_id(wave: str, ordinal: int) -> str:
    """The id of the row at this position of a wave."""
    return f"{wave}-{ordinal:08d}"


def place(row_id: str) -> tuple[str, int]:
    """Return the shard's name and the slice's number within it for an id."""
    wave, _, digits = row_id.rpartition("-")
    ordinal = int(digits)
    return f"{wave}-{ordinal // ROWS_PER_SHARD:05d}", ordinal % ROWS_PER_SHARD // ROWS_PER_SLICE


class TableWriter:
    """Write a table shard by shard under a temporary name; `commit` writes the manifest and renames it into place.

    Shards must come in order, rows in order within their shard; each call of `write` makes one row group.
    """

    def __init__(self, folder: Path, schema: pa.Schema) -> None:
        self.folder, self.schema = folder, schema
        self.temporary = folder.with_name(folder.name + ".new")
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(parents=True)
        self.shards: list[Row] = []
        self.statuses: Counter[str] = Counter()
        self.open_shard: tuple[str, pq.ParquetWriter, Any] | None = None
        self.rows = 0

    def __enter__(self) -> TableWriter:
        return self

    def __exit__(self, kind: type[BaseException] | None, *error: object) -> None:
        if kind is None:
            self.commit()
        elif self.open_shard:
            self.open_shard[1].close()

    def write(self, shard: str, rows: Sequence[Mapping[str, Any]]) -> None:
        """Append `rows` to `shard` as one row group; an empty list still makes the shard's file."""
        if self.open_shard is None or self.open_shard[0] != shard:
            self._close_shard()
            if any(done["name"] == f"{shard}.parquet" for done in self.shards):
                raise ValueError(f"shard {shard} is finished, its rows do not come in order")
            path = self.temporary / f"{shard}.parquet"
            self.open_shard = (shard, parquet_writer(path, self.schema), hashlib.sha256())
            self.rows = 0
        if not rows:
            return
        if unknown := {name for row in rows for name in row} - set(self.schema.names):
            raise ValueError(f"columns that the schema does not have: {', '.join(sorted(unknown))}")
        table = pa.Table.from_pylist(list(rows), schema=self.schema)
        self.open_shard[1].write_table(table, row_group_size=len(rows))
        self.open_shard[2].update(rows_digest(table))
        self.rows += len(rows)
        if "status" in self.schema.names:
            self.statuses.update(row["status"] for row in rows)

    def _close_shard(self) -> None:
        if self.open_shard is None:
            return
        shard, writer, digest = self.open_shard
        writer.close()
        self.open_shard = None
        path = self.temporary / f"{shard}.parquet"
        digests = {"sha256": sha256_of(path), "rows_sha256": digest.hexdigest()}
        self.shards.append({"name": path.name, "rows": self.rows} | digests)

    def commit(self) -> None:
        """Finish the last shard, write the manifest, put the table in place of the old one."""
        self._close_shard()
        put_in_place(self.temporary, self.folder, self.shards, self.statuses)


def gather(parts: Sequence[Path], folder: Path) -> None:
    """Put a table together from finished tables of one or more shards each, in their order; the parts are used up."""
    temporary = folder.with_name(folder.name + ".new")
    shutil.rmtree(temporary, ignore_errors=True)
    temporary.mkdir(parents=True)
    shards: list[Row] = []
    statuses: Counter[str] = Counter()
    for part in parts:
        whole = manifest(part)
        shards += whole["shards"]
        statuses.update(whole["statuses"])
        for shard in whole["shards"]:
            (part / shard["name"]).rename(temporary / shard["name"])
        shutil.rmtree(part)
    put_in_place(temporary, folder, shards, statuses)


def put_in_place(temporary: Path, folder: Path, shards: Sequence[Row], statuses: Mapping[str, int]) -> None:
    """Write the manifest of finished shards, then rename their folder into the place of the old table."""
    rows = sum(shard["rows"] for shard in shards)
    write_json(temporary / MANIFEST, {"rows": rows, "statuses": dict(sorted(statuses.items())), "shards": list(shards)})
    shutil.rmtree(folder, ignore_errors=True)
    temporary.rename(folder)


def parquet_writer(path: Path, schema: pa.Schema) -> pq.ParquetWriter:
    """Open a Parquet file with the settings that every file of this project shares.

    Pages of a fixed size, not content-defined ones: around images those never meet again behind a row that was left
    out, and a new version of a dataset uploads five times as much (bench/publish.py).
    """
    encoded = {f"{f.name}.bytes" for f in schema if f.type == IMAGE}
    leaves = {name for f in schema for name in _leaves(f)}
    return pq.ParquetWriter(
        path,
        schema,
        compression={leaf: "none" if leaf in encoded else "zstd" for leaf in leaves},
        use_dictionary=False,
        write_page_index=True,
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
    yield np.asarray(array.is_null().to_numpy(zero_copy_only=False)).tobytes()
    kind = array.type
    if pa.types.is_struct(kind):
        for child in array.flatten():
            yield from _leaf_bytes(child)
    elif pa.types.is_list(kind):
        yield pc.list_value_length(array).fill_null(-1).to_numpy().tobytes()
        yield from _leaf_bytes(array.flatten())
    elif pa.types.is_string(kind) or pa.types.is_binary(kind):
        values = array.cast(pa.binary())
        yield pc.binary_length(values).fill_null(-1).to_numpy().tobytes()
        present = values.drop_null()
        start, end = np.frombuffer(present.buffers()[1], np.int32)[[present.offset, present.offset + len(present)]]
        yield memoryview(present.buffers()[2] or b"")[start:end]
    else:
        yield array.fill_null(False if pa.types.is_boolean(kind) else 0).to_numpy(zero_copy_only=False).tobytes()


def sha256_of(path: Path) -> str:
    """The sha256 of a file's bytes, in hex."""
    with regular(path).open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def write_json(path: Path, content: Any) -> None:
    """Write JSON by rename, keys in the order given, no NaN."""
    write_whole(path, (json.dumps(content, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode())


def manifest_path(folder: Path) -> Path:
    """Where a table's manifest lies, or would lie: also under the name that it had before."""
    earlier = folder / EARLIER_MANIFEST
    return earlier if earlier.is_file() and not (folder / MANIFEST).exists() else folder / MANIFEST


def manifest(folder: Path) -> Any:
    """Read a table's manifest; a UserError when the table is not there or not whole."""
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
    """Names of a table's shards (without `.parquet`), in order."""
    return [shard["name"].removesuffix(".parquet") for shard in manifest(folder)["shards"]]


def open_parquet(path: Path) -> pq.ParquetFile:
    """Open a Parquet file; a UserError in one line when it is missing, truncated or something else."""
    with readable(path):
        return pq.ParquetFile(regular(path))


@contextmanager
def readable(path: Path) -> Iterator[None]:
    """Say in one line (UserError) that a Parquet file cannot be opened or read."""
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
    """Read all rows of one shard (for tables without images)."""
    return list(shard_rows(folder, shard, columns))


def read_rows(folder: Path, columns: Sequence[str] | None = None) -> Iterator[Row]:
    """All rows of a table in order, one row group in memory at a time."""
    for shard in shard_names(folder):
        yield from shard_rows(folder, shard, columns)


def shard_rows(
    folder: Path, shard: str, columns: Sequence[str] | None = None, ids: Container[str] | None = None
) -> Iterator[Row]:
    """One shard's rows in order, of all ids or of some, one row group in memory at a time."""
    path = folder / f"{shard}.parquet"
    with open_parquet(path) as file:
        for group in range(file.num_row_groups):
            with readable(path):
                wanted = _positions(file, group, ids)
                if wanted is not None and not wanted:
                    continue
                table = file.read_row_group(group, columns=list(columns) if columns else None)
                rows = (table if wanted is None else table.take(wanted)).to_pylist()
            yield from rows


def _positions(file: pq.ParquetFile, group: int, ids: Container[str] | None) -> list[int] | None:
    """Where in a row group the wanted ids stand; None for all."""
    if ids is None:
        return None
    present = file.read_row_group(group, columns=["id"])["id"].to_pylist()
    return [position for position, row_id in enumerate(present) if row_id in ids]


Slice = tuple[str, int, list[Row]]
"""Shard name, slice number in the shard, and the slice's rows."""


def slices(folder: Path, columns: Sequence[str] | None = None) -> Iterator[Slice]:
    """A table in work slices; a shard without rows gives one empty slice, so that no shard is lost."""
    for shard in shard_names(folder):
        yield from sliced(shard, shard_rows(folder, shard, columns))


def sliced(shard: str, rows: Iterable[Row]) -> Iterator[Slice]:
    """Cut one shard's rows (in order of id) into work slices."""
    empty = True
    for number, group in itertools.groupby(rows, key=lambda row: place(row["id"])[1]):
        empty = False
        yield shard, number, list(group)
    if empty:
        yield shard, 0, []
