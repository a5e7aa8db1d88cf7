"""What can be published: the dataset that a build released, and the frozen edition of each benchmark."""

from __future__ import annotations

import hashlib
import io
import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

from gamut.dataset.shared.joins import table_of
from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining import picture_shards
from gamut.evaluation.defining.editions import (
    EDITIONS,
    Item,
    origin_path,
    path_of,
    pictures_path,
    read_edition,
    read_origin,
)
from gamut.evaluation.defining.pictures import absence_message, missing_pictures, pictures_of, unnamed_picture_message
from gamut.project.errors import UserError, in_one_line, nearest_choice
from gamut.project.files import sha256_of
from gamut.publish import files
from gamut.publish.files import BESIDE, IMAGES, File
from gamut.publish.parameters import DATASET, PAGES, PRODUCTS, Everything, Publication
from gamut.tables.reading import manifest, manifest_path, open_parquet

DATA = "data/"
DEFAULT = "default"
"""The configuration that `datasets` loads when none is named."""
PICTURES = "images"
"""The configuration of an edition with the pictures that its items name."""


@dataclass(frozen=True)
class Configuration:
    """Rows of one kind: the name under which `datasets` loads them, their files and columns. The column `key` names
    rows of the default configuration, or what they name.
    """

    name: str
    files: Sequence[File]
    schema: pa.Schema
    key: str = "id"

    @property
    def rows(self) -> int:
        return sum(file.rows or 0 for file in self.files)

    @property
    def size(self) -> int:
        return sum(file.size for file in self.files)


@dataclass(frozen=True)
class Product:
    """What is published. An edition also has its rows as Parquet (`datasets` reads one format per repository), its
    pictures and origin; the dataset has tables `beside` its rows, that of provenance first.
    """

    name: str
    publication: Publication
    files: Sequence[File]
    schema: pa.Schema
    table: File | None = None
    images: Sequence[File] = ()
    origin: File | None = None
    beside: Sequence[Configuration] = ()

    @property
    def configurations(self) -> list[Configuration]:
        """The rows, and what is joined to them by its key."""
        loaded = Configuration(DEFAULT, [self.table] if self.table else self.files, self.schema)
        pictures = Configuration(PICTURES, self.images, picture_shards.SCHEMA, picture_shards.SCHEMA.names[0])
        return [loaded, *self.beside, *([pictures] if self.images else [])]

    @property
    def rows(self) -> int:
        return sum(file.rows or 0 for file in self.files)

    @property
    def split(self) -> str:
        return "train" if self.name == DATASET else "test"


def find_product(name: str, params: Everything) -> Product:
    require_known(name)
    publication = params.publication(name)
    if name == DATASET:
        rows = released_files()
        beside = {"provenance": provenance_files(rows)} | files_beside()
        joined = [Configuration(of, some, shard_schema(some), BESIDE.get(of, ["id"])[0]) for of, some in beside.items()]
        return Product(name, publication, rows, shard_schema(rows), beside=joined)
    version = params.edition(name)
    path, items = path_of(name, version), read_edition(name, version, Item)
    if reason := withheld_reason(name, version, items):
        raise UserError(f"{path} may not be published: {reason}")
    content = path.read_bytes()
    file = rows_file(path, len(items), len(content), hashlib.sha256(content).hexdigest())
    columns = parse_lines(content)
    table = parquet_file(f"{DATA}{path.stem}", columns)
    pictures = picture_files(name, version, items)
    return Product(name, publication, [file], columns.schema, table, pictures, origin_file(name, version))


def parquet_file(name: str, table: pa.Table) -> File:
    out = io.BytesIO()
    pq.write_table(table, out)
    file = files.memory_file(f"{name}.parquet", out.getvalue())
    return replace(file, path=f"{name}-{file.sha256[:8]}.parquet", rows=len(table))


def parse_lines(content: bytes) -> pa.Table:
    rows = [json.loads(line) for line in content.splitlines() if line.strip()]
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: typed_column([row.get(name) for row in rows]) for name in names})


