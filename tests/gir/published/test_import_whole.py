"""The published folder comes in whole, and its pictures are pinned by their bytes."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from gamut.asking.models.weights import digest
from gamut.evaluation.bodies import answer
from gamut.evaluation.curating.freeze import import_items
from gamut.evaluation.defining.editions import read_edition
from gamut.evaluation.defining.pictures import missing_pictures, pictures_of
from gamut.project.errors import UserError
from gamut.project.validation import check_values
from gamut.tables.reading import read_rows
from stages.gir.curation import CURATION
from stages.gir.layout import REFERENCE
from stages.gir.shared.benchmark import GIR, Params
from stages.gir.shared.items import GirItem
from stages.gir.shared.prompts import JIGSAW, REGION, SUDOKU
from tests import fakes
from tests.gir.published.folders import ANIMALS, ROOT, encoded, put_all, put_t2i, scenery


def imported(version: str = "v1", path: Path = ROOT) -> dict[str | int, GirItem]:
    list(import_items(CURATION, path, version))
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
    assert CURATION.origins(list(items.values())).startswith("Items were imported")


def test_what_was_added_is_told(project: Path) -> None:
    put_all()
    found = REFERENCE.read(ROOT.parent, None).findings
    told = [(one.id, one.field, one.defect, one.found, one.fix) for one in found or ()]
    assert told == [("ReasoningPerception/3", "prompt", "assumed", "it does not say in which colour", REGION)]


def test_some_tasks_alone_come_in_too(project: Path) -> None:
    put_t2i()
    assert {item.subset for item in imported().values()} == {"t2i"}
    shutil.rmtree(ROOT / "prompt")
    with pytest.raises(UserError, match=r"has no prompts and no pictures of any task: Zoology, "):
        REFERENCE.read(ROOT, None)


def test_unknown_keys_are_kept(project: Path) -> None:
    put_t2i()
    path = ROOT / "prompt/TextRendering.json"
    path.write_text('[{"id": 1, "prompt": "A sign.", "text": "NO", "level": {"of": [1]}}]')
    found = REFERENCE.read(ROOT, None)
    assert found.findings is not None and ("level", "key") in {(one.field, one.defect) for one in found.findings}
    [item] = [one for one in found.items if one.task == "text"]
    assert item.model_extra == {"released": {"level": {"of": [1]}}}


PUBLISHED = {
    "t2i": ("SpatialLayout/1", "NumericalReasoning/001", "TextRendering/007", *(f"Zoology/{n}" for n in range(1, 6))),
    "editing": ("ReasoningPerception/003", "VisualLogic/001", "VisualPuzzle/7"),
}
"""Outputs by folder, with leading zeros and without."""
MADE = Path("outputs/mine")


def released() -> None:
    MADE.mkdir(parents=True)
    for kind, files in PUBLISHED.items():
        folder = Path("dataset/generation", kind, "Model")
        for number, file in enumerate(files):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / f"{file}.png").write_bytes(encoded(scenery(number, 64, 64)))
        for task in folder.iterdir():
            shutil.copytree(task, MADE / task.name)


def params_of(*settings: str) -> Params:
    roles = ("painter", "judge", "captioner", "translator", "seed_writer", "writer")
    model = {"kind": "folder", "path": str(MADE), "revision": digest(MADE)}
    mine = {"class": "unified", "model": model, "settings": {"gir": [*settings]}, "max_failures": 50}
    values = {
        "seed": 3,
        "models": {"world": {"kind": "sandbox"}, "eyes": {"kind": "rapidocr"}},
        "roles": dict.fromkeys(roles, "world"),
        "contestants": {"mine": mine},
        "gir": {
            "edition": "v1",
            "settings": ["t2i", "edit", "category", "prompt", "name", "choice"],
            "judges": [],
            "observers": {"detector": ["world"], "reader": ["eyes"], "image_embedder": ["world"]},
            "repeats": 1,
            "controls_of": [],
            "answer": {"width": 64, "height": 64, "samples": 1, "max_failures": 0},
            "judge": {"max_failures": 0, "max_unjudged": 0.05},
        },
    }
    return check_values(Params, fakes.measuring(values), Path("params.yaml"))


def answered(*settings: str) -> dict[tuple[str, str], str]:
    answer.answer(GIR, params_of(*settings), "mine")
    return {(row["setting"], row["item"]): row["status"] for row in read_rows(Path("datasets/gir/answers/mine"))}


@pytest.fixture
def edition(project: Path) -> None:
    put_all()
    list(import_items(CURATION, ROOT, "v1"))
    released()


def test_released_outputs_are_answers_as_they_are(edition: None, capsys: pytest.CaptureFixture[str]) -> None:
    rows = answered("prompt", "t2i", "edit")
    assert len(rows) == sum(map(len, PUBLISHED.values())) == 11 and {*rows.values()} == {"ok"}
    assert "nothing that is asked" not in capsys.readouterr().out
    assert {setting for setting, item in rows if item.startswith("Zoology")} == {"prompt"}
    assert {*answered("category", "edit").values()} == {"ok"}, "drawn by their names: said by the setting alone"


def test_entities_on_two_settings_lie_in_folders_of_these(edition: None, capsys: pytest.CaptureFixture[str]) -> None:
    (MADE / "Zoology").rename(MADE / "keep")
    for setting in ("prompt", "category"):
        (MADE / setting).mkdir()
        shutil.copytree(MADE / "keep", MADE / setting / "Zoology")
    shutil.rmtree(MADE / "keep")
    rows = answered("category", "prompt", "t2i", "edit")
    assert len(rows) == 16 and {*rows.values()} == {"ok"}
    assert "nothing that is asked" not in capsys.readouterr().out
    shutil.rmtree(MADE / "category/Zoology")
    rows = answered("category", "prompt", "t2i", "edit")
    assert {key for key, status in rows.items() if status != "ok"} == {
        ("category", f"Zoology/{n}") for n in range(1, 6)
    }
    assert rows["category", "Zoology/1"] == "missing_output", "not that of another setting"
