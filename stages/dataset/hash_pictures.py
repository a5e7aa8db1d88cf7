"""Hash each painted picture once (perceptually), so that new thresholds do not decode pictures again.

Nothing is hashed if no item of a benchmark has a picture.
"""

from __future__ import annotations

from gamut.dataset.leaks.pictures import COMPARES, hashes_by_shard
from gamut.pipeline.steps import Makes, start
from gamut.tables.columns import table_schema

STEP = Makes(
    "hash_pictures",
    by_shard=hashes_by_shard,
    tables={"picture_hashes": table_schema("id hash:[uint64] reason")},
    reads=f"{COMPARES} synthesize",
    outs=("datasets/picture_hashes",),
)

if __name__ == "__main__":
    start(STEP)
