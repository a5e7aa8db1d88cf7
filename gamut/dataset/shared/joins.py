"""The build's tables and the joins that steps share. Every table has the same shards, so all joins are local."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pyarrow as pa

from gamut.dataset.shared.parameters import ORIGINAL
from gamut.project.errors import UserError
from gamut.tables.columns import Row, compute, count_distinct, grouped, sum_of
from gamut.tables.reading import read_columns, read_shard, shard_rows

ROUTES = Path("datasets/routes")
"""For each route a file that names its shards of the source rows, with their digests. The steps of a route depend only
on this file, so a new wave does not run other routes again.
"""


def table_of(step: str) -> Path:
    """Return a step's table, or another table by its own name (`sources` writes source_rows)."""
    return Path("datasets", step)


def row_by_id(folder: Path, shard: str, columns: Sequence[str] | None = None) -> dict[str, Row]:
    return {row["id"]: row for row in read_shard(folder, shard, columns)}


def values_by_id(step: str, shard: str, column: str) -> dict[str, Any]:
    return {row["id"]: row[column] for row in read_shard(table_of(step), shard, ["id", column])}


def ids_where(chosen: str, shard: str) -> set[str]:
    """Return the ids of a shard's rows that `chosen` names, a boolean column such as select.kept."""
    step, _, column = chosen.partition(".")
    return {row_id for row_id, holds in values_by_id(step, shard, column).items() if holds}


def ok_ids(step: str, shard: str) -> set[str]:
    return {row_id for row_id, status in values_by_id(step, shard, "status").items() if status == "ok"}


def rows_by_id(folder: Path, shard: str, columns: Sequence[str] | None = None) -> dict[str, list[Row]]:
    """Return rows in order by id: some tables have several rows per id."""
    return grouped((row["id"], row) for row in read_shard(folder, shard, columns))


def count_ids(folder: Path, shard: str) -> int:
    """Return how many ids the rows of a shard have."""
    return count_distinct(read_columns(folder, shard, ["id"])["id"])


def pictures(shard: str, where: str = "") -> Iterator[Row]:
    """Return a shard's pictures: all, or those that `where` names, boolean columns such as select.kept."""
    return shard_rows(table_of("synthesize"), shard, ["id", "image"], pictures_named(shard, where))


def pictures_named(shard: str, where: str = "") -> set[str]:
    """Return the ids of the rows of `pictures`."""
    return ok_ids("synthesize", shard).intersection(*(ids_where(one, shard) for one in where.split()))


def english_captions(shard: str) -> dict[str, list[Row]]:
    """Return released captions (`description`, `caption`) by id, the source's own last."""
    captions: dict[str, list[Row]] = {}
    for row in read_shard(table_of("annotate"), shard, ["id", "description", "caption", "status"]):
        of_picture = captions.setdefault(row["id"], [])
        if row["status"] == "ok":
            of_picture.append({"description": row["description"], "caption": row["caption"]})
    for row in read_shard(table_of("originals"), shard, ["id", "caption"]):
        if row["caption"] is not None:
            captions[row["id"]].append({"description": ORIGINAL, "caption": row["caption"]})
    return captions


def source_shards(route: str) -> list[str]:
    """Return a route's shards; UserError if the sources were not read."""
    try:
        shards = json.loads(route_file(route).read_text("utf-8"))
    except FileNotFoundError:
        raise UserError(f"the file {route_file(route)} does not exist: `dvc repro sources` writes it") from None
    return [shard["name"].removesuffix(".parquet") for shard in shards]


def route_file(route: str) -> Path:
    return ROUTES / f"{route}.json"


def source_rows(shard: str, columns: Sequence[str]) -> Iterator[Row]:
    return shard_rows(table_of("source_rows"), shard, columns, ok_ids("source_rows", shard))


def count_ok(step: str, shard: str) -> int:
    statuses = read_columns(table_of(step), shard, ["status"])["status"]
    return sum_of(compute("equal", statuses, pa.scalar("ok")))


def count_true(chosen: str, shard: str) -> int:
    """Return how many rows of a shard `chosen` names, a boolean column such as select.kept."""
    step, _, column = chosen.partition(".")
    return sum_of(read_columns(table_of(step), shard, [column])[column])
