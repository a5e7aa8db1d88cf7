"""What is wrong in a published folder is one line that names it: nothing is dropped, and no failure becomes a case."""

from __future__ import annotations

import re
import shutil
import unicodedata
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.curating.freeze import import_items
from gamut.evaluation.defining.editions import Item, read_edition
from gamut.project.errors import UserError
from stages.gir.curation import CURATION
from stages.gir.layout import REFERENCE, plain_id
from stages.gir.shared.prompts import REGION
from tests.gir.published.folders import (
    ANSWER,
    PUZZLE,
    ROOT,
    marked,
    put_all,
    put_edits,
    put_entities,
    put_json,
    put_picture,
    scenery,
)


def odd() -> list[str]:
    read = REFERENCE.read(ROOT, None)
    found = [one.said for one in read.odd]
    if found and read.items:
        version = f"v{len(list(Path('datasets/editions/gir').glob('*.jsonl')))}"
        list(import_items(CURATION, ROOT, version))
        kept = read_edition("gir", version, Item)[len(read.items) :]
        assert [item.unusable for item in kept] == [one.why for one in read.odd]
    return found


def unusable() -> dict[str | int, str]:
    found = REFERENCE.read(ROOT, None)
    assert not found.odd
    items = {item.id: item.unusable for item in found.items if item.unusable}
    assert items.keys() == {one.id for one in found.findings or () if one.defect == "picture"}
    return items


def quantity(objects: Any, number: Any) -> dict[str, Any]:
    return {"prompt": "Some.", "task": {"objects": objects, "number": number}}


def spatial(objects: Any, *relations: Any, **others: Any) -> dict[str, Any]:
    made = [dict(zip(("subject", "direction", "object"), one, strict=True)) for one in relations]
    return {"prompt": "There.", "task": {"objects": objects, "relative_position": made} | others}


CAR = ("car", "left", "tree")


@pytest.mark.parametrize(
    ("name", "entry", "words"),
    [
        ("NumericalReasoning", quantity(["duck", "cat"], [1]), "task.number: '1 numbers for 2 objects'"),
        ("NumericalReasoning", quantity(["duck", "duck"], [1, 2]), "Value error, quantity: an object occurs twice"),
        *(
            ("NumericalReasoning", quantity(["duck"], [one]), f"task.number.0: {one!r}: a whole number is expected")
            for one in (-1, True)
        ),
        ("NumericalReasoning", {"prompt": "Some."}, "task: None"),
        ("SpatialLayout", spatial(["car", "tree"]), r"task.relative_position: \[\]"),
        ("SpatialLayout", spatial(["car"], CAR), "relative_position.0.object: .*'tree', of which there are 0"),
        ("SpatialLayout", spatial(["car", "tree", "tree"], CAR), ".0.object: .*'tree', of which there are 2"),
        ("SpatialLayout", spatial(["car", "tree"], ("car", "near", "tree")), "direction: 'near': expected one of"),
        ("SpatialLayout", spatial(["car", "tree"], (7, "left", "tree")), "subject: 7"),
        ("SpatialLayout", spatial(["car", "tree"], CAR, colors=["red"]), "task.colors: '1 colours for 2 objects'"),
        ("SpatialLayout", spatial(["car", "tree"], CAR, colors=["red", 3]), "task.colors: 3"),
        ("TextRendering", {"prompt": "A sign.", "text": "  "}, "text: '  '"),
    ],
)
def test_a_prompt_that_cannot_be_checked_is_named(project: Path, name: str, entry: dict[str, Any], words: str) -> None:
    put_json(f"prompt/{name}.json", [{"id": 3} | entry])
    [said] = odd()
    assert said.startswith(f"{name}/3: ") and re.search(words, said)


@pytest.mark.parametrize("ids", [(7, "007"), ("caf\u00e9", "cafe\u0301")])
def test_ids_that_stand_twice_are_named(project: Path, ids: tuple[int | str, int | str]) -> None:
    put_json("prompt/TextRendering.json", [{"id": id, "prompt": "x", "text": "y"} for id in ids])
    [said] = odd()
    assert said.endswith(f"it occurs twice in {ROOT}/prompt/TextRendering.json")
    assert [one.defect for one in REFERENCE.read(ROOT, None).findings or ()] == ["duplicate"]


@pytest.mark.parametrize("id", [None, "a/b"])
def test_what_is_no_id_is_named(project: Path, id: object) -> None:
    put_json("prompt/TextRendering.json", [{"id": id, "prompt": "x", "text": "y"}])
    assert len(odd()) == 1
    [said] = REFERENCE.read(ROOT, None).findings or ()
    assert (said.id, said.field, said.defect, said.found) == (None, "TextRendering.id", "type", id)


