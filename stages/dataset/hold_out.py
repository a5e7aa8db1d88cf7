"""Benchmark items and whatever resembles them stay out of the release, so that nobody trains on a test.

Every frozen edition of every benchmark counts (FLUX-Reason-6M, section 3: sampled prompts are removed from the
dataset). A picture is held out when an item names its row, or when its prompt or any of its captions, in either
language, is a near-duplicate of an item's text.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa

from stages.dataset.shared.joins import HELD_OUT, IMAGES, SELECTED, TRANSLATIONS, Decisions, english_captions, grouped
from stages.dataset.shared.parameters import Params
from stages.evaluation.curating.editions import EDITIONS, Item, read_editions
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
    """All items of all editions as (edition, item): which one each text of `texts` belongs to, and by row."""

    items: Sequence[tuple[str, Item]]
    texts: Index
    owners: Sequence[int]
    rows: Mapping[str, int]


def hold_out(params: Params) -> None:
    """Decide about every selected picture."""
    benchmarks = gathered(list(read_editions()), params.near_duplicates.similarity)
    editions = {edition for edition, _ in benchmarks.items}
    print(f"hold_out: {len(benchmarks.items):,} items of {len(editions)} frozen editions in {EDITIONS}")
    with Decisions(HELD_OUT, SCHEMA) as table:
        for shard in shard_names(SELECTED):
            for _, _, records in sliced(shard, described(shard)):
                table.write(shard, [decide(record["id"], record["texts"], benchmarks) for record in records])


def gathered(items: Sequence[tuple[str, Item]], similarity: float) -> Benchmarks:
    """Items made ready to be looked up, by their texts in either language."""
    texts = [(number, text) for number, (_, item) in enumerate(items) for text in (item.prompt, item.prompt_zh) if text]
    return Benchmarks(
        items,
        Index([text for _, text in texts], similarity),
        [number for number, _ in texts],
        {item.row: number for number, (_, item) in enumerate(items) if item.row},
    )


def described(shard: str) -> Iterator[Row]:
    """Selected pictures of a shard with all their texts, each with what it is: `prompt`, `detail`, `detail_cn`, ..."""
    prompts = {row["id"]: row["prompt"] for row in read_shard(IMAGES, shard, ["id", "prompt"])}
    english = english_captions(shard)
    chinese = grouped(TRANSLATIONS, shard, ["id", "description", "caption_cn", "status"])
    for row in read_shard(SELECTED, shard, ["id", "kept"]):
        if row["kept"]:
            row_id = row["id"]
            texts = [("prompt", prompts[row_id])]
            texts += [(c["description"], c["caption"]) for c in english.get(row_id, [])]
            translated = [c for c in chinese.get(row_id, []) if c["status"] == "ok"]
            texts += [(f"{c['description']}_cn", c["caption_cn"]) for c in translated]
            yield {"id": row_id, "texts": texts}


def decide(row_id: str, texts: Sequence[tuple[str, str]], benchmarks: Benchmarks) -> Row:
    """Hold a picture out for the first of its texts that resembles an item's; otherwise keep it."""
    if row_id in benchmarks.rows:
        return held_out(row_id, benchmarks.items[benchmarks.rows[row_id]], "row", 1.0)
    for description, text in texts:
        if (match := benchmarks.texts.nearest(text)) is not None:
            position, similarity = match
            return held_out(row_id, benchmarks.items[benchmarks.owners[position]], description, similarity)
    return {"id": row_id, "kept": True, "reason": None}


def held_out(row_id: str, found: tuple[str, Item], description: str, similarity: float) -> Row:
    """The decision to hold a picture out, for which item, and which of its texts resembles it."""
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
