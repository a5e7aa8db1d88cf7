"""What observers (judges, readers, detectors) say of answers: a row an answer, question, part and repeat."""

from __future__ import annotations

import pyarrow as pa

from stages.asking.visiting import Answer
from stages.tables.columns import ASKED, Row

SCHEMA = pa.schema(
    [
        pa.field("id", pa.string()),
        pa.field("item", pa.string()),
        pa.field("side", pa.string()),
        pa.field("sample", pa.int32()),
        pa.field("part", pa.int32()),
        pa.field("question", pa.string()),
        pa.field("repeat", pa.int32()),
        pa.field("value", pa.float64()),
        pa.field("note", pa.string()),
        pa.field("found", pa.string()),
        pa.field("spec", pa.string()),
        *ASKED,
    ]
)
"""`spec`: what was asked (`running.spec`), which whoever asks adds."""


def observation(
    record: Row,
    question: str,
    answer: Answer,
    value: float | None,
    note: str | None,
    repeat: int = 0,
    found: str | None = None,
) -> Row:
    named = {name: record[name] for name in ("id", "item", "side", "sample")}
    asked = {"part": 0, "question": question, "repeat": repeat}
    return named | asked | {"value": value, "note": note, "found": found, "spec": None} | answer.columns()