@pytest.mark.parametrize(
    "twins",
    [
        ("VisualPuzzle/solution/7.png", "VisualPuzzle/solution/007.png"),
        ("Zoology/3_brown_bear", "Zoology/03_bear"),
        ("VisualLogic/sudoku/001.json", "VisualLogic/sudoku/1.json"),
    ],
)
def test_files_that_differ_by_leading_zeros_alone_are_both_named(project: Path, twins: tuple[str, str]) -> None:
    put_all()
    for file in twins:
        path = ROOT / file
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch() if path.suffix else path.mkdir(exist_ok=True)
    found = REFERENCE.read(ROOT, None)
    [said] = [one for one in found.findings or () if one.defect == "duplicate"]
    assert all(Path(file).name in said.found for file in twins)
    id = f"{twins[0].partition('/')[0]}/{Path(twins[0]).stem.partition('_')[0].lstrip('0')}"
    left = {str(item.id): item.unusable for item in found.items}
    assert left.get(id, "odd") is not None and {one.id for one in found.odd} <= {id}
    assert len(left) + len(found.odd) == 11, "all others are what they were"


@pytest.mark.parametrize(
    ("file", "id", "words"),
    [
        ("VisualPuzzle/solution/007.png", "VisualPuzzle/7", "there is no VisualPuzzle/solution/7.png"),
        ("ReasoningPerception/mask/003.png", "ReasoningPerception/3", "there is no ReasoningPerception/mask/3"),
    ],
)
def test_a_picture_that_is_not_there_leaves_its_item_unusable(project: Path, file: str, id: str, words: str) -> None:
    put_all()
    (ROOT / file).unlink()
    (ROOT / "Zoology/1_red_fox/001.png").write_text("<!doctype html><title>404</title>")
    found = unusable()
    assert found.keys() == {id, "Zoology/1"} and words in found[id]
    assert found["Zoology/1"] == "'Zoology/1_red_fox/001.png' is not a picture in a known format"
    assert "of which 2 cannot be asked" in next(
        line for line in import_items(CURATION, ROOT, "v1") if "11 items" in line
    )


def test_entities_without_pictures_are_unusable(project: Path) -> None:
    put_entities()
    for path in (ROOT / "Zoology/1_red_fox").iterdir():
        path.unlink()
    assert unusable() == {"Zoology/1": "there is no reference picture"}
    (ROOT / "Zoology/1_red_fox").rmdir()
    assert odd() == ["Zoology/1: name: None: there is no folder Zoology/1_<name>"]


def test_what_has_no_prompt_is_no_item(project: Path) -> None:
    put_all()
    put_picture("ReasoningPerception/image/9.png", scenery(9))
    put_picture("Zoology/9_tall_giraffe/1.png", scenery(9))
    put_picture("VisualLogic/question/9.png", scenery(9))
    assert [said.partition(": None: ")[0] for said in odd()] == [
        "Zoology/9: prompt",
        "VisualLogic/9: puzzle",
        "ReasoningPerception/9: prompt",
    ]


@pytest.mark.parametrize("task", ["Zoology"])
def test_prompts_that_are_missing_are_asked_for(project: Path, task: str) -> None:
    put_all()
    (ROOT / f"prompt/{task}.json").unlink()
    why = rf'^{ROOT}: prompt/{task}\.json: there is no such file: a list of {{"id", "prompt"}} is expected; '
    with pytest.raises(UserError, match=why):
        list(import_items(CURATION, ROOT, "v1"))


def test_a_mask_that_says_nothing_is_no_case(project: Path) -> None:
    put_edits()
    put_picture("ReasoningPerception/mask/003.png", np.zeros((96, 96, 3), np.uint8))
    [said] = odd()
    assert said.startswith("ReasoningPerception/3: mask_1: 'ReasoningPerception/mask/003.png': nothing is marked in it")
    put_picture("ReasoningPerception/mask/003.png", marked(96, 95))
    [said] = odd()
    assert said == "ReasoningPerception/3: mask_1: '96x96 and 96x95': picture and mask are to have one size, in pixels"


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ({"puzzle": PUZZLE}, "solution: None: as many rows as columns of digits are expected, 0 for an empty cell"),
        *(
            ({"puzzle": grid, "solution": ANSWER}, "puzzle: .*: as many rows as columns of digits")
            for grid in (PUZZLE[:3], "1034340221400321", [[1, 10], [2, 3]], [[True, 2], [2, 1]])
        ),
        ({"puzzle": PUZZLE, "solution": PUZZLE}, "its answer is not a full grid of the same size"),
        ({"puzzle": ANSWER, "solution": ANSWER}, "its puzzle has no empty cell"),
        ({"puzzle": PUZZLE, "solution": ANSWER[::-1]}, "its answer alters a given digit"),
        ({"puzzle": PUZZLE, "solution": ANSWER, "grid_size": 9}, "grid_size: 9: the grid has 16 cells"),
    ],
)
def test_grids_that_cannot_be_checked_are_named(project: Path, content: dict[str, Any], words: str) -> None:
    put_edits()
    put_json("VisualLogic/sudoku/001.json", {"grid_size": 4} | content)
    [said] = odd()
    assert re.match(f"VisualLogic/1: .*{words}", said)


