"""Benchmark items and whatever resembles them stay out of the release, so that nobody trains on a test.

Every frozen edition of every benchmark counts (FLUX-Reason-6M, section 3: sampled prompts are removed from the
dataset). A picture is held out when its prompt or any of its captions, in either language, is a near-duplicate of an
item's text, or when an item names its row: the id and the hash of its source's caption, since ids are unique inside one
build only. Items without that hash, of older editions, count by their texts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from stages.dataset.shared.deciding import Decisions
from stages.dataset.shared.joins import (
    HELD_OUT,
    SELECTED,
    SOURCE_ROWS,
    SYNTHESIZED,
    TRANSLATED,
    english_captions,
    grouped,
)
from stages.dataset.shared.parameters import Params
from stages.evaluation.defining.editions import EDITIONS, Item, read_editions, source_sha256
from stages.project.stage import main
from stages.tables.columns import Row
from stages.tables.reading import read_shard, shard_names, sliced
from stages.texts.near_duplicates import Index

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("kept", pa.bool_()),
        pa.field("reason", pa.string()),
        pa.field("edition", pa.string()),
        pa.field("item", pa.string()),
        pa.field("description", pa.string()),
        pa.field("similarity", pa.float32()),
    ]
)


@dataclass(frozen=True)
class Benchmarks:
    """All items of all editions as (edition, item): which one each text of `texts` belongs to, and each row."""

    items: Sequence[tuple[str, Item]]
    texts: Index
    owners: Sequence[int]
    rows: Mapping[tuple[str, str], int]
    """By the row's id and the hash of its source."""


def hold_out(params: Params) -> None:
    """Decide about every selected picture."""
    benchmarks = gathered(list(read_editions()), params.near_duplicates.similarity)
    editions = {edition for edition, _ in benchmarks.items}
    print(f"hold_out: {len(benchmarks.items):,} items of {len(editions)} frozen editions in {EDITIONS}")
    with Decisions(HELD_OUT, SCHEMA) as table:
        for shard in shard_names(SELECTED):
            for _, _, records in sliced(shard, described(shard)):
                table.write(shard, [decide(record, benchmarks) for record in records])


def gathered(items: Sequence[tuple[str, Item]], similarity: float) -> Benchmarks:
    """Return items made ready to be looked up, by all their texts."""
    texts = [(number, text) for number, (_, item) in enumerate(items) for text in item.held_out]
    return Benchmarks(
        items,
        Index([text for _, text in texts], similarity),
        [number for number, _ in texts],
        {(item.row, item.row_sha256): n for n, (_, item) in enumerate(items) if item.row and item.row_sha256},
    )


def described(shard: str) -> Iterator[Row]:
    """Yield selected pictures of a shard with the hash of their source and all their texts, each with what it is:
    `prompt`, `detail`, `detail_cn`, ...
    """
    captions = {row["id"]: row["caption"] for row in read_shard(SOURCE_ROWS, shard, ["id", "caption"])}
    prompts = {row["id"]: row["prompt"] for row in read_shard(SYNTHESIZED, shard, ["id", "prompt"])}
    english = english_captions(shard)
    chinese = grouped(TRANSLATED, shard, ["id", "description", "caption_cn", "status"])
    for row in read_shard(SELECTED, shard, ["id", "kept"]):
        if row["kept"]:
            row_id = row["id"]
            texts = [("prompt", prompts[row_id])]
            texts += [(c["description"], c["caption"]) for c in english.get(row_id, [])]
            translated = [c for c in chinese.get(row_id, []) if c["status"] == "ok"]
            texts += [(f"{c['description']}_cn", c["caption_cn"]) for c in translated]
            source = source_sha256(captions[row_id], prompts[row_id])
            yield {"id": row_id, "source_sha256": source, "texts": texts}


def decide(picture: Row, benchmarks: Benchmarks) -> Row:
    """Hold a picture out whose row an item names, or for the first text that resembles an item's; or keep it."""
    row_id: str = picture["id"]
    if (named := benchmarks.rows.get((row_id, picture["source_sha256"]))) is not None:
        return held_out(row_id, benchmarks.items[named], "row", 1.0)
    for description, text in picture["texts"]:
        if (match := benchmarks.texts.nearest(text)) is not None:
            position, similarity = match
            return held_out(row_id, benchmarks.items[benchmarks.owners[position]], description, similarity)
    return {"id": row_id, "kept": True, "reason": None}


def held_out(row_id: str, found: tuple[str, Item], description: str, similarity: float) -> Row:
    """Return the decision to hold a picture out, for which item, and which of its texts resembles it."""
    edition, item = found
    return {
        "id": row_id,
        "kept": False,
        "reason": "benchmark",
        "edition": edition,
        "item": str(item.id),
        "description": description,
        "similarity": similarity,
    }


if __name__ == "__main__":
    main("hold_out", hold_out, Params)
