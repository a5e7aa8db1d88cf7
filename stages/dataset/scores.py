"""The released pictures with every score as a column, if `safety` or a scorer was asked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from gamut.dataset.shared.joins import table_of
from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Makes, StepParameters, start
from gamut.tables.columns import Row, published_schema
from gamut.tables.reading import cut_into_slices, manifest, read_shard, shard_names
from stages.dataset import safety
from stages.dataset.choosing import COMPARED, SCORED, SCORING, scores_by_id

COLUMNS = {name: step.schema.field(column).type for name, (step, column) in COMPARED.items()}
SCHEMA = published_schema([pa.field("id", pa.string()), *(pa.field(*column) for column in COLUMNS.items())])
"""A score is null if nobody was asked for it, or if there was no usable answer."""


def by_shard(params: StepParameters) -> ByShard:
    def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
        scores, released = scores_by_id(shard, COMPARED), read_shard(table_of("release"), shard, ["id"])
        for _, _, rows in cut_into_slices(shard, released):
            yield [[dict.fromkeys(COLUMNS) | row | {**scores.get(row["id"], {})} for row in rows]]

    asked = any(manifest(step.table)["rows"] for step in (safety.STEP, *SCORING.values()))
    return ByShard(shard_names(table_of("release")) if asked else [], make)


STEP = Makes("scores", by_shard=by_shard, tables={"scores": SCHEMA}, reads=f"{' '.join(SCORED)} release")

if __name__ == "__main__":
    start(STEP)
