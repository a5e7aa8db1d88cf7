"""AEGIS in a built clone, by the real `dvc`: construction, review, edition, boards."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.end_to_end.project import Project, copy_of, review
from tests.end_to_end.test_leaderboard import CONTESTANTS, running
from tests.guard.declared import require_declared, unseen_commands, with_tracing
from tests.paths import ROOT

PROPOSE = "stages/aegis/construction/dvc.yaml:propose@v1"
CONSTRUCTION = ("draft", "choose", "picture", "enhance", "refer", "extract", "check", "refine", "propose")
REWRITERS = ("models.world", "contestants.hasty")
MEASURING = {f"aegis/dvc.yaml:{cell}" for cell in ("board", "agree", "judge_controls@careful-world")}
MEASURING |= {f"aegis/dvc.yaml:rewrite@{one}" for one in REWRITERS}
MEASURING |= {
    f"aegis/dvc.yaml:{cell}@{one}{end}"
    for one in CONTESTANTS
    for cell, end in (("answer", ""), ("judge", "-world"), ("score", ""), ("released", ""))
}
ITEMS = 4


def configure(params: Any) -> None:
    """Take the laptop's block, for an edition of one topic, with rewriters."""
    params["aegis"] = YAML().load((ROOT / "params.yaml").read_text())["aegis"]
    params["aegis"] |= {"edition": "v1", "rewriters": [*REWRITERS], "judges": ["world"], "controls_of": ["careful"]}
    params["aegis"]["propose"] |= {"editions": ["v1"], "topics": ["food"]}


@dataclass(frozen=True)
class Story:
    """The project at its end, what each step said, how many requests each stage sent, and what they read."""

    project: Project
    said: Mapping[str, str]
    asked: Mapping[str, int]
    reads: Path


@pytest.fixture(scope="module")
def story(original: Project, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Construct an edition in a copy of a built clone, and measure contestants on it. Not to be changed."""
    folder, said = tmp_path_factory.mktemp("aegis"), dict[str, str]()
    project = with_tracing(copy_of(original, folder / "built"), folder / "reads")

    def step(name: str, *commands: str) -> None:
        said[name] = "".join(project.run(*command.split()).stdout for command in commands)

    before = project.asked()
    project.edit(configure)
    step("proposed", "gamut check --quiet", f"dvc repro {PROPOSE}", "gamut review aegis v1 --csv")
    review(project, "datasets/reviews/aegis/v1.csv", {})
    step("frozen", "gamut freeze aegis v1")
    step("measured", "dvc repro leaderboard")
    step("the rest", *unseen_commands(project.folder, folder / "reads", "aegis"))
    wording = "stages/aegis/construction/check.py"
    project.replace(wording, '"""The checklist:', '"""A checklist:')
    step("reworded", f"dvc repro --dry {PROPOSE}")
    return Story(project, said, project.asked_since(before), folder / "reads")


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "aegis")


def test_it_is_constructed_stage_by_stage(story: Story) -> None:
    said = story.said["proposed"]
    assert {f"aegis/construction/dvc.yaml:{stage}@v1" for stage in CONSTRUCTION} <= running(said)
    assert f"{ITEMS} of {ITEMS} are proposed, left out: none" in said
    figures = json.loads((story.project.folder / "metrics/aegis/v1/construction.json").read_text())
    assert figures["items"] == ITEMS and figures["keywords.covered"] == 100
    assert f"{ITEMS} items" in story.said["frozen"]


def test_what_is_reworded_runs_again_and_nothing_before_it(story: Story) -> None:
    assert running(story.said["reworded"]) == {"aegis/construction/dvc.yaml:check@v1"}


def test_contestants_are_measured_in_all_forms_of_the_prompts(story: Story) -> None:
    """Each is put to the raw prompts, the clear ones, and those of the world; one also to what it rewrote itself."""
    assert running(story.said["measured"]) == MEASURING | {"leaderboard"}
    asked = {stage: count for stage, count in story.asked.items() if stage.startswith("aegis.")}
    assert asked["aegis.answer@careful"] == asked["aegis.judge@careful-world"] == 3 * ITEMS
    assert asked["aegis.answer@hasty"] == asked["aegis.judge@hasty-world"] == 4 * ITEMS
    assert asked["aegis.rewrite@models.world"] == asked["aegis.rewrite@contestants.hasty"] == ITEMS
    found = story.project.metrics("leaderboard")
    for side in ("raw", "clear", "by_world"):
        start = f"aegis.v1.{side}.world."
        assert found[f"{start}careful.overall"] == 100 > found[f"{start}hasty.overall"]
        assert found[f"{start}control_reference.overall"] == 100 and found[f"{start}control_blank.overall"] == 0
        assert found[f"{start}careful.coverage"] == 1
        # four items, all of them told apart, may be so by chance with p = 2 / 2 ** 4: too few to try a judge by
        assert found[f"{start}trial.blank.drop"] == 100 and f"{start}trial.passed" not in found
    assert "aegis.v1.by_itself.world.hasty.overall" in found
    assert not any(key.startswith("aegis.v1.by_itself.world.careful") for key in found)
    gained = found["aegis.v1.clear.world.hasty.overall"] - found["aegis.v1.raw.world.hasty.overall"]
    assert found["aegis.v1.clear_over_raw.world.hasty.gain"] == pytest.approx(gained, abs=0.002)
