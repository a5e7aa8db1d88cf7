"""Benchmark items and whatever resembles them stay out of the release, so that nobody trains on a test.

Every frozen edition counts (FLUX-Reason-6M, section 3). A picture is held out when an item names its row, when one of
its texts is a near-duplicate of an item's, when it is like an item's picture, or when a model says that one of its
texts is the same test in other words. What is found of planted paraphrases stands in the metrics.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa

from gamut.dataset.leaks.deciding import Counts, Tried, answers_of, leaks_of, recall, thresholds, tried
from gamut.dataset.leaks.parameters import HoldOut
from gamut.dataset.leaks.suspects import tried_texts
from gamut.dataset.shared.joins import rows_by_id, string_fields, table_of
from gamut.pipeline.entries import uncached
from gamut.pipeline.steps import Decides, Decisions, Given, start
from gamut.project.files import write_json
from gamut.project.parameters import NearDuplicates
from gamut.tables.columns import Row
from gamut.tables.reading import manifest, read_rows, read_shard, shard_names, sliced

METRICS = Path("metrics/hold_out.json")
SCHEMA = pa.schema(
    [
        *string_fields("id"),
        pa.field("kept", pa.bool_()),
        *string_fields("reason", "found_by", "edition", "item", "description"),
        pa.field("similarity", pa.float32()),
    ]
)
ANSWERED = ["id", "edition", "item", "description", "item_text", "same", "status"]


def hold_out(params: Given) -> None:
    block, counts = params.hold_out, Counts()
    with Decisions(table_of("hold_out"), SCHEMA) as table:
        for shard in shard_names(table_of("select")):
            suspects, answers = (
                rows_by_id(table_of("suspect"), shard),
                rows_by_id(table_of("same_test"), shard, ANSWERED),
            )
            selected = (row for row in read_shard(table_of("select"), shard, ["id", "kept"]) if row["kept"])
            for _, _, rows in sliced(shard, selected):
                decided = []
                for row in rows:
                    found, said = suspects.get(row["id"], []), answers_of(answers.get(row["id"], []))
                    leaks = leaks_of(found, said, block)
                    counts.add(found, said, leaks)
                    decided.append(decision(row["id"], leaks))
                table.write(shard, decided)
    report = {
        "thresholds": thresholds(block, params.near_duplicates.similarity),
        **counts.report(),
        "without_embedding": count_not_ok(table_of("resemble")),
        "item_texts_without_embedding": count_not_ok(table_of("embed_items")),
        "item_pictures": {
            "compared": sum(row["reason"] is None for row in read_rows(table_of("hashed_pictures"), ["reason"])),
            "missing": sum(row["reason"] is not None for row in read_rows(table_of("hashed_pictures"), ["reason"])),
        },
        **recall(all_known_texts(block)),
    }
    write_json(METRICS, report)


def all_known_texts(block: HoldOut) -> Iterator[Tried]:
    rows = list(read_rows(table_of("embed_items"), ["id", "edition", "item", "way", "status"]))
    shards = shard_names(table_of("embed_items"))
    suspects = {row_id: rows for shard in shards for row_id, rows in rows_by_id(table_of("suspect"), shard).items()}
    answers = {
        row_id: rows for shard in shards for row_id, rows in rows_by_id(table_of("same_test"), shard, ANSWERED).items()
    }
    for number in tried_texts(rows):
        row_id = rows[number]["id"]
        yield tried(rows[number], suspects.get(row_id, []), answers_of(answers.get(row_id, [])), block)


def count_not_ok(folder: Path) -> int:
    counted = manifest(folder)
    return int(counted["rows"] - counted["statuses"].get("ok", 0))


def decision(row_id: str, leaks: list[Row]) -> Row:
    """Return the decision about a picture: kept, or held out for the first of the items that it is."""
    if not leaks:
        return {"id": row_id, "kept": True, "reason": None}
    columns = ("id", "found_by", "edition", "item", "description", "similarity")
    return {name: leaks[0][name] for name in columns} | {"kept": False, "reason": "benchmark"}


STEP = Decides(
    "hold_out",
    run=hold_out,
    reads="embed_items hashed_pictures select resemble suspect same_test",
    schema=SCHEMA,
    outs=("datasets/hold_out", uncached(str(METRICS))),
    parameters={"hold_out": HoldOut, "near_duplicates": NearDuplicates},
    passes="it resembles no item of a benchmark",
    left="not a benchmark's",
)

if __name__ == "__main__":
    start(STEP)
