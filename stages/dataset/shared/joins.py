"""The build's tables, and the joins that its stages share. Every table has the same shards, so all joins are local."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pyarrow.compute as pc

from stages.dataset.shared.parameters import ORIGINAL
from stages.tables.columns import Row
from stages.tables.reading import manifest, read_shard, shard_columns, shard_rows

SOURCE_ROWS = Path("datasets/source_rows")
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


def by_id(folder: Path, shard: str, columns: Sequence[str] | None = None) -> dict[str, Row]:
    """Return one shard's rows by id (tables with one row an id)."""
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
    """Return the captions (`description`, `caption`) that a shard's pictures have, by id; a kept original one comes
    last.
    """
    captions: dict[str, list[Row]] = {}
    for row in read_shard(ANNOTATED, shard, ["id", "description", "caption", "status"]):
        of_picture = captions.setdefault(row["id"], [])
        if row["status"] == "ok":
            of_picture.append({"description": row["description"], "caption": row["caption"]})
    for row in read_shard(ORIGINALS, shard, ["id", "caption", "kept"]):
        if row["kept"]:
            captions[row["id"]].append({"description": ORIGINAL, "caption": row["caption"]})
    return captions


def source_rows(shard: str, route: str, columns: Sequence[str]) -> Iterator[Row]:
    """Return a shard's usable source rows that take this route; none in other sources' shards."""
    return shard_rows(SOURCE_ROWS, shard, columns, source_ids(route, shard))


def source_ids(route: str, shard: str) -> set[str]:
    """Return ids of the usable source rows in a shard that take this route."""
    rows = read_shard(SOURCE_ROWS, shard, ["id", "route", "status"])
    return {row["id"] for row in rows if row["route"] == route and row["status"] == "ok"}


def count_sources(route: str) -> int:
    """Return how many usable source rows take this route."""
    usable = (pc.field("route") == route) & (pc.field("status") == "ok")
    return sum(table.filter(usable).num_rows for _, table in shard_columns(SOURCE_ROWS, ["route", "status"]))


def count(folder: Path, column: str) -> int:
    """Return how many rows of a table have a true value in a boolean column."""
    return sum(pc.sum(table[column]).as_py() or 0 for _, table in shard_columns(folder, [column]))


def count_ok(folder: Path) -> int:
    """Return how many rows of an asked table are `ok`, from its manifest."""
    return int(manifest(folder)["statuses"].get("ok", 0))
