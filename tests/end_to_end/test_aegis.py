"""AEGIS in a clone, by the real `dvc`: construction, review, edition, boards."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.construction_story import Story, measure
from tests.end_to_end.project import with_contestants
from tests.end_to_end.test_leaderboard import CONTESTANTS, running
from tests.guard.declared import require_declared

CONSTRUCTION = {f"editions/dvc.yaml:aegis_{stage}@v1" for stage in ("draft", "checklists", "propose")}
REWRITERS = ("models.world", "contestants.hasty")
MEASURING = {"aegis/dvc.yaml:board"}
MEASURING |= {f"aegis/dvc.yaml:rewrite@{one}" for one in REWRITERS}
MEASURING |= {
    f"aegis/dvc.yaml:{cell}@{one}{end}" for one in CONTESTANTS for cell, end in (("answer", ""), ("judge", "-world"))
}
ITEMS = 4


def configure(params: Any) -> None:
    """Two contestants, one judge, and rewriters: a model of all prompts, a contestant of its own."""
    with_contestants(params)
    params["aegis"] |= {"rewriters": [*REWRITERS], "controls_of": ["careful"]}


@pytest.fixture(scope="module")
def story(constructed: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """From construction to the board. Not to be changed."""
    return measure(constructed, tmp_path_factory.mktemp("aegis") / "project", "aegis", configure)


def test_it_is_constructed(story: Story) -> None:
    assert running(story.constructed) >= CONSTRUCTION
    assert f"aegis.propose@v1: {ITEMS} of {ITEMS} are proposed, left out: none" in story.constructed
    figures = json.loads((story.project.folder / "metrics/editions/aegis/v1/construction.json").read_text())
    assert figures["items"] == ITEMS and figures["keywords.covered"] == 100
    found = json.loads((story.project.folder / "metrics/editions/aegis/v1/checklists.json").read_text())
    assert found["items"] == ITEMS and found["questions.written"] > found["questions.removed.asked_before"]


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "aegis")


def test_contestants_are_measured_in_all_forms_of_the_prompts(story: Story) -> None:
    """Each is put to the raw prompts, the clear ones, and those of the world; one also to what it rewrote itself."""
    assert running(story.measured) == MEASURING | {"world"}
    asked = story.project.asked()
    assert asked["aegis.answer@careful"] == asked["aegis.judge@careful-world"] == 3 * ITEMS
    assert asked["aegis.answer@hasty"] == asked["aegis.judge@hasty-world"] == 4 * ITEMS
    assert asked["aegis.rewrite@models.world"] == asked["aegis.rewrite@contestants.hasty"] == ITEMS
    found = json.loads((story.project.folder / "metrics/aegis/v1/board.json").read_text())
    for side in ("raw", "clear", "by_world"):
        start = f"{side}.world."
        assert found[f"{start}careful.overall"] == 100 > found[f"{start}hasty.overall"]
        assert found[f"{start}control_reference.overall"] == 100 and found[f"{start}control_blank.overall"] == 0
        assert found[f"{start}careful.coverage"] == 1
        # four items, all of them told apart, may be so by chance with p = 2 / 2 ** 4: too few to try a judge by
        assert found[f"{start}trial.blank.drop"] == 100 and f"{start}trial.passed" not in found
    assert "by_itself.world.hasty.overall" in found
    assert not any(key.startswith("by_itself.world.careful") for key in found)
    gained = found["clear.world.hasty.overall"] - found["raw.world.hasty.overall"]
    assert found["clear_over_raw.world.hasty.gain"] == pytest.approx(gained, abs=0.002)
