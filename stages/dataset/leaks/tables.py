"""The tables in which it is noted what lies near benchmarks' items."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from stages.dataset.leaks.nearest import Embedded, embedded
from stages.tables.columns import ASKED, Row
from stages.tables.reading import read_rows, read_shard, shard_names

ITEMS = "ITEMS"
"""The wave of items' texts: in capitals, which no wave of a source has."""
ITEMS_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("edition", pa.string()),
        pa.field("item", pa.string()),
        pa.field("text", pa.string()),
        pa.field("way", pa.string()),
        pa.field("vectors", pa.list_(pa.list_(pa.float32()))),
        *ASKED,
    ]
)
"""`way`: of a planted paraphrase of an item's text, in which way it says the same; null of the text itself. `vectors`:
of the whole text, then of its sentences; null where one is lacking."""
RESEMBLING_SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field(
            "nearest",
            pa.list_(
                pa.struct(
                    [
                        pa.field("description", pa.string()),
                        pa.field("item_text", pa.string()),
                        pa.field("similarity", pa.float32()),
                    ]
                )
            ),
        ),
        pa.field("picture", pa.int32()),
        pa.field("distance", pa.int16()),
        pa.field("picture_reason", pa.string()),
        *ASKED,
    ]
)
"""`nearest`: which text of the picture, the id of an item's text, and the cosine of their embeddings. `picture`: the
number of the item's picture that is most alike, `distance`: in how many bits their hashes differ; null where there is
nothing to compare, `picture_reason` says why where its file is to blame. Replies stand there without their vectors."""


PICTURES = "PICTURES"
"""The wave of items' pictures, numbered as in the table of their hashes."""
PICTURES_SCHEMA = pa.schema([pa.field("id", pa.string()), pa.field("vector", pa.list_(pa.float32())), *ASKED])


def embedded_pictures(folder: Path) -> Embedded:
    """Return the embeddings of items' pictures, each an item of its own; none where no model gives them."""
    shards = [shard for shard in shard_names(folder) if shard.rpartition("-")[0] == PICTURES]
    rows = [row for shard in shards for row in read_shard(folder, shard, ["id", "vector"]) if row["vector"] is not None]
    numbers = [int(row["id"].rpartition("-")[2]) for row in rows]
    return embedded([row["vector"] for row in rows], numbers, numbers)


def embedded_items(folder: Path) -> tuple[list[Row], Embedded]:
    """Return the rows of the table of items' texts by their numbers, and the embeddings of items' own texts that have
    one.
    """
    rows = list(read_rows(folder, ["id", "edition", "item", "text", "way", "vectors", "status"]))
    own = [number for number, row in enumerate(rows) if row["way"] is None and row["vectors"] is not None]
    vectors = [rows[number]["vectors"][0] for number in own]
    owners = [(rows[number]["edition"], rows[number]["item"]) for number in own]
    return rows, embedded(vectors, owners, own)
