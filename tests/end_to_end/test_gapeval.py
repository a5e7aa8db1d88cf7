"""GapEval in a clone, by the real `dvc`: construction, review, edition, judge, boards; again, the same bytes."""

from __future__ import annotations

import json
from typing import Any

import pytest
from ruamel.yaml import YAML

from stages.gapeval.shared.items import CATEGORIES
from tests.end_to_end.construction_story import Story, constructed_and_measured
from tests.end_to_end.test_leaderboard import running
from tests.guard.declared import require_declared
from tests.paths import ROOT

CELLS = {
    f"gapeval/dvc.yaml:{cell}"
    for cell in ("answer@torn", "judge@torn-world", "score@torn", "answer@writer", "judge@writer-world", "score@writer")
} | {"gapeval/dvc.yaml:agree", "gapeval/dvc.yaml:board"}
TORN = {"class": "unified", "model": {"kind": "sandbox", "faults": {"wrong_picture": 1.0}}}
WRITER = {"class": "understanding", "model": {"kind": "sandbox"}}


def configure(params: Any) -> None:
    """The laptop's block, for an edition of an item a category: one contestant whose pictures are wrong, one that only
    writes.
    """
    shipped = YAML().load((ROOT / "params.yaml").read_text())
    params |= {name: shipped[name] for name in ("aegis", "gir", "gapeval", "genius")}  # dvc refuses all without
    params["models"]["rapidocr"] = shipped["models"]["rapidocr"]
    params["contestants"] = {"torn": TORN, "writer": WRITER}
    params["gapeval"] |= {"edition": "v1", "judges": ["world"], "controls_of": []}
    params["gapeval"]["propose"] |= {"editions": ["v1"], "drafts": dict.fromkeys(CATEGORIES, 1)}
    for name in ("aegis", "gir"):
        params[name]["controls_of"] = []


@pytest.fixture(scope="module")
def story(tmp_path_factory: pytest.TempPathFactory) -> Story:
    """From construction to the board. Not to be changed."""
    return constructed_and_measured("gapeval", configure, tmp_path_factory)


def test_it_is_constructed_and_measured(story: Story) -> None:
    assert running(story.said["measured"]) == CELLS
    assert "4 of 4 are proposed, left out: none" in story.said["proposed"]


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "gapeval")


def test_one_side_alone_has_no_gap(story: Story) -> None:
    """Who only writes stands on the board of its side, and on no other."""
    found = json.loads((story.project.folder / "metrics/gapeval/v1/board.json").read_text())
    assert [found[f"both_sides.world.torn.{name}"] for name in ("succ", "und", "gen", "fail")] == [0, 100, 0, 0]
    assert found["both_sides.world.torn.gap"] > 70
    assert found["und.world.writer.overall"] == 100
    assert not [key for key in found if ".writer." in key and not key.startswith("und.")]
