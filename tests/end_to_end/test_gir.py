"""GIR-Bench in a clone, by the real `dvc`: construction, review, edition, observers, boards; again, the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.end_to_end.construction_story import Story, constructed_and_measured
from tests.end_to_end.test_leaderboard import running
from tests.paths import ROOT

BOARD = "stages/gir/dvc.yaml:board"
CELLS = {f"gir/dvc.yaml:{cell}" for cell in ("board", "agree", "released")} | {
    f"gir/dvc.yaml:{stage}@thoughtless{end}"
    for stage, end in (
        ("answer", ""), ("detect", "-world"), ("read", "-rapidocr"), ("embed", "-world"), ("measure", ""),
        ("score", ""),
    )
}  # fmt: skip
THOUGHTLESS = {"class": "unified", "model": {"kind": "sandbox", "faults": {"wrong_reasoning": 1.0}}}


def configure(params: Any) -> None:
    """The laptop's block, for an edition of a case a task, and a contestant that gets every riddle wrong."""
    shipped = YAML().load((ROOT / "params.yaml").read_text())
    params["gir"], params["contestants"] = shipped["gir"], {"thoughtless": THOUGHTLESS}
    params["models"] |= {"rapidocr": shipped["models"]["rapidocr"], "second": {"kind": "sandbox"}}
    params |= {
        name: shipped[name] for name in ("aegis", "gapeval", "genius")
    }  # without their blocks dvc refuses everything
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


def test_again_it_is_the_same(story: Story) -> None:
    one, other = story.made
    assert {Path(name).suffix for name in one} >= {".jsonl", ".parquet", ".json", ".webp", ".csv"}
    assert one.keys() <= other.keys() and [name for name in one if one[name] != other[name]] == []


def test_names_are_easier_than_descriptions_for_who_reasons_badly(story: Story) -> None:
    found = json.loads((story.project.folder / "metrics/gir/v1/board.json").read_text())
    category, prompt = (found[f"{side}.observers.thoughtless.overall"] for side in ("category", "prompt"))
    assert category >= 98 and found["t2i.observers.thoughtless.overall"] == 0
    assert found["transfer.observers.thoughtless.gap"] == pytest.approx(category - prompt, abs=0.002) and prompt < 70


def test_a_second_detector_is_asked_itself_and_nobody_else(story: Story) -> None:
    own = {"gir/dvc.yaml:detect@thoughtless-second"}
    after = {f"gir/dvc.yaml:{cell}" for cell in ("board", "agree", "released", "score@thoughtless")}
    assert own <= running(story.said["second detector"]) <= own | after
