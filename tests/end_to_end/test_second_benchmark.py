"""The toy of docs/benchmarks.md in a built clone: a benchmark without a line of YAML beside another one."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from ruamel.yaml import YAML

from tests.end_to_end.project import Project, copy_of, opened
from tests.end_to_end.test_leaderboard import CONTESTANTS, running
from tests.guard.declared import require_declared, unseen_commands, with_tracing
from tests.paths import ROOT

TOY = ROOT / "docs/toy"
EDITION = "datasets/editions/toy/v1.jsonl"
ITEMS = 8
"""Four that are answered in words, four pictures; about each a judge is asked once."""
CONTROLS = 8 + 8 + 4 + 8 + 4
"""Blank, of other items, the task's own words for words, praise, and right words."""
MEASURING = {"toy/dvc.yaml:board"} | {
    f"toy/dvc.yaml:{cell}@{one}{end}" for one in CONTESTANTS for cell, end in (("answer", ""), ("judge", "-world"))
}
WRITE = """
from pathlib import Path
from gamut.evaluation.defining.benchmark import benchmark_of
from gamut.evaluation.defining.cells import text_of
Path("stages/toy/dvc.yaml").write_text(text_of(benchmark_of("toy")))
"""


def put_toy(project: Project, *later: str) -> None:
    """Do what the page says: files, but those that come `later`; block, pipeline."""
    for name in ("stages", "datasets"):
        ignored = shutil.ignore_patterns("__pycache__", *later)
        shutil.copytree(TOY / name, project.folder / name, dirs_exist_ok=True, ignore=ignored)
    project.edit(lambda params: params.update(YAML().load((TOY / "params.yaml").read_text())))
    project.run("python", "-c", WRITE)


@dataclass(frozen=True)
class Step:
    """What a step said, and how it left the leaderboard."""

    said: str
    values: dict[str, Any]

    def board(self, benchmark: str) -> dict[str, Any]:
        return {key: value for key, value in self.values.items() if key.startswith(f"{benchmark}.")}


@dataclass(frozen=True)
class Story:
    """The project at its end, all its steps, how many requests each stage sent for the toy, and what they read."""

    project: Project
    steps: dict[str, Step]
    asked: dict[str, int]
    reads: Path


@pytest.fixture(scope="module")
def story(original: Project, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """Put the toy into a copy of a built clone, and do with it all that can be done. Not to be changed."""
    steps, folder = dict[str, Step](), tmp_path_factory.mktemp("toy")
    project = with_tracing(copy_of(original, folder / "built"), folder / "reads")

    def step(name: str, *commands: str) -> None:
        said = "".join(project.run(*command.split()).stdout for command in commands)
        steps[name] = Step(said, project.metrics("leaderboard"))

    put_toy(project, "v1.jsonl", "edition_images")
    step("no edition", "gamut check --quiet", "dvc repro leaderboard")
    shutil.copytree(TOY / "datasets", project.folder / "datasets", dirs_exist_ok=True)
    before = project.asked()
    step("measured", "gamut check --quiet", "dvc repro leaderboard")
    asked = {stage: count for stage, count in project.asked().items() if count != before.get(stage)}
    project.replace("stages/toy/shared/benchmark.py", "Does the text in", "Would you say that the text in")
    step("edited", "dvc repro leaderboard")
    step("the rest", *unseen_commands(project.folder, folder / "reads", "toy"))
    return Story(opened(project.folder), steps, asked, folder / "reads")


def test_before_there_is_an_edition_the_others_are_built(story: Story) -> None:
    step = story.steps["no edition"]
    assert step.said.startswith("LEFT OUT OF THE BUILD: toy (commit .dvcignore): ")
    assert f"the edition {EDITION} does not exist. `gamut freeze toy v1`" in step.said
    assert running(step.said) == {"leaderboard"} and step.board("toy").keys() == {"toy.left_out"}
    assert len(step.board("prism")) > 100


def test_it_is_measured_and_runs_no_cell_of_the_other(story: Story) -> None:
    step = story.steps["measured"]
    assert "toy is part of the build again" in step.said
    assert running(step.said) == MEASURING | {"leaderboard"}
    assert story.asked == {
        **{f"toy.answer@{name}": ITEMS for name in CONTESTANTS},
        **{f"toy.judge@{name}-world": ITEMS for name in CONTESTANTS},
        "toy.judge_controls@careful-world": CONTROLS,
    }
    assert step.board("prism") == story.steps["no edition"].board("prism")
    assert {row["value"] for row in story.project.rows("toy/judgments/careful/world/answers")} == {1}


def test_values_are_as_the_skill_is(story: Story) -> None:
    found = {
        key.removeprefix("toy.v1.as_is.world."): value for key, value in story.steps["measured"].board("toy").items()
    }
    assert found["careful.overall"] == 100 > found["hasty.overall"]
    assert found["careful.rank_best"] == 1 and found["hasty.overall_lo"] < found["hasty.overall"]
    assert all(found[f"{name}.coverage"] == 1 for name in CONTESTANTS)
    assert found["control_blank.overall"] == 0 and found["control_mismatched.overall"] < 20
    assert found["validation.reference.drop"] == 0 and found["validation.input_copied.drop"] == 100
    assert "Toy benchmark" in (story.project.folder / "report/benchmarks/toy/index.html").read_text()


def test_an_edit_of_its_question_runs_nothing_of_others(story: Story) -> None:
    assert {one.partition("/")[0] for one in running(story.steps["edited"].said)} <= {"toy", "leaderboard"}


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "toy")
