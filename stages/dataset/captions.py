"""The captions of `caption_lengths` and `translate_lengths` of released pictures, as a table beside the release."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from gamut.dataset.shared.joins import rows_by_id, table_of
from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Makes, StepParameters, start
from gamut.tables.columns import Row, published_schema, table_schema
from gamut.tables.reading import cut_into_slices, shard_names, shard_rows
from stages.dataset.lengths import Captions

SCHEMA = published_schema([*table_schema("id language length caption")])


def by_shard(params: StepParameters) -> ByShard:
    def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
        english = rows_by_id(table_of("caption_lengths"), shard, ["id", "length", "caption"])
        others = rows_by_id(table_of("translate_lengths"), shard, SCHEMA.names)
        for _, _, released in cut_into_slices(shard, shard_rows(table_of("release"), shard, ["id"])):
            rows = (one for row in released for of in (english, others) for one in of.get(row["id"], ()))
            yield [[{"language": "English"} | one for one in rows if one["caption"]]]

    return ByShard(shard_names(table_of("release")) if params.captions.lengths else [], make)


STEP = Makes(
    "captions",
    by_shard=by_shard,
    tables={"captions": SCHEMA},
    reads="release caption_lengths translate_lengths",
    parameters={"captions": Captions},
)

if __name__ == "__main__":
    start(STEP)
