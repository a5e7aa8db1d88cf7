"""GENIUS in a clone, by the real `dvc`: construction, review, edition, judge, boards; again, the same bytes."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.end_to_end.construction_story import Story, again_without_dvc, made_of, measure
from tests.end_to_end.test_leaderboard import running
from tests.guard.declared import require_declared

CELLS = {
    f"genius/dvc.yaml:{cell}"
    for cell in ("answer@editor", "judge@editor-world", "answer@reader", "judge@reader-world", "board")
}
EDITOR = {"class": "editing", "model": {"kind": "sandbox"}, "sides": {"genius": ["edit"]}}
READER = {"class": "unified", "model": {"kind": "sandbox", "faults": {"wrong_reasoning": 1.0}}}


def configure(params: Any) -> None:
    """One contestant gives what is right, but takes no pictures between words; one gives what is right of other
    items.
    """
    params["contestants"] = {"editor": EDITOR, "reader": READER}
    params["genius"] |= {"contestants": ["editor", "reader"], "sides": ["interleaved", "edit", "probe"]}


@pytest.fixture(scope="module")
def story(constructed: Path, tmp_path_factory: pytest.TempPathFactory) -> Story:
    """From construction to the board. Not to be changed."""
    return measure(constructed, tmp_path_factory.mktemp("genius") / "project", "genius", configure)


def test_it_is_constructed_and_measured(story: Story) -> None:
    assert running(story.measured) == CELLS | {"world"}  # of contestants that are new
    assert "20 of 20 are proposed, left out: none" in story.constructed


def test_stages_read_what_they_declare(story: Story) -> None:
    require_declared(story.project.folder, story.reads, "genius")


def test_again_without_dvc_it_is_the_same(story: Story, constructed: Path, tmp_path: Path) -> None:
    one = made_of("genius", story.project)
    other = made_of("genius", again_without_dvc("genius", configure, constructed, tmp_path / "project"))
    assert {Path(name).suffix for name in one} >= {".jsonl", ".parquet", ".json", ".csv"}
    assert one.keys() <= other.keys() and [name for name in one if one[name] != other[name]] == []


def test_all_are_ranked_together_however_they_were_put_to_it(story: Story) -> None:
    found = json.loads((story.project.folder / "metrics/genius/v1/board.json").read_text())
    assert "on side edit, without interleaved: editor" in story.measured
    assert found["main.world.editor.overall"] > 90 > 80 > found["main.world.reader.overall"]
    assert (found["main.world.editor.rank_worst"], found["main.world.reader.rank_best"]) == (1, 2)
    assert found["main.world.editor.coverage"] == found["main.world.reader.coverage"] == 1


def test_who_was_not_put_to_a_side_has_no_row_of_it(story: Story) -> None:
    found = json.loads((story.project.folder / "metrics/genius/v1/board.json").read_text())
    assert {key.split(".")[0] for key in found if ".editor." in key} == {"main", "edit"}
    assert {key.split(".")[0] for key in found if ".reader." in key} == {
        "main", "interleaved", "edit", "edit_over_interleaved", "probe", "execution_gap"
    }  # fmt: skip


def test_who_knows_and_paints_is_told(story: Story) -> None:
    """`reader` chooses a wrong option of every probe."""
    found = json.loads((story.project.folder / "metrics/genius/v1/board.json").read_text())
    own = {name: found[f"execution_gap.world.reader.{name}"] for name in ("both", "gap", "known", "coverage")}
    assert own["gap"] == own["known"] - own["both"] and own["coverage"] == 1 and own["known"] == 0
