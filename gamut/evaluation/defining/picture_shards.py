"""Pictures in Parquet shards, by the sha256 of their bytes. Each is stored once, and can be read without the others.

Shards are not compressed: encoded pictures hardly get smaller, and a file from elsewhere cannot expand when read.
"""

from __future__ import annotations

import hashlib
import json
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pyarrow as pa
import pyarrow.parquet as pq

from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.tables.columns import IMAGE
from gamut.tables.reading import open_parquet, parquet_errors_in_one_line

FEATURES = {"sha256": {"dtype": "string", "_type": "Value"}, "image": {"_type": "Image"}}
SCHEMA = pa.schema(
    [pa.field("sha256", pa.string()), pa.field("image", IMAGE)],
    metadata={"huggingface": json.dumps({"info": {"features": FEATURES}})},  # so that `datasets` shows pictures
)
ROWS_PER_GROUP = 100
BYTES_PER_GROUP = 4_000_000
"""A row group ends at whichever is reached first. It is what is read for one picture."""
BYTES_PER_SHARD = 256_000_000
MOST_IN_GIT = 1_500_000
"""Largest size, in bytes, of an edition's pictures in git. DVC tracks larger ones."""


class Place(NamedTuple):
    """Where a picture is: file, row group, row in that group."""

    path: Path
    group: int
    row: int


def shards(folder: Path) -> list[Path]:
    return sorted(folder.glob("*.parquet"))


def write_shards(folder: Path, pictures: Mapping[str, bytes], check: Callable[[str, bytes], None]) -> None:
    """Write pictures by sha256 and replace all that the folder holds: all or nothing, the same bytes each time. `check`
    is called with each picture before it is written, and raises an error if it must not be written.
    """
    new = folder.with_name(f".{folder.name}.new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    try:
        writer, room, number = None, 0, 0
        for rows, size in row_groups(pictures, check):
            if writer is None or room < size:
                if writer is not None:
                    writer.close()
                path = new / f"images-{number:05d}.parquet"
                writer = pq.ParquetWriter(path, SCHEMA, compression="none", use_dictionary=False)
                room, number = BYTES_PER_SHARD, number + 1
            writer.write_table(pa.Table.from_pylist(rows, schema=SCHEMA), row_group_size=len(rows))
            room -= size
        if writer is not None:
            writer.close()
        shutil.rmtree(folder, ignore_errors=True)
        new.rename(folder)
    finally:
        shutil.rmtree(new, ignore_errors=True)


def row_groups(
    pictures: Mapping[str, bytes], check: Callable[[str, bytes], None]
) -> Iterator[tuple[list[dict[str, object]], int]]:
    """Yield the rows of each row group, in order of sha256, and the size of its pictures in bytes."""
    rows: list[dict[str, object]] = []
    size = 0
    for sha256 in sorted(pictures):
        data = pictures[sha256]
        check(sha256, data)
        if rows and (len(rows) == ROWS_PER_GROUP or size + len(data) > BYTES_PER_GROUP):
            yield rows, size
            rows, size = [], 0
        rows.append({"sha256": sha256, "image": {"bytes": data, "path": None}})
        size += len(data)
    if rows:
        yield rows, size


@contextmanager
def open_shard(path: Path) -> Iterator[pq.ParquetFile]:
    """Open a shard. UserError if it is not one, or could hold more than its bytes."""
    with open_parquet(path) as file, parquet_errors_in_one_line(path):
        if not file.schema_arrow.equals(SCHEMA):
            raise UserError(f"{path} is not a shard of pictures: its columns are {', '.join(file.schema_arrow.names)}")
        chunks = [file.metadata.row_group(g).column(c) for g in range(file.num_row_groups) for c in range(3)]
        if any(chunk.compression != "UNCOMPRESSED" or "DICTIONARY" in str(chunk.encodings) for chunk in chunks):
            raise UserError(f"{path} is not a shard of pictures: it is compressed")
        yield file


def group_tables(path: Path, columns: list[str]) -> Iterator[pa.Table]:
    """Yield a shard's row groups in order, one in memory at a time."""
    with open_shard(path) as file:
        yield from (file.read_row_group(group, columns=columns) for group in range(file.num_row_groups))


def places(path: Path) -> dict[str, Place]:
    """Return the place of each picture of a shard, by sha256. The pictures are not read."""
    return {
        sha256: Place(path, group, row)
        for group, table in enumerate(group_tables(path, ["sha256"]))
        for row, sha256 in enumerate(table["sha256"].to_pylist())
    }


def read_picture(place: Place) -> bytes:
    with open_shard(place.path) as file:
        if place.group >= file.num_row_groups or place.row >= file.metadata.row_group(place.group).num_rows:
            raise UserError(f"{place.path} was changed while it was read")
        image = file.read_row_group(place.group, columns=["image.bytes"])["image"][place.row]
        data: bytes | None = image["bytes"].as_py()
        return data or b""


def verified_pictures(path: Path) -> set[str]:
    """Return those pictures of a shard, by sha256, whose bytes have that digest."""
    found = set()
    for table in group_tables(path, ["sha256", "image"]):
        for sha256, image in zip(table["sha256"], table["image"], strict=True):
            data = image["bytes"].as_buffer()
            if data is not None and hashlib.sha256(data).hexdigest() == sha256.as_py():
                found.add(sha256.as_py())
    return found


def track_pictures(folder: Path) -> Iterator[str]:
    """Let DVC track pictures that are too large for git; yield what to add to git. Repeating it changes nothing."""
    sizes = [path.stat().st_size for path in shards(folder)]
    size = sum(sizes)
    if not sizes:
        return
    tracked = folder.with_name(f"{folder.name}.dvc")
    if size <= MOST_IN_GIT and not tracked.exists():
        yield f"{folder}: {size:,} bytes of pictures: `git add` them too"
        return
    if pipeline.run_dvc("add", "--quiet", str(folder)):
        raise UserError(f"{folder}: the edition is frozen, but `dvc add {folder}` failed: fix that and run it again")
    yield (
        f"{folder}: {size:,} bytes of pictures, too many for git: DVC tracks them. "
        f"`git add {tracked} {folder.parent / '.gitignore'}`, and `dvc push` brings them to others"
    )
