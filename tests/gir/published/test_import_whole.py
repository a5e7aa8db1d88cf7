"""The published folder comes in whole, goes out the same, and its pictures are pinned by their bytes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stages.evaluation.curating.freeze import export_items, import_items
from stages.evaluation.defining.editions import origin_path, read_edition, read_origin
from stages.evaluation.defining.pictures import missing_pictures, pictures_of
from stages.gir.instructions import JIGSAW, REGION, SUDOKU
from stages.gir.layout import REFERENCE
from stages.gir.room import ROOM, made
from stages.gir.shared.items import GirItem
from stages.project.errors import UserError
from tests.evaluation.small_pictures import ORIGIN
from tests.gir.published.folders import ANIMALS, ROOT, put_all, put_t2i

EXPORTED = Path("out/reference")


def imported(version: str = "v1", path: Path = ROOT) -> dict[str | int, GirItem]:
    """Import, and return the items of the frozen edition by id."""
    list(import_items(ROOM, path, version))
    return {item.id: item for item in read_edition("gir", version, GirItem)}


def without_origins(item: GirItem) -> dict[str, object]:
    """Return an item but for where its pictures were taken from."""
    return item.model_dump(exclude={"images": {"__all__": {"origin"}}})


def here(folder: Path) -> dict[str, bytes]:
    return {str(path.relative_to(folder)): path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()}


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
        ("ReasoningPerception/3", "description", "assumed", "it does not say in which colour", REGION),
    ]


def test_what_goes_out_comes_in_the_same(project: Path) -> None:
    put_all()
    ROOT.with_name("reference.origin.json").write_text(ORIGIN.model_dump_json())
    first = imported()
    assert read_origin(origin_path("gir", "v1")) == ORIGIN
    assert export_items(ROOM, "v1", Path("out")) == "out/reference: 11 items"
    second = imported("v2", EXPORTED)
    assert read_origin(origin_path("gir", "v2")) == ORIGIN
    assert [*map(without_origins, first.values())] == [*map(without_origins, second.values())]
    assert "VisualPuzzle/solution/007.png" in here(EXPORTED) and "VisualLogic/sudoku/001.json" in here(EXPORTED)
    export_items(ROOM, "v2", Path("again"))
    assert here(Path("again")) == here(Path("out"))
    with pytest.raises(UserError, match="out/reference exists: name another folder, or move it away"):
        export_items(ROOM, "v1", Path("out"))


def test_some_tasks_alone_come_in_too(project: Path) -> None:
    put_t2i()
    assert {item.subset for item in imported().values()} == {"t2i"}
    shutil.rmtree(ROOT / "prompt")
    with pytest.raises(UserError, match=r"there are no prompts and no pictures of any task: wanted are Zoology, "):
        REFERENCE.read(ROOT, None)


@pytest.mark.parametrize(("path", "images"), [("nowhere", None), ("dataset", "pictures")])
def test_what_is_no_folder_is_refused(project: Path, path: str, images: str | None) -> None:
    put_t2i()
    words = "nowhere: is no folder: name dataset/reference" if images is None else "--images pictures: pictures lie in"
    with pytest.raises(UserError, match=words):
        REFERENCE.read(Path(path), None if images is None else Path(images))


def test_prompts_may_lie_beside_or_in_the_folder_of_their_task(project: Path) -> None:
    put_all()
    ids = imported().keys()
    (ROOT / "prompt/NumericalReasoning.json").rename(ROOT / "numericalreasoning.json")
    (ROOT / "prompt/Zoology.json").rename(ROOT / "Zoology/riddles.JSON")
    assert imported("v2").keys() == ids
    (ROOT / "NumericalReasoning.json").write_text("[]")
    with pytest.raises(
        UserError, match=r"NumericalReasoning\.json and .*numericalreasoning\.json both have prompts of Num"
    ):
        imported("v3")


def test_items_that_would_share_a_file_do_not_go_out(project: Path) -> None:
    put_t2i()
    [item] = [item for item in imported().values() if item.task == "text"]
    for ids, words in (
        (("7", "TextRendering/07"), "items '7' and 'TextRendering/07' would both be TextRendering/7"),
        (("a/7",), "id 'a/7' can be no file's name: '/' and '_' have a meaning there"),
        (("../7",), "can be no file's name"),
    ):
        items = [item.model_copy(update={"id": id}) for id in ids]
        with pytest.raises(ValueError, match=words):
            REFERENCE.write(items, {}, None, Path("out"))


def test_unknown_keys_are_kept(project: Path) -> None:
    put_t2i()
    path = ROOT / "prompt/TextRendering.json"
    path.write_text('[{"id": 1, "prompt": "A sign.", "text": "NO", "level": {"of": [1]}}]')
    found = REFERENCE.read(ROOT, None)
    assert found.findings is not None and ("level", "key") in {(one.field, one.defect) for one in found.findings}
    first = imported()
    export_items(ROOM, "v1", Path("out"))
    assert '"level": {' in (EXPORTED / "prompt/TextRendering.json").read_text()
    assert imported("v2", EXPORTED) == first
