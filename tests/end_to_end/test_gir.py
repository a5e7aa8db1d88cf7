"""GIR-Bench in a clone, by the real `dvc`: construction, review, edition, observers, boards; again, the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.end_to_end.construction_story import Story, constructed_and_measured
from tests.end_to_end.test_leaderboard import running
from tests.guard.declared import require_declared
from tests.paths import ROOT

BOARD = "stages/gir/dvc.yaml:board"
CONTESTANTS = {"right": {}, "thoughtless": {"wrong_reasoning": 1.0}}
CELLS = {f"gir/dvc.yaml:{cell}" for cell in ("board", "agree", "released")} | {
    f"gir/dvc.yaml:{stage}@{name}{end}"
    for name in CONTESTANTS
    for stage, end in (
        ("answer", ""), ("detect", "-world"), ("read", "-rapidocr"), ("embed", "-world"), ("measure", ""),
        ("score", ""),
    )
}  # fmt: skip


def configure(params: Any) -> None:
    """The laptop's block, for an edition of a case a task: one contestant gives what is right, one of other cases."""
    shipped = YAML().load((ROOT / "params.yaml").read_text())
    params |= {name: shipped[name] for name in ("aegis", "gir", "gapeval", "genius")}  # dvc refuses all without
    params["contestants"] = {
        name: {"class": "unified", "model": {"kind": "sandbox", "faults": faults}}
        for name, faults in CONTESTANTS.items()
    }
    params["models"] |= {"rapidocr": shipped["models"]["rapidocr"], "second": {"kind": "sandbox"}}
    params["gir"] |= {"edition": "v1", "controls_of": []}
    params["gir"]["propose"] |= {"editions": ["v1"], "drafts": dict.fromkeys(shipped["gir"]["propose"]["drafts"], 1)}


def with_second_detector(params: Any) -> None:
    params["gir"]["observers"]["detector"] = ["world", "second"]


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """From construction to the board, and what a second detector would run. Not to be changed."""
    found = constructed_and_measured("gir", configure, tmp_path_factory)
    found.project.edit(with_second_detector)
    found.said["second detector"] = found.project.run("dvc", "repro", "--dry", BOARD).stdout
    return found


def test_it_is_constructed_and_measured(story: Story) -> None:
    assert running(story.said["measured"]) == CELLS
    assert "9 of 9 are proposed, left out: none" in story.said["proposed"]


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "gir")


def test_who_gives_what_is_right_has_all_points_and_who_gives_another_has_few(story: Story) -> None:
    found = json.loads((story.project.folder / "metrics/gir/v1/board.json").read_text())
    for view in ("category", "prompt", "t2i"):
        right, thoughtless = (found[f"{view}.observers.{name}.overall"] for name in CONTESTANTS)
        assert right >= 98 and thoughtless < 50, view
    assert abs(found["transfer.observers.right.gap"]) < 2


def test_a_second_detector_is_asked_itself_and_nobody_else(story: Story) -> None:
    own = {f"gir/dvc.yaml:detect@{name}-second" for name in CONTESTANTS}
    after = {f"gir/dvc.yaml:{cell}" for cell in ("board", "agree", "released", *(f"score@{n}" for n in CONTESTANTS))}
    assert own <= running(story.said["second detector"]) <= own | after
