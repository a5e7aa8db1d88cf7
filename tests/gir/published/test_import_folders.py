"""Outputs made for the released scripts are answered with as they are, by whoever is put to their sides."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from stages.asking.models.weights import digest
from stages.evaluation.bodies import answer
from stages.evaluation.curating.freeze import import_items
from stages.gir.room import ROOM
from stages.gir.shared.benchmark import GIR
from stages.gir.shared.parameters import Params
from stages.project.parameters import check
from stages.tables.reading import read_rows
from tests.gir.construction.small_maker import PROPOSE
from tests.gir.published.folders import ROOT, encoded, put_all, scenery

PUBLISHED = {
    "t2i": ("SpatialLayout/1", "NumericalReasoning/001", "TextRendering/007", *(f"Zoology/{n}" for n in range(1, 6))),
    "editing": ("ReasoningPerception/003", "VisualLogic/001", "VisualPuzzle/7"),
}
"""Outputs by folder, with leading zeros and without."""
MADE = Path("outputs/mine")


def released() -> None:
    """The two folders of a model's outputs, copied into one as the docstring of the layout says."""
    MADE.mkdir(parents=True)
    for kind, files in PUBLISHED.items():
        folder = Path("dataset/generation", kind, "Model")
        for number, file in enumerate(files):
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            (folder / f"{file}.png").write_bytes(encoded(scenery(number, 64, 64)))
        for task in folder.iterdir():
            shutil.copytree(task, MADE / task.name)


def params_of(*sides: str) -> Params:
    """Parameters with one contestant: a folder, put to these sides."""
    roles = ("painter", "judge", "captioner", "translator", "seed_writer", "writer")
    model = {"kind": "folder", "path": str(MADE), "revision": digest(MADE)}
    mine = {"class": "unified", "model": model, "benchmarks": {"gir": [*sides]}, "max_failures": 50}
    values = {
        "seed": 3,
        "models": {"world": {"kind": "sandbox"}, "eyes": {"kind": "rapidocr"}},
        "roles": dict.fromkeys(roles, "world"),
        "contestants": {"mine": mine},
        "gir": {
            "propose": PROPOSE | {"guesser": "world"},
            "edition": "v1",
            "sides": ["t2i", "edit", "category", "prompt", "name", "choice"],
            "judges": [],
            "observers": {"detector": ["world"], "reader": ["eyes"], "image_embedder": ["world"]},
            "repeats": 1,
            "controls_of": [],
            "answer": {"width": 64, "height": 64, "samples": 1, "max_failures": 0},
            "judge": {"max_failures": 0, "max_unjudged": 0.05},
        },
    }
    return check(Params, values, Path("params.yaml"))


def answered(*sides: str) -> dict[tuple[str, str], str]:
    """The status of each answer by side and item."""
    answer.answer(GIR, params_of(*sides), "mine")
    return {(row["side"], row["item"]): row["status"] for row in read_rows(Path("datasets/gir/answers/mine"))}


@pytest.fixture
def edition(project: Path) -> None:
    """The edition, and a model's outputs for it."""
    put_all()
    list(import_items(ROOM, ROOT, "v1"))
    released()


def test_released_outputs_are_answers_as_they_are(edition: None, capsys: pytest.CaptureFixture[str]) -> None:
    rows = answered("prompt", "t2i", "edit")
    assert len(rows) == sum(map(len, PUBLISHED.values())) == 11 and {*rows.values()} == {"ok"}
    assert "belong to no record" not in capsys.readouterr().out
    assert {side for side, item in rows if item.startswith("Zoology")} == {"prompt"}
    assert {*answered("category", "edit").values()} == {"ok"}, "drawn by their names: said by the side alone"


def test_entities_on_two_sides_lie_in_folders_of_these(edition: None, capsys: pytest.CaptureFixture[str]) -> None:
    (MADE / "Zoology").rename(MADE / "keep")
    for side in ("prompt", "category"):
        (MADE / side).mkdir()
        shutil.copytree(MADE / "keep", MADE / side / "Zoology")
    shutil.rmtree(MADE / "keep")
    rows = answered("category", "prompt", "t2i", "edit")
    assert len(rows) == 16 and {*rows.values()} == {"ok"}
    assert "belong to no record" not in capsys.readouterr().out
    shutil.rmtree(MADE / "category/Zoology")
    rows = answered("category", "prompt", "t2i", "edit")
    assert {key for key, status in rows.items() if status != "ok"} == {
        ("category", f"Zoology/{n}") for n in range(1, 6)
    }
    assert rows["category", "Zoology/1"] == "missing_output", "not that of another side"
