"""The dataset as it is published: the columns of FLUX-Reason-6M, fixed shards, and what became of every candidate.

An English caption and its Chinese twin are released together or not at all. A picture is released when it has its
generation chain-of-thought (`detail`), the one description that the published data never lack.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from stages.dataset import joins
from stages.dataset.joins import ANNOTATIONS, QUALITY, RELEASE, RELEVANCE, SELECTED, TRANSLATIONS, by_id, grouped
from stages.params import CHARACTERISTICS, DETAIL, Params
from stages.stage import main
from stages.tables import IMAGE, Row, TableWriter, manifest, read_rows, write_json

METRICS = Path("metrics/dataset.json")
CAPTION_COLUMNS = (*CHARACTERISTICS, "original", DETAIL)
"""`original`, the source's own caption, stays empty until its alignment with the picture is judged."""
RELEVANCE_SCORES = tuple(f"score_{name}" for name in CHARACTERISTICS)
QUALITY_SCORES = ("score_image_clarity", "score_image_structure")


def published(fields: Sequence[pa.Field]) -> pa.Schema:
    """A schema with the Hub's metadata, so that `datasets` and the dataset viewer show image columns as images."""
    features = {
        field.name: {"_type": "Image"} if field.type == IMAGE else {"dtype": str(field.type), "_type": "Value"}
        for field in fields
    }
    return pa.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": features}})})


SCHEMA = published(
    [
        pa.field("id", pa.string()),
        pa.field("image", IMAGE),
        *(pa.field(f"caption_{name}", pa.string()) for name in CAPTION_COLUMNS),
        *(pa.field(f"caption_{name}_cn", pa.string()) for name in CAPTION_COLUMNS),
        *(pa.field(f"bool_caption_{name}", pa.bool_()) for name in CAPTION_COLUMNS),
        *(pa.field(name, pa.int64()) for name in (*RELEVANCE_SCORES, "score_original", *QUALITY_SCORES)),
        pa.field("caption", pa.string()),
    ]
)


def release(params: Params) -> None:
    """Write the published table, the metrics, and a summary for a person."""
    descriptions: Counter[str] = Counter()
    withheld = 0
    loaded = ""
    with TableWriter(RELEASE, SCHEMA) as table:
        for shard, _, candidates in joins.pictures(SELECTED, "kept"):
            if shard != loaded:
                loaded = shard
                quality = by_id(QUALITY, shard, ["id", *QUALITY_SCORES])
                relevance = by_id(RELEVANCE, shard, ["id", *RELEVANCE_SCORES])
                english = grouped(ANNOTATIONS, shard, ["id", "description", "status", "caption"])
                chinese = grouped(TRANSLATIONS, shard, ["id", "description", "status", "caption_cn"])
            rows = []
            for row in candidates:
                row_id = row["id"]
                pairs = caption_pairs(english.get(row_id, []), chinese.get(row_id, []))
                if DETAIL in pairs:
                    rows.append(released_row(row, quality[row_id], relevance[row_id], pairs))
                    descriptions.update(pairs.keys())
                else:
                    withheld += 1
            table.write(shard, rows)
    report = metrics(descriptions, withheld)
    write_json(METRICS, report)
    show(report)


def caption_pairs(english: Sequence[Row], chinese: Sequence[Row]) -> dict[str, tuple[str, str]]:
    """The descriptions that exist in both languages, as (English, Chinese)."""
    translated = {row["description"]: row["caption_cn"] for row in chinese if row["status"] == "ok"}
    return {
        row["description"]: (row["caption"], translated[row["description"]])
        for row in english
        if row["status"] == "ok" and row["description"] in translated
    }


def released_row(picture: Row, quality: Row, relevance: Row, pairs: Mapping[str, tuple[str, str]]) -> Row:
    """One row with the published columns; `caption` repeats the generation chain-of-thought."""
    row: Row = {"id": picture["id"], "image": picture["image"], "caption": pairs[DETAIL][0]}
    for name in CAPTION_COLUMNS:
        row[f"caption_{name}"], row[f"caption_{name}_cn"] = pairs.get(name, (None, None))
        row[f"bool_caption_{name}"] = name in pairs
    return row | {name: relevance[name] for name in RELEVANCE_SCORES} | {name: quality[name] for name in QUALITY_SCORES}


def metrics(descriptions: Mapping[str, int], withheld: int) -> dict[str, dict[str, float]]:
    """Where every caption went, in flat numbers (`dvc metrics diff` shows nothing else)."""
    pictures = manifest(RELEASE)["rows"]
    return {
        "prompts": reasons(joins.PROMPTS),
        **{folder.name: manifest(folder)["statuses"] for folder in FILTER_TABLES},
        "selected": reasons(SELECTED),
        **{folder.name: manifest(folder)["statuses"] for folder in CAPTION_TABLES},
        "release": {
            "pictures": pictures,
            "withheld_without_detail": withheld,
            "captions_per_language": sum(descriptions.values()),
            "captions_per_picture": round(sum(descriptions.values()) / pictures, 3) if pictures else 0.0,
            **{f"caption_{name}": descriptions.get(name, 0) for name in (*CHARACTERISTICS, DETAIL)},
        },
    }


FILTER_TABLES = (joins.IMAGES, QUALITY, RELEVANCE, joins.TYPOGRAPHY)
CAPTION_TABLES = (ANNOTATIONS, TRANSLATIONS)


def reasons(folder: Path) -> dict[str, float]:
    """How many rows of a deciding table were kept, and how many left out for each reason."""
    found = Counter(
        "kept" if row["kept"] else joins.reason_key(row["reason"]) for row in read_rows(folder, ["kept", "reason"])
    )
    return dict(sorted(found.items()))


def show(report: Mapping[str, Mapping[str, float]]) -> None:
    """Print what became of every caption, for a person."""
    table = Table(title="From captions to the release", title_justify="left")
    table.add_column("table")
    table.add_column("rows", justify="right")
    table.add_column("what became of them")
    for name, counts in report.items():
        if name != "release":
            words = ", ".join(f"{count:,} {key}" for key, count in sorted(counts.items(), key=lambda item: -item[1]))
            table.add_row(f"datasets/{name}", f"{sum(counts.values()):,}", words or "nothing")
    final = report["release"]
    words = f"{final['captions_per_language']:,} captions in each language, {final['captions_per_picture']} a picture"
    table.add_row("datasets/release", f"{final['pictures']:,}", words)
    Console(soft_wrap=False).print(table)
    print(f"The same numbers stand in {METRICS}; every row that was left out has its reason in its table.")


if __name__ == "__main__":
    main("release", release)
