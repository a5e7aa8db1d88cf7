"""Find by rules which pictures may be items of a benchmark, and which pairs of texts a model must be asked about.

The rules look for near-duplicates of items' texts, and for rows that an item names by id and the hash of its source's
caption. Texts with known truth are tried too, to measure recall and false alarms.
"""

from __future__ import annotations

from gamut.dataset.leaks.suspects import SCHEMA, suspects_by_shard
from gamut.dataset.shared.parameters import HoldOut
from gamut.pipeline.steps import Makes, start
from gamut.project.parameters import NearDuplicates

STEP = Makes(
    "suspect",
    by_shard=suspects_by_shard,
    tables={"suspect": SCHEMA},
    reads="datasets/embed_items datasets/hashed_pictures compare_pictures resemble source_rows synthesize select "
    "annotate originals translate caption_lengths",
    parameters={"hold_out": HoldOut, "near_duplicates": NearDuplicates},
    tracked=(
        "near_duplicates",
        *(
            f"hold_out.{key}"
            for key in ("asked", "ask_from", "ask_at_odds", "unanswered", "picture", "picture_similarity")
        ),
    ),
)

if __name__ == "__main__":
    start(STEP)
