"""Outputs made for the released scripts are the answers of a contestant of kind folder, as they are."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.asking.models.folder import unmatched
from stages.asking.models.weights import digest
from stages.evaluation.bodies import answer
from stages.evaluation.curating.freeze import import_items
from stages.genius.room import ROOM
from stages.tables.columns import Row
from stages.tables.reading import read_rows
from tests.genius.published.genius_folders import ROOT, drawn, params, put_all

MADE = Path("outputs/mine")
IDS = ("implicit_pattern/002", "implicit_pattern/010", "symbolic_constraint/7")


@pytest.fixture
def edition(project: Path) -> None:
    """The edition, of seven items."""
    put_all()
    list(import_items(ROOM, ROOT, "v1"))


def put_outputs(*names: str) -> None:
    """Draw a picture for each of these."""
    for number, name in enumerate(names):
        (MADE / name).parent.mkdir(parents=True, exist_ok=True)
        (MADE / name).write_bytes(drawn(500 + number))


def answered(max_failures: int = 0) -> dict[str, Row]:
    """What the contestant answered, by item."""
    model = {"kind": "folder", "path": str(MADE), "revision": digest(MADE)}
    answer.answer(ROOM.benchmark, params(model, max_failures), "mine")
    return {row["item"]: row for row in read_rows(Path("datasets/genius/answers/mine"))}


def test_pictures_are_found_by_task_and_id_and_what_is_of_no_item_is_named(edition: None) -> None:
    others = ("visual_constraint/1.webp", "visual_constraint/2.jpg", "prior_conflicting/1.png", "multi_semantic/9.jpeg")
    put_outputs("implicit_pattern/002.png", "implicit_pattern/010.png", "symbolic_constraint/007.png", *others)
    rows = answered(max_failures=1)
    assert [rows[id]["parts"][0]["image"]["bytes"] for id in IDS] == [drawn(500), drawn(501), drawn(502)]
    assert {id: row["status"] for id, row in rows.items() if row["status"] != "ok"} == {
        "multi_semantic/1": "missing_output"
    }
    assert len(rows) == 7 and unmatched(str(MADE), rows) == ["multi_semantic/9.jpeg"]
