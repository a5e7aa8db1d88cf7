"""Which pictures repeat an earlier one, by hashes and embeddings; nothing if both thresholds are null.

Only pictures that pass all filters compete, whether painted or a source's own. Earlier rows win, so a new wave changes
nothing about old pictures.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby, islice
from typing import Any

import numpy as np

from gamut.dataset.leaks.pictures import OUTLINE, WORDS, places
from gamut.dataset.leaks.repeats import Block, Near, near_hashes, near_vectors, repeats
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.parameters import SamePictures
from gamut.dataset.shared.reviewed import read_reviews
from gamut.pipeline.shards import ByShard, values_of_shards
from gamut.pipeline.steps import Decides, StepParameters, start
from gamut.tables.columns import Row, compute, grouped, place, table_schema, wave_of
from gamut.tables.reading import cut_into_slices, read_columns, shard_names
from stages.dataset.choosing import Choose
from stages.dataset.select import DECIDED, REPEATED, Select, decisions

SCHEMA = table_schema("id kept:bool reason same_as bits:int16 similarity:float32")


def by_shard(params: StepParameters) -> ByShard:
    block, shards = params.same_pictures, shard_names(table_of("synthesize"))
    counting = params.model_dump(exclude={"choose": {"margin"}}) if {block.bits, block.similarity} - {None} else None

    @cache
    def found() -> dict[str, list[Row]]:
        """Return the rows by shard. Those of a wave are searched together, and kept for other processes."""
        rows = dict[str, list[Row]]()

        def of_wave(first: str) -> dict[str, list[Row]]:
            return search([shard for shard in shards if wave_of(shard) == wave_of(first)], rows, params)

        for _, wave in groupby(shards, key=wave_of):
            [more] = values_of_shards(STEP, [next(wave)], of_wave, parameters=lambda _: counting)
            rows |= more
        return rows

    def make(shard: str) -> Iterator[list[Sequence[Row]]]:
        for _, _, rows in cut_into_slices(shard, found().get(shard, ()) if counting else ()):
            yield [rows]

    return ByShard(shards, make, lambda _: counting)


def search(wave: Sequence[str], before: Mapping[str, Sequence[Row]], params: StepParameters) -> dict[str, list[Row]]:
    """Decide about all pictures of a wave that pass the filters, by shard. Those that stayed `before` come first."""
    block, reviews, shards = params.same_pictures, read_reviews(), [*before, *wave]
    earlier = [row["id"] for rows in before.values() for row in rows if row["kept"]]
    decided = (row for shard in wave for rows in decisions(shard, params, reviews) for row in rows)
    passing, first = [*earlier, *(row["id"] for row in decided if row["kept"])], len(earlier)
    numbers = {row_id: number for number, row_id in enumerate(passing)}
    near = list[tuple[int, Near]]()
    if block.bits is not None:
        near += near_hashes(lambda: (hashes_of(shard, numbers) for shard in shards), block.bits, first)
    if block.similarity is not None:
        vectors = [numbered("embed_pictures", ["vector"], shard, numbers) for shard in shards]
        near += near_vectors(vectors, block.similarity, first)
    leaving = repeats(near)
    own = islice(numbers.items(), first, None)
    return grouped((place(row_id)[0], row_of(row_id, leaving.get(number), passing)) for row_id, number in own)


def row_of(row_id: str, near: Near | None, ids: Sequence[str]) -> Row:
    if near is None:
        return {"id": row_id, "kept": True, "reason": None}
    of = {"same_as": ids[near.picture], "bits": near.bits, "similarity": near.similarity}
    return {"id": row_id, "kept": False, "reason": REPEATED} | of


def hashes_of(shard: str, numbers: Mapping[str, int]) -> Block:
    """Return the hashes of a shard's pictures."""
    some, words, pixels = numbered("picture_versions", ("versions", "outline"), shard, numbers)
    versions = words.reshape(len(some), 1 + len(places()), WORDS).transpose(2, 0, 1)
    return Block(some, pixels.reshape(len(some), OUTLINE, OUTLINE), versions)


def numbered(table: str, columns: Sequence[str], shard: str, numbers: Mapping[str, int]) -> Any:
    """Return the numbers of a shard's pictures that have values, and of each a row of values, column by column."""
    every = read_columns(table_of(table), shard, ["id", *columns])
    rows = every.filter(compute("is_valid", every[columns[0]]))
    some = np.array([numbers.get(row_id, -1) for row_id in rows["id"].to_pylist()], np.int64)
    lists = [rows[column].combine_chunks().flatten().to_numpy() for column in columns]
    return [some[some >= 0], *(flat.reshape(len(some), flat.size // max(1, len(some)))[some >= 0] for flat in lists)]


STEP = Decides(
    "same_pictures",
    by_shard=by_shard,
    in_order=True,
    reads=f"{DECIDED} picture_versions embed_pictures",
    schema=SCHEMA,
    parameters={"same_pictures": SamePictures, "select": Select, "choose": Choose},
    passes="it repeats no earlier picture",
    of="picture",
)

if __name__ == "__main__":
    start(STEP)
