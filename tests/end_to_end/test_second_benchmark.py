"""The toy of docs/benchmarks.md in a built clone: a benchmark from its proposal to its board, beside another one."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from PIL import Image
from ruamel.yaml import YAML

from stages.evaluation.defining.editions import Item, read_items
from stages.evaluation.defining.pictures import EditionPictures
from tests.end_to_end.project import Project, copy_of, opened, review
from tests.end_to_end.test_leaderboard import CONTESTANTS, running
from tests.guard.declared import require_declared, unseen_commands, with_tracing
from tests.paths import ROOT

TOY = ROOT / "docs/toy"
EDITION = "datasets/editions/toy/v1.jsonl"
REVIEW = "datasets/reviews/toy/v1.csv"
PICTURES = "datasets/edition_images/toy/v1"
SIDES = ("apart", "in_place")
PUT = 16 * len(SIDES)
"""How often items are put to a contestant, once each: the story has one sample."""
LOOKS = (4 * 1 + 4 * 1 + 4 * 3 + 4 * 1) * len(SIDES)
"""Questions to a judge: one about words, one with a checklist, of an edit one an input and one whether it is done."""
CONTROLS = (12 + 8 + 8) + (4 + 4 * (1 + 3 + 1) * len(SIDES)) + (8 + 8) + LOOKS + 4
"""Blank: words, a picture and both once for both sides, an edit compared with its inputs once, seen with its task on
each; right words to another item once, and other answers on each; inputs copied: the task's words, which are parted by
its pictures on one side, and pictures, seen to be copies, once; praise of every answer; right words once."""
VALUES = (4 * 1 + (1 + 2 + 3 + 4) + 4 * 3 + (1 + 2 + 3 + 2)) * len(SIDES)
MEASURING = {f"toy/dvc.yaml:{cell}" for cell in ("board", "agree", "judge_controls@careful-world")} | {
    f"toy/dvc.yaml:{cell}{one}{end}"
    for one in CONTESTANTS
    for cell, end in (("answer@", ""), ("judge@", "-world"), ("detect@", "-world"), ("score@", ""))
}
DECISIONS = {
    "picture-00000004": {"decision": "reject"},
    "both-00000003": {
        "decision": "rewrite",
        "new_prompt": "Tell and show: a purple star next to two yellow birds.",
        "new_expected": "two birds; a purple star and two yellow birds",
    },
}


def put_toy(project: Project) -> None:
    """Do what the page says: files (but the edition, to be made here), name and room, block."""
    for name in ("stages", "datasets"):
        ignored = shutil.ignore_patterns("__pycache__", "v1.jsonl", "edition_images")
        shutil.copytree(TOY / name, project.folder / name, dirs_exist_ok=True, ignore=ignored)
    rooms = "stages/leaderboard/rooms.py"
    project.replace(rooms, '"own")', '"own", "toy")')
    project.replace(rooms, "own.ROOM)", "own.ROOM, toy.ROOM)")
    project.replace(rooms, "import room as prism\n", "import room as prism\n    from stages.toy import room as toy\n")

    def configure(params: Any) -> None:
        params.update(YAML().load((TOY / "params.yaml").read_text()))
        params["toy"]["propose"]["editions"] = ["v1"]
        params["toy"]["answer"]["samples"] = 1

    project.edit(configure)


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
    edition = project.folder / EDITION

    def step(name: str, *commands: str) -> None:
        said = "".join(project.run(*command.split()).stdout for command in commands)
        steps[name] = Step(said, project.metrics("leaderboard"))

    put_toy(project)
    step("no edition", "gamut check --quiet", "dvc repro leaderboard")
    step("proposed", "dvc repro stages/toy/construction/dvc.yaml:propose@v1", "gamut review toy v1 --csv")
    review(project, REVIEW, DECISIONS)
    step("frozen", "gamut freeze toy v1")
    before = project.asked()
    step("measured", "dvc repro leaderboard")
    asked = {stage: count for stage, count in project.asked().items() if count != before.get(stage)}
    whole = edition.read_text()
    edition.write_text(whole.replace('"', "", 1))
    step("broken", "gamut check --quiet", "dvc repro leaderboard")
    edition.write_text(whole)
    step("mended", "gamut check --quiet", "dvc repro leaderboard")
    step("the rest", *unseen_commands(project.folder, folder / "reads", "toy"))
    return Story(opened(project.folder), steps, asked, folder / "reads")


def test_before_there_is_an_edition_the_others_are_built(story: Story) -> None:
    step = story.steps["no edition"]
    *without_block, without_edition = step.said.splitlines()[:5]
    for name, said in zip(("aegis", "gir", "gapeval", "genius"), without_block, strict=True):
        assert said.startswith(f"{name} is left out of the build (stages/{name}/.dvcignore, to be committed): ")
    assert without_edition.startswith("LEFT OUT OF THE BUILD: toy (stages/toy/.dvcignore, to be committed): ")
    assert f"{EDITION}: there is no such edition. `gamut freeze toy v1`" in step.said
    assert running(step.said) == {"leaderboard"} and step.board("toy").keys() == {"toy.left_out"}
    assert len(step.board("prism")) > 100


def test_an_edition_is_proposed_reviewed_and_frozen(story: Story) -> None:
    proposed = story.steps["proposed"].said
    assert running(proposed) == {"toy/construction/dvc.yaml:propose@v1"} and "17 of 17 are proposed" in proposed
    frozen = story.steps["frozen"].said
    assert "toy is part of the build again" in frozen
    assert "16 items (4 words, 4 picture, 4 edit, 4 both)" in frozen and "15 accept, 1 reject, 1 rewrite" in frozen
    for (ours, painted), (shipped, shown) in zip(edition(story.project.folder), edition(TOY), strict=True):
        assert ours == shipped and len(painted) == len(shown)
        assert all(np.abs(one - other).mean() < 2 for one, other in zip(painted, shown, strict=True))


def edition(folder: Path) -> Iterator[tuple[Any, list[NDArray[np.int16]]]]:
    """The frozen items of a project without the digests of their pictures, and the pixels: encoders may differ."""
    pictures = EditionPictures(folder / PICTURES)
    for item in read_items(folder / EDITION, Item):
        images = [Image.open(BytesIO(picture.data)).convert("RGB") for picture in pictures.of(item).values()]
        yield (
            item.model_dump(exclude={"images": {"__all__": {"sha256"}}}),
            [np.asarray(one, np.int16) for one in images],
        )


def test_it_is_measured_and_runs_no_cell_of_the_other(story: Story) -> None:
    step = story.steps["measured"]
    assert running(step.said) == MEASURING | {"leaderboard"}
    assert story.asked == {
        **{f"toy.answer@{name}": PUT for name in CONTESTANTS},
        **{f"toy.judge@{name}-world": LOOKS for name in CONTESTANTS},
        **{f"toy.detect@{name}-world": 4 * len(SIDES) for name in CONTESTANTS},
        "toy.judge_controls@careful-world": CONTROLS,
    }
    assert step.board("prism") == story.steps["no edition"].board("prism")
    rows = story.project.rows("toy/observations/careful/world")
    assert len(rows) == VALUES and {row["value"] for row in rows} == {1, 10}


def test_values_are_as_the_skill_is(story: Story) -> None:
    found = {key.removeprefix("toy.v1."): value for key, value in story.steps["measured"].board("toy").items()}
    for view in (*SIDES, "across"):
        start = f"{view}.world."
        assert found[f"{start}careful.overall"] == 100 > found[f"{start}hasty.overall"]
        assert found[f"{start}careful.rank_best"] == 1 and found[f"{start}hasty.rank_worst"] == 2
        assert all(found[f"{start}{name}.coverage"] == 1 for name in CONTESTANTS)
        assert found[f"{start}control_blank.overall"] == 0 and found[f"{start}control_mismatched.overall"] < 20
    for side in SIDES:
        start = f"{side}.world."
        assert found[f"{start}careful.counted"] == 100 > found[f"{start}hasty.counted"]
        assert found[f"{start}control_reference.words"] == 100
        assert found[f"{start}control_input_copied.words"] == found[f"{start}control_input_copied.edit"] == 0
    for name in CONTESTANTS:
        both, gap, consistent = (found[f"across.world.{name}.{value}"] for value in ("overall", "gap", "consistency"))
        apart, in_place = (found[f"{side}.world.{name}.overall"] for side in SIDES)
        assert both == pytest.approx((apart + in_place) / 2, abs=0.01)
        assert gap == pytest.approx(in_place - apart, abs=0.01) and 0 < consistent <= 100
        assert {
            f"across.world.{name}.{value}_{end}" for value in ("gap", "consistency") for end in ("lo", "hi")
        } <= set(found)


def test_a_broken_edition_leaves_the_other_board_whole(story: Story) -> None:
    broken, mended = story.steps["broken"], story.steps["mended"]
    reason = f"{EDITION}, line 1: not JSON"
    assert f"LEFT OUT OF THE BUILD: toy (stages/toy/.dvcignore, to be committed): {reason}" in broken.said
    assert running(broken.said) == {"leaderboard"} and f"leaderboard: toy is left out: {reason}" in broken.said
    assert broken.board("prism") == story.steps["measured"].board("prism")
    assert broken.board("toy")["toy.left_out"].startswith(reason) and len(broken.board("toy")) == 1
    assert running(mended.said) - {"leaderboard"} == {"toy/dvc.yaml:board"}  # which DVC may have in its cache of runs
    assert mended.values == story.steps["measured"].values


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "toy")


def test_its_pipeline_declares_what_it_imports(story: Story) -> None:
    """As for any room: by the tests of the clone itself."""
    tests = ("tests/test_architecture.py", "-k", "toy or arrows or names_a_benchmark")
    assert " passed" in story.project.run("python", "-m", "pytest", "-q", "-p", "no:cacheprovider", *tests).stdout
