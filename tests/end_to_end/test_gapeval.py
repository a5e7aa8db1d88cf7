"""GapEval in a clone, by the real `dvc`: construction, review, edition, judge, boards; again, the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.construction_story import Story, measure
from tests.end_to_end.test_leaderboard import running
from tests.guard.declared import require_declared

CELLS = {
    f"gapeval/dvc.yaml:{cell}"
    for cell in ("answer@torn", "judge@torn-world", "answer@writer", "judge@writer-world", "board")
}
TORN = {"class": "unified", "model": {"kind": "sandbox", "faults": {"wrong_picture": 1.0}}}
WRITER = {"class": "understanding", "model": {"kind": "sandbox"}}


def configure(params: Any) -> None:
    """One contestant whose pictures are wrong, one that only writes."""
    params["contestants"] = {"torn": TORN, "writer": WRITER}
    params["gapeval"]["contestants"] = ["torn", "writer"]


@pytest.fixture(scope="module")
def story(constructed: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """From construction to the board. Not to be changed."""
    return measure(constructed, tmp_path_factory.mktemp("gapeval") / "project", "gapeval", configure)


def test_it_is_constructed_and_measured(story: Story) -> None:
    assert running(story.measured) == CELLS | {"world"}  # of contestants that are new
    assert "4 of 4 are proposed, left out: none" in story.constructed


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "gapeval")


def test_one_side_alone_has_no_gap(story: Story) -> None:
    """Who only writes stands on the board of its side, and on no other."""
    found = json.loads((story.project.folder / "metrics/gapeval/v1/board.json").read_text())
    assert [found[f"both_sides.world.torn.{name}"] for name in ("succ", "und", "gen", "fail")] == [0, 100, 0, 0]
    assert found["both_sides.world.torn.gap"] > 70
    assert found["und.world.writer.overall"] == 100
    assert not [key for key in found if ".writer." in key and not key.startswith("und.")]
