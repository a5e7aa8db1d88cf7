"""GIR-Bench in a built clone, by the real `dvc`: construction, review, edition, observers, boards; twice, the same."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.end_to_end.project import Project, copy_of, review
from tests.end_to_end.test_leaderboard import CONTESTANTS, running
from tests.fakes import contents
from tests.paths import ROOT

PROPOSE = "stages/gir/construction/dvc.yaml:propose@v1"
OBSERVED = (("detect", "-world"), ("read", "-rapidocr"), ("embed", "-world"), ("measure", ""))
CELLS = {f"gir/dvc.yaml:{cell}" for cell in ("board", "agree", "observer_errors")}
CELLS |= {f"gir/dvc.yaml:{stage}_controls@careful{end}" for stage, end in OBSERVED}
CELLS |= {
    f"gir/dvc.yaml:{stage}@{one}{end}"
    for one in CONTESTANTS
    for stage, end in (("answer", ""), *OBSERVED, ("score", ""), ("released", ""))
}
MADE = ("datasets/editions/gir", "datasets/edition_images/gir", "datasets/gir", "metrics/gir")


def configure(params: Any) -> None:
    """Take the laptop's block, for an edition of a case or two a task."""
    shipped = YAML().load((ROOT / "params.yaml").read_text())
    params["gir"] = shipped["gir"]
    params["models"] |= {name: shipped["models"][name] for name in ("rapidocr",)}
    params["gir"] |= {"edition": "v1", "controls_of": ["careful"]}
    params["gir"]["propose"] |= {"editions": ["v1"]}


def with_second_detector(params: Any) -> None:
    params["models"]["second"] = {"kind": "sandbox"}
    params["gir"]["observers"]["detector"] = ["world", "second"]


@dataclass(frozen=True)
class Story:
    """The project at its end, what each step said, and what was made the first time and the second."""

    project: Project
    said: Mapping[str, str]
    made: list[dict[str, bytes]]


@pytest.fixture(scope="module")
def story(original: Project, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Construct an edition in a copy of a built clone, twice, and measure contestants on it. Not to be changed."""
    said, made = dict[str, str](), list[dict[str, bytes]]()
    for turn in ("first", "second"):
        project = copy_of(original, tmp_path_factory.mktemp(f"gir_{turn}") / "built")

        def step(name: str, *commands: str) -> None:
            said[name] = "".join(project.run(*command.split()).stdout for command in commands)

        project.edit(configure)
        step("proposed", "gamut check --quiet", f"dvc repro {PROPOSE}", "gamut review gir v1")
        review(project, "datasets/reviews/gir/v1.csv", {})
        step("frozen", "gamut freeze gir v1")
        step("measured", "dvc repro leaderboard")
        made.append({f"{name}/{path}": data for name in MADE for path, data in contents(project.folder / name).items()})
    project.edit(with_second_detector)
    step("second detector", "dvc repro leaderboard")
    return Story(project, said, made)


def test_it_is_constructed_and_measured(story: Story) -> None:
    assert running(story.said["measured"]) == CELLS | {"leaderboard"}


def test_twice_it_is_the_same(story: Story) -> None:
    one, other = story.made
    assert one.keys() == other.keys() and [name for name in one if one[name] != other[name]] == []


def test_who_makes_no_faults_is_right_and_descriptions_are_harder_than_names(story: Story) -> None:
    found = story.project.metrics("leaderboard")
    for side in ("t2i", "edit", "category", "prompt", "name", "choice"):
        start = f"gir.v1.{side}.observers."
        assert found[f"{start}careful.overall"] >= 98 > found[f"{start}hasty.overall"]
        assert found[f"{start}careful.coverage"] == 1
    assert found["gir.v1.transfer.observers.hasty.gap"] > 0


def test_a_second_detector_is_asked_itself_and_nobody_else(story: Story) -> None:
    ran = running(story.said["second detector"])
    own = {f"gir/dvc.yaml:detect@{one}-second" for one in CONTESTANTS} | {"gir/dvc.yaml:detect_controls@careful-second"}
    after = {f"gir/dvc.yaml:{cell}" for cell in ("board", "agree", "observer_errors")} | {"leaderboard", "world"}
    after |= {f"gir/dvc.yaml:{stage}@{one}" for stage in ("score", "released") for one in CONTESTANTS}
    assert own <= ran <= own | after
    found = story.project.metrics("leaderboard")
    assert found["gir.v1.t2i.second.careful.overall"] == found["gir.v1.t2i.observers.careful.overall"]
    agreement = json.loads((story.project.folder / "metrics/gir/v1/agreement.json").read_text())
    assert any("detector/second" in name for name in agreement)