def typed_column(values: Sequence[object]) -> pa.Array:
    try:
        column = pa.array(values)
    except (ValueError, TypeError, OverflowError):  # values of several types, or integers beyond 64 bits
        column = None
    if column is None or "struct<>" in str(column.type):  # Parquet has no objects without keys
        return pa.array([None if value is None else json.dumps(value) for value in values], pa.json_())
    return column


def withheld_reason(name: str, version: str, items: Sequence[Item]) -> str | None:
    """Return why an edition's items may not be published; None if they may."""
    path = origin_path(name, version)
    origin = read_origin(path)
    if reason := curations()[name].withheld(items):
        return reason
    if origin is None or (origin.redistributable and not origin.is_unlicensed):
        return None
    if origin.is_unlicensed:
        return f"its licence is unknown: {path} must name one that allows it, and say that it is redistributable"
    return f"{path} says that {in_one_line(origin.source)} ({in_one_line(origin.licence)}) may not be redistributed"


def picture_files(name: str, version: str, items: Sequence[Item]) -> list[File]:
    """Return the shards of an edition's pictures; UserError if one is missing or was altered."""
    if not any(item.images for item in items):
        return []
    if (missing := absence_message(name, version, items)) is not None:
        raise UserError(missing)
    pictures = pictures_of(name, version)
    lacking = missing_pictures(items, pictures)
    for item, why in lacking.items():
        more = f" (and of {len(lacking) - 1:,} more)" if len(lacking) > 1 else ""
        raise UserError(f"{path_of(name, version)}: item {item!r}{more}: {why}: restore its pictures, or import again")
    if (other := unnamed_picture_message(items, pictures)) is not None:
        raise UserError(f"{other}: remove it, only pictures of items are published")
    return [
        rows_file(path, len(picture_shards.places(path)), path.stat().st_size, sha256_of(path), IMAGES)
        for path in picture_shards.shards(pictures_path(name, version))
    ]


def origin_file(name: str, version: str) -> File | None:
    path = origin_path(name, version)
    return rows_file(path, None, path.stat().st_size, sha256_of(path)) if path.exists() else None


def rows_file(local: Path, rows: int | None, size: int, sha256: str, folder: str = DATA) -> File:
    """Return a file whose path on the Hub contains a part of its sha256: other bytes have another path."""
    return File(f"{folder}{local.stem}-{sha256[:8]}{local.suffix}", local, size, sha256, local.name, rows)


def require_known(name: str) -> None:
    if name not in PRODUCTS:
        raise UserError(f"{name!r} cannot be published{nearest_choice(name, (*PRODUCTS, PAGES))}")


def folder_of(name: str) -> Path:
    return table_of("release") if name == DATASET else EDITIONS / name


def released_files() -> list[File]:
    if not manifest(table_of("release"))["rows"]:
        raise UserError("datasets/release has no rows: there is nothing to publish")
    return table_shards(table_of("release"), DATA)


def provenance_files(rows: Sequence[File]) -> list[File]:
    shards = table_shards(table_of("provenance"), files.PROVENANCE)
    if [(file.local.name, file.rows) for file in shards] != [(file.local.name, file.rows) for file in rows]:
        raise UserError("datasets/provenance and datasets/release have different rows: `dvc repro release` writes both")
    return shards


def files_beside() -> dict[str, list[File]]:
    """Return the shards of each table beside the rows that has rows."""
    there = (of for of in BESIDE if manifest_path(table_of(of)).exists() and manifest(table_of(of))["rows"])
    return {of: table_shards(table_of(of), f"{of}/") for of in there}


def shard_schema(shards: Sequence[File]) -> pa.Schema:
    return open_parquet(shards[0].local).schema_arrow


def table_shards(table: Path, folder: str) -> list[File]:
    """Return a table's shards, by its manifest, with their folder on the Hub; UserError if one is missing."""
    shards = []
    for shard in manifest(table)["shards"]:
        path = table / shard["name"]
        if not path.is_file():
            raise UserError(f"{path} is missing: `dvc checkout --force {table}` brings it back")
        shards.append(rows_file(path, shard["rows"], path.stat().st_size, shard["sha256"], folder))
    return shards
