"""What speaks for it that a picture is an item of a benchmark, found by rules; and which pairs are to be asked about.

Near-duplicates of an item's text in any of a picture's texts, and rows that an item names by id and the hash of its
source's caption. Beside pictures, texts are tried of which it is known what they are.
"""

from __future__ import annotations

import numpy as np

from gamut.dataset.leaks.items import ITEMS, embedded_items, embedded_pictures, gathered
from gamut.dataset.leaks.nearest import Vectors, nearest_items
from gamut.dataset.leaks.parameters import HoldOut
from gamut.dataset.leaks.suspects import ASKED_ABOUT, SCHEMA, described_pictures, suspects_of, suspects_of_items
from gamut.dataset.shared.joins import row_by_id, table_of
from gamut.evaluation.defining.editions import EDITIONS, read_editions
from gamut.pipeline.steps import Given, Makes, start
from gamut.project.parameters import NearDuplicates
from gamut.project.plain_text import amount
from gamut.tables.columns import make_id, place
from gamut.tables.reading import read_rows, read_shard, shard_names, sliced
from gamut.tables.writing import TableWriter

NONE: Vectors = np.zeros((0, 0), np.float32)


def suspect(params: Given) -> None:
    block = params.hold_out
    benchmarks = gathered(list(read_editions()), params.near_duplicates.similarity)
    editions = {edition for edition, _ in benchmarks.items}
    rows, items = embedded_items(table_of("embed_items"))
    item_texts = {make_id(ITEMS, number): row for number, row in enumerate(rows)}
    pictures = list(read_rows(table_of("hashed_pictures"), ["edition", "item", "name"]))
    of_pictures = embedded_pictures(table_of("embed_pictures"))
    pairs = 0
    with TableWriter(table_of("suspect"), SCHEMA) as table:
        for shard in shard_names(table_of("select")):
            near, vectors = row_by_id(table_of("resemble"), shard), vectors_of(shard)
            for _, _, records in sliced(shard, described_pictures(shard)):
                found = [
                    one
                    for record in records
                    for one in suspects_of(
                        record,
                        near.get(record["id"]),
                        benchmarks,
                        item_texts,
                        pictures,
                        block,
                        nearest_items(vectors.get(record["id"], NONE), of_pictures, 1),
                    )
                ]
                pairs += sum(one["found_by"] in ASKED_ABOUT for one in found)
                table.write(shard, found)
        known = list(suspects_of_items(rows, items, benchmarks, block))
        for shard in shard_names(table_of("embed_items")):
            table.write(shard, [one for one in known if place(one["id"])[0] == shard])
    print(
        f"suspect: {amount(len(benchmarks.items), 'item')} of {len(editions)} frozen editions in {EDITIONS}; "
        f"{pairs:,} pairs of texts are to be asked about, and about planted ones"
    )


def vectors_of(shard: str) -> dict[str, Vectors]:
    """Return the embeddings of a shard's pictures by id; none where no model gives them."""
    rows = read_shard(table_of("embed_pictures"), shard, ["id", "vector"])
    return {row["id"]: np.array([row["vector"]], np.float32) for row in rows if row["vector"] is not None}


STEP = Makes(
    "suspect",
    run=suspect,
    reads="datasets/editions embed_items hashed_pictures embed_pictures resemble source_rows synthesize select "
    "annotate originals translate",
    parameters={"hold_out": HoldOut, "near_duplicates": NearDuplicates},
    tracked=(
        "near_duplicates",
        *(f"hold_out.{key}" for key in ("asked", "ask_from", "ask_at_odds", "picture", "picture_similarity")),
    ),
)

if __name__ == "__main__":
    start(STEP)