def test_a_jigsaw_of_other_tiles_is_named(project: Path) -> None:
    put_edits()
    put_picture("VisualPuzzle/question/007.png", scenery(8))
    assert odd() == ["VisualPuzzle/7: rows: None: its tiles are not those of the solution: say rows and columns"]
    put_json("prompt/VisualPuzzle.json", [{"id": 7, "prompt": "Fix it.", "rows": 3, "columns": 2}])
    [item] = [one for one in REFERENCE.read(ROOT, None).items if one.task == "jigsaw"]
    assert (item.rows, item.columns, item.prompt) == (3, 2, "Fix it.")
    put_json("prompt/VisualPuzzle.json", [{"id": 7, "rows": 3}])
    assert odd() == ["VisualPuzzle/7: rows: [3, 0]: whole numbers of rows and columns are expected"]


def test_a_grid_that_is_not_seen_is_the_whole_picture(project: Path) -> None:
    put_edits()
    put_picture("VisualLogic/question/001.png", scenery(5))
    found = REFERENCE.read(ROOT, None)
    [item] = [one for one in found.items if one.task == "sudoku"]
    assert item.frame == (0, 0, 1, 1)
    assert ("VisualLogic/1", "frame", "assumed") in {one[:3] for one in found.findings or ()}


def test_names_are_the_same_in_all_forms_of_unicode(project: Path) -> None:
    put_entities()
    for number, form in ((6, "NFC"), (7, "NFD")):
        name = unicodedata.normalize(form, "caf\u00e9 dog")
        put_picture(f"Zoology/{number}_{name}/1.png", scenery(number))
    put_json("prompt/Zoology.json", [{"id": n, "prompt": "It."} for n in range(1, 8)])
    items = {item.id: item for item in REFERENCE.read(ROOT, None).items}
    assert items["Zoology/6"].entity == items["Zoology/7"].entity == "caf\u00e9 dog"
    assert "caf\u00e9 dog" not in {*items["Zoology/6"].distractors, *items["Zoology/7"].distractors}


def test_objects_may_be_groups_with_colours_and_ends_names_or_places(project: Path) -> None:
    relations = [("apple", "up", 2), (["apple", "pear"], "down", "cat"), ("red apple", "left", ["cat"])]
    put_json(
        "prompt/SpatialLayout.json",
        [{"id": 1} | spatial([["  apple", "pear"], ["cat"]], *relations, colors=[["red", None], [""]])],
    )
    [item] = REFERENCE.read(ROOT, None).items
    assert item.objects == ("red apple", "pear", "cat")
    assert [tuple(one.relation) for one in item.relations] == [
        (("red apple",), "above", ("cat",)),
        (("red apple", "pear"), "below", ("cat",)),
        (("red apple",), "left", ("cat",)),
    ]


def test_what_does_not_say_so_is_asked_for_in_green(project: Path) -> None:
    put_edits()
    prompts = ("Find the cat", "Where is it?  ", "Paint the cat GREEN.")
    for number in range(3, 6):
        put_picture(f"ReasoningPerception/image/{number}.png", scenery(2))
        put_picture(f"ReasoningPerception/mask/{number}.png", marked())
    (ROOT / "ReasoningPerception/image/003.png").unlink()
    (ROOT / "ReasoningPerception/mask/003.png").unlink()
    put_json("prompt/ReasoningPerception.json", [{"id": n, "prompt": one} for n, one in enumerate(prompts, start=3)])
    found = [one.prompt for one in REFERENCE.read(ROOT, None).items if one.task == "perception"]
    assert found == [f"Find the cat. {REGION}", f"Where is it? {REGION}", prompts[2]]


@pytest.mark.parametrize(("id", "same"), [("007", "7"), ("000", "0"), ("a07", "a07"), ("٧", "٧")])
def test_ids_are_compared_without_leading_zeros(id: object, same: str) -> None:
    assert plain_id(id) == same == plain_id(plain_id(id))


JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-1, 9) | st.sampled_from(["car", "tree", "left", ""]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["subject", "object"]), inner),
    max_leaves=6,
)
KEYS = st.sampled_from(["objects", "colors", "relative_position", "number"])


@given(st.sampled_from(["NumericalReasoning", "SpatialLayout"]), st.dictionaries(KEYS, JSON, max_size=3))
def test_whatever_stands_there_is_an_item_or_said_to_be_none(project: Path, name: str, changed: dict[str, Any]) -> None:
    shutil.rmtree(ROOT, ignore_errors=True)
    task = spatial(["car", "tree"], CAR)["task"] | {"number": [1, 2]} | changed
    put_json(f"prompt/{name}.json", [{"id": 1, "prompt": "There.", "task": task}])
    put_json("VisualLogic/sudoku/1.json", {"grid_size": 2, "puzzle": changed, "solution": [*changed.values()]})
    found = REFERENCE.read(ROOT, None)
    assert len(found.items) + len(found.odd) == 2
