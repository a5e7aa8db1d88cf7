"""GIR-Bench in a clone, by the real `dvc`: construction, review, edition, observers, boards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.end_to_end.construction_story import CONTESTANTS, Story
from tests.end_to_end.project import copy_of
from tests.end_to_end.test_leaderboard import running

BOARD = "stages/gir/dvc.yaml:board"
CONSTRUCTION = {f"editions/dvc.yaml:{name}@v1" for name in ("gir_draft", "gir_propose")}
CELLS = {"gir/dvc.yaml:board"} | {
    f"gir/dvc.yaml:{stage}@{name}{end}"
    for name in CONTESTANTS["gir"]
    for stage, end in (("answer", ""), ("detect", "-world"), ("read", "-rapidocr"), ("embed", "-world"))
}


def with_second_detector(params: Any) -> None:
    params["gir"]["observers"]["detector"] = ["world", "second"]


def test_it_is_constructed_and_measured(constructed: Story) -> None:
    assert constructed.ran("gir") == CELLS
    assert running(constructed.constructed) >= CONSTRUCTION
    assert "8 of 8 are proposed, left out: none" in constructed.constructed


def test_who_gives_what_is_right_has_all_points_and_who_gives_another_has_few(constructed: Story) -> None:
    found = constructed.metrics("gir/v1/board")
    for metric in ("category", "prompt", "t2i"):
        right, thoughtless = (found[f"{metric}.observers.{name}.overall"] for name in CONTESTANTS["gir"])
        assert right >= 98 and thoughtless < 50, metric
    assert abs(found["transfer.observers.right.gap"]) < 2
    assert found["edit.observers.right.sudoku"] == 100, "RapidOCR reads the digits that are drawn"


def test_a_second_detector_is_asked_itself_and_nobody_else(constructed: Story, tmp_path: Path) -> None:
    own = {f"gir/dvc.yaml:detect@{name}-second" for name in CONTESTANTS["gir"]}
    project = copy_of(constructed.project, tmp_path / "project")
    project.edit(with_second_detector)
    assert own <= running(project.run("dvc", "repro", "--dry", BOARD).stdout) <= own | {"gir/dvc.yaml:board"}
