"""Pairs of pictures of the same prompt, the released one and one that is clearly worse, as trainers of preferences read
them. There are none where each prompt has one picture.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from typing import Any

from gamut.dataset.shared.joins import pictures_named, table_of
from gamut.dataset.shared.reviewed import read_reviews
from gamut.dataset.shared.source_blocks import WithSources
from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Makes, start
from gamut.project.plain_text import amount
from gamut.tables.columns import Row, grouped, prompt_id, published_schema, table_schema, wave_of
from gamut.tables.reading import cut_into_slices, manifest, read_shard, shard_names, shard_rows
from stages.dataset import safety
from stages.dataset.choosing import SCORED, Choose, Pair, clearest_pair, scores_by_id
from stages.dataset.select import Select
from stages.dataset.synthesize import Synthesize

COLUMNS = "chosen_id rejected_id score_chosen:float64 score_rejected:float64 by"
SCHEMA = published_schema([*table_schema(f"id prompt chosen:image rejected:image {COLUMNS}")])
"""`id` is the prompt's; `by` names the scores whose weighted means are compared."""


def by_shard(params: WithSources) -> ByShard:
    reviews, lowest = read_reviews(), safety.lowest_of(params)

    def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
        excluded = reviews.excluded_ids(shard)
        pairs = [] if wave_of(shard) in params.withheld else pairs_of(shard, params.choose, lowest, excluded)
        wanted = {one: pair for pair in pairs for one in (pair.chosen, pair.rejected)}
        found = shard_rows(table_of("synthesize"), shard, ["id", "prompt", "image"], wanted)
        for _, _, rows in cut_into_slices(shard, found):
            pictures = {row["id"]: row for row in rows}
            yield [[pair_row(wanted[one], pictures) for one in pictures if wanted[one].chosen == one]]

    def parameters(shard: str) -> Any:
        return [wave_of(shard) in params.withheld, params.choose.model_dump(), lowest]

    return ByShard(shard_names(table_of("release")) if params.synthesize.samples > 1 else [], make, parameters)


def pairs_of(shard: str, choose: Choose, lowest: Mapping[str, int], excluded: Set[str] = frozenset()) -> list[Pair]:
    """Return the pairs of a shard. A worse picture may be one that filters left out, but not `safety` or people."""
    scores = scores_by_id(shard, choose.by)
    shown = pictures_named(shard, "synthesize.painted") - excluded
    painted = grouped((prompt_id(one), one) for one in sorted(filter(safety.publishable(shard, lowest), shown)))
    released = (row["id"] for row in read_shard(table_of("release"), shard, ["id"]))
    pairs = (
        clearest_pair(chosen, (one for one in painted.get(prompt_id(chosen), ()) if one != chosen), scores, choose)
        for chosen in released
    )
    return [pair for pair in pairs if pair is not None]


def pair_row(pair: Pair, pictures: dict[str, Row]) -> Row:
    chosen, rejected = pictures[pair.chosen], pictures[pair.rejected]
    images = {"chosen": chosen["image"], "rejected": rejected["image"]}
    ids = {"id": prompt_id(pair.chosen), "chosen_id": pair.chosen, "rejected_id": pair.rejected}
    means = {"score_chosen": pair.score_chosen, "score_rejected": pair.score_rejected, "by": ", ".join(pair.by)}
    return {"prompt": chosen["prompt"]} | ids | images | means


def count_pairs(params: WithSources) -> None:
    if params.synthesize.samples > 1:
        pairs = manifest(table_of("preferences"))["rows"]
        print(f"preferences: {amount(pairs, 'pair')} of pictures of the same prompt")


STEP = Makes(
    "preferences",
    by_shard=by_shard,
    tables={"preferences": SCHEMA},
    run=count_pairs,
    reads=f"synthesize {' '.join(SCORED)} release datasets/decisions",
    base=WithSources,
    parameters={"choose": Choose, "synthesize": Synthesize, "select": Select},
)

if __name__ == "__main__":
    start(STEP)
