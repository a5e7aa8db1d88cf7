"""Every score of the released pictures, a column each: of filters, and of models that give scores without a question.
There are no rows if no such model has a role.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa

from gamut.dataset.shared.joins import table_of
from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Makes, start
from gamut.tables.columns import Row
from gamut.tables.reading import cut_into_slices, read_shard, shard_names
from stages.dataset.choosing import COMPARED, ROLES, SCORED, WithScorers, scores_by_id
from stages.dataset.release import published_schema

COLUMNS = {name: step.schema.field(column).type for name, (step, column) in COMPARED.items()}
SCHEMA = published_schema([pa.field("id", pa.string()), *(pa.field(*column) for column in COLUMNS.items())])
"""A score is null if nobody was asked for it, or if there was no usable answer."""


def by_shard(params: WithScorers) -> ByShard:
    def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
        scores, released = scores_by_id(shard, COMPARED), read_shard(table_of("release"), shard, ["id"])
        for _, _, rows in cut_into_slices(shard, released):
            yield [[dict.fromkeys(COLUMNS) | row | {**scores.get(row["id"], {})} for row in rows]]

    return ByShard(shard_names(table_of("release")) if params.scorers else [], make)


STEP = Makes(
    "scores",
    by_shard=by_shard,
    tables={"scores": SCHEMA},
    reads=f"{' '.join(step.name for step in SCORED)} release",
    base=WithScorers,
    tracked=ROLES,
)

if __name__ == "__main__":
    start(STEP)
