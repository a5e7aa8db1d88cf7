"""The build's tables, and the joins that its stages share. Every table has the same shards, so all joins are local."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.compute as pc

from stages.dataset.shared.parameters import ORIGINAL
from stages.project.errors import UserError
from stages.tables.columns import Row
from stages.tables.reading import manifest, read_columns, read_shard, shard_columns, shard_rows

SOURCE_ROWS = Path("datasets/source_rows")
ROUTES = Path("datasets/routes")
"""For each route a file that names its shards of the source rows, with their digests: what goes one way depends on it
alone, so that a new wave runs no other route again.
"""
BRAINSTORM = Path("datasets/brainstorm")
SEEDS = Path("datasets/seeds")
IMAGINED = Path("datasets/imagined")
REWRITTEN = Path("datasets/rewritten")
FOUND_TEXT = Path("datasets/found_text")
LEGIBLE = Path("datasets/legible")
MINED_TEXT = Path("datasets/mined_text")
PROMPTS = Path("datasets/prompts")
SYNTHESIZED = Path("datasets/synthesized")
EXAMINED = Path("datasets/examined")
ADMITTED = Path("datasets/admitted")
SCORED = Path("datasets/scored")
CATEGORIZED = Path("datasets/categorized")
PROOFREAD = Path("datasets/proofread")
SELECTED = Path("datasets/selected")
ANNOTATED = Path("datasets/annotated")
ALIGNED = Path("datasets/aligned")
ORIGINALS = Path("datasets/originals")
TRANSLATED = Path("datasets/translated")
EMBEDDED_ITEMS = Path("datasets/embedded_items")
HASHED_PICTURES = Path("datasets/hashed_pictures")
EMBEDDED_PICTURES = Path("datasets/embedded_pictures")
RESEMBLING = Path("datasets/resembling")
SUSPECTED = Path("datasets/suspected")
SAME_TESTS = Path("datasets/same_tests")
HELD_OUT = Path("datasets/held_out")
RELEASE = Path("datasets/release")
PROVENANCE = Path("datasets/provenance")


def by_id(folder: Path, shard: str, columns: Sequence[str] | None = None) -> dict[str, Row]:
    return {row["id"]: row for row in read_shard(folder, shard, columns)}


def grouped(folder: Path, shard: str, columns: Sequence[str] | None = None) -> dict[str, list[Row]]:
    """Return one shard's rows by id, in order (tables with several rows an id)."""
    groups: dict[str, list[Row]] = {}
    for row in read_shard(folder, shard, columns):
        groups.setdefault(row["id"], []).append(row)
    return groups


def pictures(shard: str, decided: Path | None = None, column: str = "") -> Iterator[Row]:
    """Return a shard's painted pictures: all, or those whose row in the table `decided` is true in this
    boolean column.
    """
    wanted = {row["id"] for row in read_shard(SYNTHESIZED, shard, ["id", "status"]) if row["status"] == "ok"}
    if decided:
        wanted &= {row["id"] for row in read_shard(decided, shard, ["id", column]) if row[column]}
    return shard_rows(SYNTHESIZED, shard, ["id", "image"], wanted)


def english_captions(shard: str) -> dict[str, list[Row]]:
    """Return the captions (`description`, `caption`) that are released of a shard's pictures, by id; the source's own
    comes last, be it true of the picture or not.
    """
    captions: dict[str, list[Row]] = {}
    for row in read_shard(ANNOTATED, shard, ["id", "description", "caption", "status"]):
        of_picture = captions.setdefault(row["id"], [])
        if row["status"] == "ok":
            of_picture.append({"description": row["description"], "caption": row["caption"]})
    for row in read_shard(ORIGINALS, shard, ["id", "caption"]):
        if row["caption"] is not None:
            captions[row["id"]].append({"description": ORIGINAL, "caption": row["caption"]})
    return captions


def source_shards(route: str) -> list[str]:
    """Return the shards of the source rows that take this route; a UserError when the sources were not read."""
    try:
        shards = json.loads(route_file(route).read_text("utf-8"))
    except FileNotFoundError:
        raise UserError(f"{route_file(route)}: no such file: `dvc repro sources` writes it") from None
    return [shard["name"].removesuffix(".parquet") for shard in shards]


def route_file(route: str) -> Path:
    return ROUTES / f"{route}.json"


def source_rows(shard: str, columns: Sequence[str]) -> Iterator[Row]:
    usable = {row["id"] for row in read_shard(SOURCE_ROWS, shard, ["id", "status"]) if row["status"] == "ok"}
    return shard_rows(SOURCE_ROWS, shard, columns, usable)


def count_sources(route: str) -> int:
    """Return how many usable source rows take this route."""
    statuses = (read_columns(SOURCE_ROWS, shard, ["status"])["status"] for shard in source_shards(route))
    return sum(pc.sum(pc.equal(column, "ok")).as_py() or 0 for column in statuses)


def count(folder: Path, column: str) -> int:
    return sum(pc.sum(table[column]).as_py() or 0 for _, table in shard_columns(folder, [column]))


def count_ok(folder: Path) -> int:
    """Return how many rows of an asked table are `ok`, from its manifest."""
    return int(manifest(folder)["statuses"].get("ok", 0))
