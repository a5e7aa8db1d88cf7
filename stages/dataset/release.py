"""The dataset as it is published: the columns of FLUX-Reason-6M in fixed shards, and where pictures come from.

An English caption and its Chinese twin are released together or not at all; a picture when it has its chain-of-thought
(`detail`). A flag says of each caption whether it is there, of the source's own whether it is true of the picture too.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence

import pyarrow as pa

from gamut.dataset.shared.joins import (
    english_captions,
    ids_where,
    pictures,
    row_by_id,
    rows_by_id,
    table_of,
    values_by_id,
)
from gamut.dataset.shared.parameters import CHARACTERISTICS, DETAIL, ORIGINAL
from gamut.dataset.shared.source_blocks import Foreign, WithSources
from gamut.pipeline.steps import Makes, start
from gamut.project.plain_text import amount
from gamut.tables.columns import IMAGE, Row
from gamut.tables.reading import cut_into_slices, manifest, read_shard, shard_names
from gamut.tables.writing import TableWriter

CAPTION_COLUMNS = (*CHARACTERISTICS, ORIGINAL, DETAIL)
RELEVANCE_SCORES = tuple(f"score_{name}" for name in CHARACTERISTICS)
ORIGINAL_SCORE = f"score_{ORIGINAL}"
QUALITY_SCORES = ("score_image_clarity", "score_image_structure")


def published_schema(fields: Sequence[pa.Field]) -> pa.Schema:
    """Return a schema with the Hub's metadata, so that `datasets` and the dataset viewer show images."""
    features = {
        field.name: {"_type": "Image"} if field.type == IMAGE else {"dtype": str(field.type), "_type": "Value"}
        for field in fields
    }
    return pa.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": features}})})


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


def release(params: WithSources) -> None:
    withheld = 0
    with TableWriter(table_of("release"), SCHEMA) as table, TableWriter(table_of("provenance"), ORIGINS) as origins:
        for shard in shard_names(table_of("hold_out")):
            scores, english = scores_of(shard), english_captions(shard)
            true_originals = ids_where("originals.kept", shard)
            chinese = rows_by_id(table_of("translate"), shard, ["id", "description", "status", "caption_cn"])
            origin = origins_of(shard, params)
            for _, _, candidates in cut_into_slices(shard, pictures(shard, "hold_out.kept")):
                rows = []
                for row in candidates:
                    pairs = caption_pairs(english.get(row["id"], []), chinese.get(row["id"], []))
                    if DETAIL in pairs:
                        rows.append(released_row(row, scores[row["id"]], pairs, row["id"] in true_originals))
                    else:
                        withheld += 1
                table.write(shard, rows)
                origins.write(shard, [origin[row["id"]] for row in rows])
    released = manifest(table_of("release"))["rows"]
    without = f"without a {DETAIL} caption in both languages"
    print(f"release: {amount(released, 'picture')}; {withheld:,} withheld, {without}")


def origins_of(shard: str, params: WithSources) -> dict[str, Row]:
    """Return where each picture of a shard comes from, without prompts that may not be passed on."""
    licences = {source.wave: source.license for source in params.sources if isinstance(source, Foreign)}
    prompts = values_by_id("synthesize", shard, "prompt")
    rows = row_by_id(table_of("source_rows"), shard, ["id", "wave", "route", "source", "source_id"])
    for row_id, row in rows.items():
        row["license"] = licences.get(row["wave"])
        row["prompt"] = None if row["wave"] in params.withheld else prompts.get(row_id)
    return rows


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


def released_row(picture: Row, scores: Row, pairs: Mapping[str, tuple[str, str]], original_is_true: bool) -> Row:
    row: Row = {"id": picture["id"], "image": picture["image"], "caption": pairs[DETAIL][0]}
    for name in CAPTION_COLUMNS:
        row[f"caption_{name}"], row[f"caption_{name}_cn"] = pairs.get(name, (None, None))
        row[f"bool_caption_{name}"] = name in pairs and (original_is_true or name != ORIGINAL)
    return row | scores


STEP = Makes(
    "release",
    run=release,
    reads="source_rows synthesize examine score annotate align originals translate hold_out",
    outs=("datasets/release", "datasets/provenance"),
    base=WithSources,
    passes="its chain-of-thought stands in both languages",
)

if __name__ == "__main__":
    start(STEP)
