"""The dataset as it is published: the columns of FLUX-Reason-6M in fixed shards, and where pictures come from.

An English caption and its Chinese twin are released together or not at all; a picture only with its chain-of-thought
(`detail`). A flag says whether each caption exists; the flag of the source's own caption also says whether it is true.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import pyarrow as pa

from gamut.dataset.shared.joins import (
    count_true,
    english_captions,
    ids_where,
    pictures_named,
    row_by_id,
    rows_by_id,
    table_of,
    values_by_id,
)
from gamut.dataset.shared.parameters import CHARACTERISTICS, DETAIL, ORIGINAL
from gamut.dataset.shared.source_blocks import Foreign, WithSources
from gamut.pipeline.shards import ByShard
from gamut.pipeline.steps import Makes, start
from gamut.project.plain_text import amount
from gamut.tables.columns import IMAGE, Row, prompt_id, published_schema, wave_of
from gamut.tables.reading import manifest, read_shard, row_groups, shard_names

CAPTION_COLUMNS = (*CHARACTERISTICS, ORIGINAL, DETAIL)
RELEVANCE_SCORES = tuple(f"score_{name}" for name in CHARACTERISTICS)
ORIGINAL_SCORE = f"score_{ORIGINAL}"
QUALITY_SCORES = ("score_image_clarity", "score_image_structure")


SCHEMA = published_schema(
    [
        pa.field("id", pa.string()),
        pa.field("image", IMAGE),
        *(pa.field(f"caption_{name}", pa.string()) for name in CAPTION_COLUMNS),
        *(pa.field(f"caption_{name}_cn", pa.string()) for name in CAPTION_COLUMNS),
        *(pa.field(f"bool_caption_{name}", pa.bool_()) for name in CAPTION_COLUMNS),
        *(pa.field(name, pa.int64()) for name in (*RELEVANCE_SCORES, ORIGINAL_SCORE, *QUALITY_SCORES)),
        pa.field("caption", pa.string()),
    ]
)


ORIGINS = published_schema(
    [pa.field(name, pa.string()) for name in ("id", "wave", "route", "source", "license", "source_id", "prompt")]
)


def release(params: WithSources) -> ByShard:
    def make(shard: str) -> Iterator[tuple[pa.Table, list[Row]]]:
        scores, english = scores_of(shard), english_captions(shard)
        true_originals = ids_where("originals.kept", shard)
        chinese = rows_by_id(table_of("translate"), shard, ["id", "description", "status", "caption_cn"])
        rows = {}
        for row_id in pictures_named(shard, "hold_out.kept"):
            pairs = caption_pairs(english.get(row_id, []), chinese.get(row_id, []))
            if DETAIL in pairs:
                rows[row_id] = released_row(row_id, scores[row_id], pairs, row_id in true_originals)
        origin = origins_of(shard, params, rows)
        yield SCHEMA.empty_table(), []
        for pictures in row_groups(table_of("synthesize"), shard, ["id", "image"], rows):
            ids = pictures["id"].to_pylist()
            yield with_pictures([rows[row_id] for row_id in ids], pictures), [origin[row_id] for row_id in ids]

    def parameters(shard: str) -> Row:
        return {"license": licence_of(shard, params), "withheld": wave_of(shard) in params.withheld}

    return ByShard(shard_names(table_of("hold_out")), make, parameters)


def with_pictures(rows: Sequence[Row], pictures: pa.Table) -> pa.Table:
    """Return rows with their pictures, without turning the bytes into Python objects."""
    table = pa.Table.from_pylist(list(rows), schema=SCHEMA)
    return table.set_column(SCHEMA.get_field_index("image"), SCHEMA.field("image"), pictures["image"])


def count_pictures(params: WithSources) -> None:
    released = manifest(table_of("release"))["rows"]
    withheld = sum(count_true("hold_out.kept", shard) for shard in shard_names(table_of("hold_out"))) - released
    without = f"without a {DETAIL} caption in both languages"
    print(f"release: {amount(released, 'picture')}; {withheld:,} withheld, {without}")


def licence_of(shard: str, params: WithSources) -> str | None:
    wave = wave_of(shard)
    return next((one.license for one in params.sources if isinstance(one, Foreign) and one.wave == wave), None)


def origins_of(shard: str, params: WithSources, ids: Iterable[str]) -> dict[str, Row]:
    """Return where these pictures of a shard come from, without prompts that may not be passed on."""
    license_, withheld = licence_of(shard, params), wave_of(shard) in params.withheld
    prompts = {} if withheld else values_by_id("synthesize", shard, "prompt")
    rows = row_by_id(table_of("source_rows"), shard, ["id", "wave", "route", "source", "source_id"])
    own = {"license": license_}
    return {row_id: rows[prompt_id(row_id)] | own | {"id": row_id, "prompt": prompts.get(row_id)} for row_id in ids}


def scores_of(shard: str) -> dict[str, Row]:
    """Return all published scores of a shard's pictures by id."""
    scores: dict[str, Row] = {}
    for folder, names in (
        (table_of("examine"), QUALITY_SCORES),
        (table_of("score"), RELEVANCE_SCORES),
        (table_of("align"), (ORIGINAL_SCORE,)),
    ):
        for row in read_shard(folder, shard, ["id", *names]):
            scores.setdefault(row["id"], {}).update({name: row[name] for name in names})
    return scores


def caption_pairs(english: Sequence[Row], chinese: Sequence[Row]) -> dict[str, tuple[str, str]]:
    """Return the descriptions that exist in both languages, as (English, Chinese)."""
    translated = {row["description"]: row["caption_cn"] for row in chinese if row["status"] == "ok"}
    return {
        row["description"]: (row["caption"], translated[row["description"]])
        for row in english
        if row["description"] in translated
    }


def released_row(row_id: str, scores: Row, pairs: Mapping[str, tuple[str, str]], original_is_true: bool) -> Row:
    row: Row = {"id": row_id, "caption": pairs[DETAIL][0]}
    for name in CAPTION_COLUMNS:
        row[f"caption_{name}"], row[f"caption_{name}_cn"] = pairs.get(name, (None, None))
        row[f"bool_caption_{name}"] = name in pairs and (original_is_true or name != ORIGINAL)
    return row | scores


STEP = Makes(
    "release",
    by_shard=release,
    tables={"release": SCHEMA, "provenance": ORIGINS},
    run=count_pictures,
    reads="source_rows synthesize examine score annotate align originals translate hold_out",
    outs=("datasets/release", "datasets/provenance"),
    base=WithSources,
    passes="its chain-of-thought stands in both languages",
)

if __name__ == "__main__":
    start(STEP)
