"""The published folder comes in whole, and its pictures are pinned by their bytes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stages.evaluation.curating.freeze import import_items
from stages.evaluation.defining.editions import read_edition
from stages.evaluation.defining.pictures import missing_pictures, pictures_of
from stages.gir.layout import REFERENCE
from stages.gir.room import ROOM, made
from stages.gir.shared.items import GirItem
from stages.gir.shared.putting import JIGSAW, REGION, SUDOKU
from stages.project.errors import UserError
from tests.gir.published.folders import ANIMALS, ROOT, put_all, put_t2i


def imported(version: str = "v1", path: Path = ROOT) -> dict[str | int, GirItem]:
    """Import, and return the items of the frozen edition by id."""
    list(import_items(ROOM, path, version))
    return {item.id: item for item in read_edition("gir", version, GirItem)}


def test_every_task_comes_in(project: Path) -> None:
    put_all()
    items = imported()
    assert list(items) == [
        *(f"Zoology/{number}" for number in (1, 2, 3, 4, 5)),
        *("NumericalReasoning/1", "SpatialLayout/1", "TextRendering/7"),
        *("VisualPuzzle/7", "VisualLogic/1", "ReasoningPerception/3"),
    ]
    fox = items["Zoology/1"]
    assert (fox.prompt, fox.entity, fox.names) == ("The animal of riddle 1.", "red fox", ("red fox",))
    assert len({*fox.distractors}) == 3 and {*fox.distractors} < {*ANIMALS[1:]} and len(fox.images) == 2
    assert fox.images[0].origin == "Zoology/1_red_fox/001.png"
    assert (items["NumericalReasoning/1"].objects, items["NumericalReasoning/1"].numbers) == (("duck", "cat"), (5, 0))
    spatial = items["SpatialLayout/1"]
    assert spatial.objects == ("red car", "tree", "black dog")
    assert [one.relation for one in spatial.relations] == [(("red car",), "left", ("tree", "black dog"))]
    text = items["TextRendering/7"]
    assert (text.lettering, text.held_out) == ("WATER", ["A sign with the word for water.", "WATER"])
    jigsaw, sudoku, region = (items[id] for id in ("VisualPuzzle/7", "VisualLogic/1", "ReasoningPerception/3"))
    assert (jigsaw.rows, jigsaw.columns, jigsaw.prompt) == (2, 2, JIGSAW.format(rows=2, columns=2))
    assert (sudoku.puzzle, sudoku.answer) == ("1034340221400321", "1234341221434321")
    assert sudoku.frame == pytest.approx((0.04, 0.04, 0.96, 0.96), abs=0.005)
    assert sudoku.prompt == SUDOKU.format(size=4)
    assert region.prompt == f"Find the brightest corner. {REGION}"
    assert not any(item.unusable for item in items.values())
    assert missing_pictures(items.values(), pictures_of("gir", "v1")) == {}
    assert made(list(items.values())).startswith("Items were imported")


def test_what_was_added_is_told(project: Path) -> None:
    put_all()
    found = REFERENCE.read(ROOT.parent, None).findings
    told = [(one.id, one.field, one.defect, one.found, one.fix) for one in found or ()]
    assert told == [
        ("ReasoningPerception/3", "prompt", "assumed", "it does not say in which colour", REGION),
    ]


def test_some_tasks_alone_come_in_too(project: Path) -> None:
    put_t2i()
    assert {item.subset for item in imported().values()} == {"t2i"}
    shutil.rmtree(ROOT / "prompt")
    with pytest.raises(UserError, match=r"there are no prompts and no pictures of any task: wanted are Zoology, "):
        REFERENCE.read(ROOT, None)


def test_unknown_keys_are_kept(project: Path) -> None:
    put_t2i()
    path = ROOT / "prompt/TextRendering.json"
    path.write_text('[{"id": 1, "prompt": "A sign.", "text": "NO", "level": {"of": [1]}}]')
    found = REFERENCE.read(ROOT, None)
    assert found.findings is not None and ("level", "key") in {(one.field, one.defect) for one in found.findings}
    [item] = [one for one in found.items if one.task == "text"]
    assert item.model_extra == {"released": {"level": {"of": [1]}}}
