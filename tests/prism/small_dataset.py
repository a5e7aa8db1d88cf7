"""A dataset of a few selected pictures, written as tables, from which prompts can be proposed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pyarrow as pa

from gamut.dataset.shared.parameters import CHARACTERISTICS
from gamut.tables.columns import Row, make_id
from gamut.tables.reading import cut_into_slices
from gamut.tables.writing import TableWriter
from stages.dataset import annotate, examine, originals, score, select
from stages.prism.construction.captions import ANNOTATED, EXAMINED, ORIGINALS, SCORED, SELECTED

EDITION = "v1"
"""The edition under construction."""


@dataclass
class Picture:
    number: int
    captions: Mapping[str, str]
    scores: Mapping[str, int] = field(default_factory=dict)
    looks: tuple[int, int] = (9, 9)
    kept: bool = True
    original: str | None = None
    status: str = "ok"
    wave: str = "w"

    @property
    def id(self) -> str:
        return make_id(self.wave, self.number)


def write_table(folder: Path, schema: pa.Schema, rows: Iterable[Row], waves: Iterable[str]) -> None:
    rows = list(rows)
    with TableWriter(folder, schema) as table:
        for wave in waves:
            for shard, _, some in cut_into_slices(
                f"{wave}-00000", [row for row in rows if row["id"].startswith(f"{wave}-0")]
            ):
                table.write(shard, some)


def write_dataset(*pictures: Picture, waves: Iterable[str] = ("w", "x")) -> None:
    def rows(columns: Any) -> list[Row]:
        return [{"id": picture.id, **row} for picture in pictures for row in columns(picture)]

    write_table(SELECTED, select.SCHEMA, rows(lambda p: [{"kept": p.kept}]), waves)
    write_table(
        SCORED,
        score.STEP.schema,
        rows(lambda p: [{f"score_{name}": p.scores.get(name, 0) for name in CHARACTERISTICS} | {"status": "ok"}]),
        waves,
    )
    names = ("score_image_clarity", "score_image_structure")
    write_table(
        EXAMINED, examine.STEP.schema, rows(lambda p: [dict(zip(names, p.looks, strict=True), status="ok")]), waves
    )
    write_table(
        ANNOTATED,
        annotate.SCHEMA,
        rows(lambda p: [{"description": d, "caption": c, "status": p.status} for d, c in p.captions.items()]),
        waves,
    )
    write_table(
        ORIGINALS,
        originals.SCHEMA,
        rows(lambda p: [{"caption": p.original, "kept": True}] if p.original else []),
        waves,
    )
