"""GIR-Bench in a clone, by the real `dvc`: construction, review, edition, observers, boards; again, the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.construction_story import Story, measure
from tests.end_to_end.test_leaderboard import running
from tests.guard.declared import require_declared

BOARD = "stages/gir/dvc.yaml:board"
CONSTRUCTION = {f"editions/dvc.yaml:{name}@v1" for name in ("gir_draft", "gir_propose")}
CONTESTANTS = {"right": {}, "thoughtless": {"wrong_reasoning": 1.0}}
CELLS = {"gir/dvc.yaml:board"} | {
    f"gir/dvc.yaml:{stage}@{name}{end}"
    for name in CONTESTANTS
    for stage, end in (("answer", ""), ("detect", "-world"), ("read", "-rapidocr"), ("embed", "-world"))
}


def configure(params: Any) -> None:
    """One contestant gives what is right, one what is right of other cases."""
    params["contestants"] = {
        name: {"class": "unified", "model": {"kind": "sandbox", "faults": faults}}
        for name, faults in CONTESTANTS.items()
    }
    params["models"]["second"] = {"kind": "sandbox"}
    params["gir"]["contestants"] = [*CONTESTANTS]


def with_second_detector(params: Any) -> None:
    params["gir"]["observers"]["detector"] = ["world", "second"]


@pytest.fixture(scope="module")
def story(constructed: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """From construction to the board. Not to be changed."""
    return measure(constructed, tmp_path_factory.mktemp("gir") / "project", "gir", configure)


def test_it_is_constructed_and_measured(story: Story) -> None:
    assert running(story.measured) == CELLS | {"world"}  # of contestants that are new
    assert running(story.constructed) >= CONSTRUCTION
    assert "8 of 8 are proposed, left out: none" in story.constructed


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "gir")


def test_who_gives_what_is_right_has_all_points_and_who_gives_another_has_few(story: Story) -> None:
    found = json.loads((story.project.folder / "metrics/gir/v1/board.json").read_text())
    for view in ("category", "prompt", "t2i"):
        right, thoughtless = (found[f"{view}.observers.{name}.overall"] for name in CONTESTANTS)
        assert right >= 98 and thoughtless < 50, view
    assert abs(found["transfer.observers.right.gap"]) < 2
    assert found["edit.observers.right.sudoku"] == 100, "RapidOCR reads the digits that are drawn"


def test_a_second_detector_is_asked_itself_and_nobody_else(story: Story) -> None:
    own = {f"gir/dvc.yaml:detect@{name}-second" for name in CONTESTANTS}
    story.project.edit(with_second_detector)
    assert own <= running(story.project.run("dvc", "repro", "--dry", BOARD).stdout) <= own | {"gir/dvc.yaml:board"}
