"""Which of the sources' own captions are true of the new pictures (FLUX-Reason-6M, section 2.5).

As in the published data, a caption is released whatever its alignment is. A flag says whether the alignment reaches
the threshold (8 in the published data).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from gamut.dataset.shared.joins import table_of, values_by_id
from gamut.dataset.shared.parameters import Score
from gamut.dataset.shared.source_blocks import WithSources
from gamut.dataset.shared.texts import clean_text, is_latin, is_readable
from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Decides, Figure, start
from gamut.project.validation import Strict
from gamut.tables.columns import Row, prompt_id, table_schema, wave_of
from gamut.tables.reading import cut_into_slices, read_shard, shard_names


class Originals(Strict):
    """Lowest alignment with the synthesized picture that flags a source's own caption as true of it, 0..10."""

    alignment: Score


SCHEMA = table_schema("id caption score_original:int8 kept:bool reason")
"""`caption`: null if it is not released; `kept`: whether it is released and true of the picture."""


def by_shard(params: WithSources) -> ByShard:
    def make(shard: str) -> Iterator[Sequence[Sequence[Row]]]:
        captions = values_by_id("source_rows", shard, "caption")
        is_withheld = wave_of(shard) in params.withheld
        rows = read_shard(table_of("align"), shard, ["id", "score_original", "status"])
        for _, _, some in cut_into_slices(shard, rows):
            yield [[decide(row, captions, is_withheld, params.originals) for row in some]]

    def parameters(shard: str) -> Any:
        return [wave_of(shard) in params.withheld, params.originals.model_dump()]

    return ByShard(shard_names(table_of("align")), make, parameters)


def decide(row: Row, captions: Mapping[str, str], is_withheld: bool, lowest: Originals) -> Row:
    """Decide about a caption; `is_withheld` if its wave's texts may not be passed on."""
    caption = clean_text(captions[prompt_id(row["id"])])
    unfit: str | None = None
    if is_withheld:
        unfit = "not_redistributable"
    elif not is_readable(caption):
        unfit = "not_readable"
    elif not is_latin(caption):
        unfit = "not_in_latin_letters"
    reason = unfit
    if reason is None and row["status"] != "ok":
        reason = f"align_{row['status']}"
    elif reason is None and row["score_original"] < lowest.alignment:
        reason = "alignment"
    return {
        "id": row["id"],
        "caption": None if unfit else caption,
        "score_original": row["score_original"],
        "kept": reason is None,
        "reason": reason,
    }


STEP = Decides(
    "originals",
    by_shard=by_shard,
    reads="align source_rows",
    schema=SCHEMA,
    base=WithSources,
    parameters={"originals": Originals},
    of="caption",
    passes="the source's own caption is true of the picture, in Latin letters, and may be passed on (the picture stays "
    "without; a caption that is only not true stays too, its flag false)",
    share={"kept": Figure(0.64, "of the sources' own captions are true of new pictures", "released: .74; 0 in Text")},
)

if __name__ == "__main__":
    start(STEP)
