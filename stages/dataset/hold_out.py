"""Keep benchmark items and everything that resembles them out of the release, so that nobody trains on a test.

Every frozen edition counts (FLUX-Reason-6M, section 3). A picture is held out if an item names its row, or if it is
like an item's picture. It is also held out if one of its texts is a near-duplicate of an item's, or, as a model judges,
the same test in other words. The metrics say how many planted paraphrases are found.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gamut.dataset.leaks.deciding import COUNTS, answers_by_id, counts_of, hold_out_metrics, leaks_of
from gamut.dataset.shared.joins import rows_by_id, table_of
from gamut.dataset.shared.parameters import HoldOut
from gamut.pipeline.entries import uncached_output
from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Decides, StepParameters, start
from gamut.project.files import write_json
from gamut.project.parameters import NearDuplicates
from gamut.tables.columns import Row, table_schema
from gamut.tables.reading import cut_into_slices, read_shard, shard_names

METRICS = Path("metrics/hold_out.json")
SCHEMA = table_schema("id kept:bool reason found_by edition item description similarity:float32", *COUNTS)


def decide(params: StepParameters) -> ByShard:
    block = params.hold_out

    def make(shard: str) -> Iterator[list[list[Row]]]:
        suspects = rows_by_id(table_of("suspect"), shard)
        answers = answers_by_id(table_of("same_test"), shard)
        selected = (row for row in read_shard(table_of("select"), shard, ["id", "kept"]) if row["kept"])
        for _, _, rows in cut_into_slices(shard, selected):
            decided = []
            for row in rows:
                of_picture, replies = suspects.get(row["id"], []), answers.get(row["id"], {})
                leaks = leaks_of(of_picture, replies, block)
                decided.append(decision(row["id"], leaks) | counts_of(of_picture, replies, leaks))
            yield [decided]

    return ByShard(shard_names(table_of("select")), make)


def decision(row_id: str, leaks: list[Row]) -> Row:
    """Return the decision about a picture: kept, or held out for the first of the items that it is."""
    if not leaks:
        return {"id": row_id, "kept": True, "reason": None}
    columns = ("id", "found_by", "edition", "item", "description", "similarity")
    return {name: leaks[0][name] for name in columns} | {"kept": False, "reason": "benchmark"}


STEP = Decides(
    "hold_out",
    by_shard=decide,
    tables={"hold_out": SCHEMA},
    run=lambda params: write_json(METRICS, hold_out_metrics(params)),
    reads="datasets/embed_items datasets/hashed_pictures select resemble suspect same_test",
    schema=SCHEMA,
    outs=("datasets/hold_out", uncached_output(str(METRICS))),
    parameters={"hold_out": HoldOut, "near_duplicates": NearDuplicates},
    passes="it resembles no item of a benchmark",
    left="not a benchmark's",
)

if __name__ == "__main__":
    start(STEP)
