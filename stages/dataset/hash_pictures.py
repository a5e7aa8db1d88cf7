"""Hash each picture once (perceptually), so that new thresholds do not decode pictures again.

Nothing is hashed if no item of a benchmark has a picture, and `same_pictures.bits` is null. Mirrored and cropped
versions are hashed for `same_pictures` alone.
"""

from __future__ import annotations

from gamut.dataset.leaks.pictures import COMPARES, hashes_by_shard
from gamut.dataset.shared.parameters import SamePictures
from gamut.pipeline.steps import Makes, start
from gamut.tables.columns import table_schema

STEP = Makes(
    "hash_pictures",
    by_shard=hashes_by_shard,
    tables={
        "picture_hashes": table_schema("id hash:[uint64] reason"),
        "picture_versions": table_schema("id versions:[uint64] outline:[uint8]"),
    },
    reads=f"{COMPARES} synthesize",
    parameters={"same_pictures": SamePictures},
    outs=("datasets/picture_hashes", "datasets/picture_versions"),
)

if __name__ == "__main__":
    start(STEP)
