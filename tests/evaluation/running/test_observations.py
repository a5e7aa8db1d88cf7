"""What observers say of answers: a judge's value, or what else was found, as JSON."""

from __future__ import annotations

import json
from pathlib import Path

from stages.asking.outcomes import Outcome
from stages.asking.requests import Reply
from stages.asking.seeing import Found
from stages.asking.visiting import Answer
from stages.evaluation.running.observations import SCHEMA, observation
from stages.tables.reading import read_rows
from stages.tables.writing import TableWriter

RECORD = {"id": "en-0-00000000", "item": "a", "side": "en", "sample": 0, "record": "x"}


def test_a_judge_speaks_or_something_is_found(tmp_path: Path) -> None:
    things = [Found("cat", 0.5, (1.0, 2.0, 3.0, 4.0))]
    judged = Answer(Outcome("ok", 7), "model", (("mark", Reply(b"7")),))
    seen = Answer(Outcome("ok", things), "model", (("other", Reply(b"[]")),))
    rows = [
        observation(RECORD, "alignment", judged, 7.0, "all there"),
        observation(RECORD, "count", seen, None, None, found=json.dumps(things)) | {"part": 1},
    ]
    assert all(list(row) == SCHEMA.names for row in rows)
    with TableWriter(tmp_path / "t", SCHEMA) as table:
        table.write("en-0-00000", rows)
    first, second = read_rows(tmp_path / "t")
    assert (first["value"], first["note"], first["found"]) == (7.0, "all there", None)
    assert (second["value"], second["part"], second["found"]) == (None, 1, '[["cat", 0.5, [1.0, 2.0, 3.0, 4.0]]]')
