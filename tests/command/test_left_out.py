"""Benchmarks that cannot be measured now: hidden from DVC with the reason, and shown again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.command.left_out import CONTENT, leave_out
from stages.project import pipeline
from stages.publish.parameters import load_everything
from tests import fakes

ROOM, EDITION, BOARD = (
    Path("stages/prism"),
    Path("datasets/editions/prism/small.jsonl"),
    Path("datasets/boards/prism.json"),
)
ITEM = {"id": "style/0", "track": "style", "prompt": "a cat", "prompt_zh": "猫"}


@pytest.fixture
def room(project: Path) -> Path:
    """A project with the room of a benchmark, its parameters, its edition and its board."""
    for path in (ROOM / "dvc.yaml", EDITION, BOARD):
        path.parent.mkdir(parents=True, exist_ok=True)
    (ROOM / "dvc.yaml").write_text("stages: {}\n")
    EDITION.write_text(json.dumps(ITEM))
    BOARD.write_text("{}")
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    return ROOM


def test_what_can_be_measured_is_left_as_it_is(room: Path) -> None:
    assert list(leave_out()) == [] and not (room / ".dvcignore").exists() and BOARD.exists()
    assert room / "dvc.yaml" in pipeline.files()


def test_without_a_block(room: Path) -> None:
    values = {key: value for key, value in fakes.values().items() if key not in ("prism", "publish")}
    Path("params.yaml").write_text(json.dumps(values))
    assert load_everything().benchmarks == {}
    said = "prism is left out of the build (stages/prism/.dvcignore, to be committed): params.yaml has no block 'prism'"
    assert list(leave_out()) == [said] == list(leave_out())  # as long as it is so
    assert (room / ".dvcignore").read_text() == CONTENT and not BOARD.exists()
    assert pipeline.files() == [Path("dvc.yaml")]
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    assert list(leave_out()) == ["prism is part of the build again (stages/prism/.dvcignore is gone)"]
    assert not (room / ".dvcignore").exists()


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "there is no such edition: `gamut freeze prism small` or `gamut import prism … small` makes it"),
        ("{", "line 1: not JSON"),
        ("", "there are no items in it: restore it from git"),
        (json.dumps(ITEM | {"id": "style/x"}), "line 1: id 'style/x': style/0, style/1 and so on are wanted"),
        ("\xff", "line 1: "),
    ],
)
def test_without_a_whole_edition(room: Path, content: str | None, reason: str) -> None:
    EDITION.unlink() if content is None else EDITION.write_bytes(content.encode("latin-1"))
    [said] = leave_out()
    assert said.startswith("prism is left out of the build") and reason in said
    assert pipeline.files() == [Path("dvc.yaml")]


def test_what_somebody_else_ignores_is_left_to_them(room: Path) -> None:
    for text in ("/dvc.yaml\n", "*.tmp\n"):
        (room / ".dvcignore").write_text(text)
        EDITION.unlink(missing_ok=True)
        assert list(leave_out()) == [] and (room / ".dvcignore").read_text() == text
        assert (room / "dvc.yaml" in pipeline.files()) == (text == "*.tmp\n")
