"""The sources' own captions: compared with the synthesized picture, true of it from 8 on, released in English only."""

from __future__ import annotations

from pathlib import Path

import pytest

from gamut.asking.outcomes import Outcome
from gamut.asking.requests import fields_of, parts_of, pictures_of, seed_of
from gamut.asking.visiting import Answer
from gamut.dataset.reading.rows import SCHEMA as CAPTIONS_SCHEMA
from gamut.dataset.shared.joins import table_of
from gamut.tables.reading import read_rows
from gamut.tables.writing import TableWriter
from stages.dataset import align, originals, select, synthesize
from stages.dataset.originals import Originals
from tests import fakes
from tests.fakes import drive

IMAGE = {"bytes": b"\xff\xd8picture", "path": None}


def ids(*numbers: int) -> list[str]:
    return [f"w-{number:08d}" for number in numbers]


def write_tables() -> None:
    """Row 0 is selected with a caption, 1 without one, 2 not selected, 3 selected with a Chinese caption."""
    captions = ["a  red cube\n", None, "a ball", "红色的立方体"]
    with TableWriter(table_of("source_rows"), CAPTIONS_SCHEMA) as table:
        rows = [{"id": i, "caption": c, "status": "ok"} for i, c in zip(ids(0, 1, 2, 3), captions, strict=True)]
        table.write("w-00000", rows)
        table.write("x-00000", [])
    with TableWriter(table_of("synthesize"), synthesize.SCHEMA) as table:
        table.write("w-00000", [{"id": i, "image": IMAGE, "status": "ok"} for i in ids(0, 1, 2, 3)])
        table.write("x-00000", [])
    with TableWriter(table_of("select"), select.SCHEMA) as table:
        table.write("w-00000", [{"id": i, "kept": i != ids(2)[0], "reason": None} for i in ids(0, 1, 2, 3)])
        table.write("x-00000", [])


def test_what_is_compared(project: Path) -> None:
    write_tables()
    found = [(row["id"], row["caption"]) for row in align.captioned_pictures("w-00000")]
    assert found == [(ids(0)[0], "a  red cube\n"), (ids(3)[0], "红色的立方体")]
    assert not list(align.captioned_pictures("x-00000"))
    assert sum(len(align.captions_of_selected(shard)) for shard in ("w-00000", "x-00000")) == 2


@pytest.mark.parametrize(
    ("painted", "words"), [(True, "was written for another picture"), (False, "came with the picture")]
)
def test_a_visit(painted: bool, words: str) -> None:
    def answer(asked: object) -> list[Answer]:
        return [Answer(Outcome("ok", align.Alignment(reason="all holds", alignment=9)), "fake", ())]

    record = {"id": "w-00000000", "caption": "a red cube", "image": IMAGE, "painted": painted}
    [[asked]], [row] = drive(align.compare(fakes.params(seed=4))(record), answer)
    assert fields_of(asked.request) == {"caption": "a red cube"} and pictures_of(asked.request) == [IMAGE["bytes"]]
    assert any(f"It {words}" in part for part in parts_of(asked.request) if isinstance(part, str))
    assert (row["score_original"], row["rationale"], row["status"]) == (9, "all holds", "ok")
    assert asked.request.seed == seed_of(record["id"], 4)


@pytest.mark.parametrize(
    ("status", "score", "caption", "reason", "stays"),
    [
        ("ok", 9, "a caption that is not to be passed on", "not_redistributable", False),
        ("ok", 8, "a red cube", None, True),
        ("ok", 7, "a red cube", "alignment", True),  # as in the published data, whose gate is the flag
        ("ok", 10, "红色的立方体", "not_in_latin_letters", False),
        ("ok", 10, "!?", "not_readable", False),
        ("refused_judge", None, "a red cube", "align_refused_judge", True),
    ],
)
def test_decide(status: str, score: int | None, caption: str, reason: str | None, stays: bool) -> None:
    row = {"id": "x", "status": status, "score_original": score}
    decided = originals.decide(row, {"x": caption}, "not to be passed on" in caption, Originals(alignment=8))
    assert decided == {
        "id": "x",
        "caption": caption if stays else None,
        "score_original": score,
        "kept": reason is None,
        "reason": reason,
    }


def test_the_table(project: Path) -> None:
    write_tables()
    with TableWriter(table_of("align"), align.STEP.schema) as table:
        rows = [{"id": i, "score_original": s, "status": "ok"} for i, s in zip(ids(0, 3), (9, 9), strict=True)]
        table.write("w-00000", rows)
        table.write("x-00000", [])
    originals.STEP.carry_out(fakes.params())
    assert [(row["caption"], row["kept"], row["reason"]) for row in read_rows(table_of("originals"))] == [
        ("a red cube", True, None),
        (None, False, "not_in_latin_letters"),
    ]
