"""Small tables of what filters found, and labels of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa

from gamut.dataset.calibration.calibrate import METRICS
from gamut.dataset.shared.joins import table_of
from gamut.tables.columns import Row, make_id, place
from gamut.tables.writing import TableWriter
from stages.dataset import align, examine, find_text, follow, proofread, safety, score, synthesize
from tests import fakes

CAPTIONED = pa.schema([pa.field(name, pa.string()) for name in ("id", "source", "source_id", "caption")])
LABELS = Path("datasets/labels/mine.csv")


def write(folder: Path, schema: pa.Schema, rows: list[Row]) -> None:
    """A table with the shards 0 and 1 of wave w and 0 of wave t, empty where no row belongs there."""
    shards: dict[str, list[Row]] = {"w-00000": [], "w-00001": [], "t-00000": []}
    for row in rows:
        shards[place(row["id"])[0]].append(row)
    with TableWriter(folder, schema) as table:
        for shard, of_shard in shards.items():
            table.write(shard, of_shard)


def w(ordinal: int) -> str:
    return make_id("w", ordinal)


def t(ordinal: int) -> str:
    return make_id("t", ordinal)


PICTURES = [w(0), w(1), w(2), w(3), w(5000), w(5001)]
CLARITY = {w(0): 2, w(1): 4, w(2): 6, w(3): 7, w(5000): 9}  # the one left over could not be judged
LEGIBILITY = {t(0): 9, t(1): 3}


def judged(column: str, scores: dict[str, int]) -> list[Row]:
    others = {"score_image_structure": 8} if column == "score_image_clarity" else {}
    return [{"id": row_id, "status": "ok", column: value, **others} for row_id, value in scores.items()]


def labels(text: str) -> Any:
    """Parameters that name a labels file of these lines, each with the weight 1."""
    LABELS.parent.mkdir(parents=True, exist_ok=True)
    lines = (line if line.count(",") < 2 else f"{line},1" for line in text.splitlines())
    LABELS.write_text("\n".join(["id,filter,label,weight", *lines, ""]))
    return named(LABELS)


def named(path: Path) -> Any:
    return fakes.params(calibrate={"labels": str(path), "least_precision": 0.95, "least_recall": 0.5})


def measured(name: str) -> Any:
    return json.loads(METRICS.read_text())[name]


def write_tables() -> None:
    """Six pictures, five of them judged for clarity alone; two source images searched for text."""
    write(
        table_of("source_rows"),
        CAPTIONED,
        [{"id": i, "caption": None if i == w(3) else f"original {i}"} for i in PICTURES],
    )
    size = {"width": 64, "height": 48}
    painted = [{"id": i, "prompt": f"prompt {i}", "seed": n, **size, "status": "ok"} for n, i in enumerate(PICTURES)]
    write(
        table_of("synthesize"),
        synthesize.SCHEMA,
        [*painted, {"id": w(5002), "prompt": "strange", "status": "unsupported"}],
    )
    unjudged = {"id": w(5001), "status": "parse_error"}
    write(table_of("examine"), examine.STEP.schema, [*judged("score_image_clarity", CLARITY), unjudged])
    write(table_of("score"), score.STEP.schema, [])
    write(table_of("proofread"), proofread.STEP.schema, [])
    write(table_of("follow"), follow.STEP.schema, [])
    write(table_of("safety"), safety.STEP.schema, [])
    write(table_of("align"), align.STEP.schema, judged("score_original", {w(0): 9, w(1): 1, w(3): 5}))
    write(table_of("find_text"), find_text.STEP.schema, judged("score_legibility", LEGIBILITY))
