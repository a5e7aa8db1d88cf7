"""Benchmarks that cannot be measured now: hidden from DVC with the reason, and shown again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from stages.command.left_out import leave_out
from stages.leaderboard.leaderboard import leaderboard
from stages.project import pipeline
from stages.project.errors import UserError
from stages.project.parameters import Shared, load
from stages.publish.parameters import load_everything
from tests import fakes

ROOM = Path("stages/prism")
MEASURING, PROPOSING = ROOM / "dvc.yaml", ROOM / "construction/dvc.yaml"
EDITION, BOARD = Path("datasets/editions/prism/small.jsonl"), Path("datasets/boards/prism.json")
ITEM = {"id": "style/0", "track": "style", "prompt": "a cat", "prompt_zh": "猫"}


@pytest.fixture
def room(project: Path) -> Path:
    """A project with the room of a benchmark, its parameters, its edition and its board."""
    for path in (PROPOSING, EDITION, BOARD):
        path.parent.mkdir(parents=True, exist_ok=True)
    MEASURING.write_text("stages: {}\n")
    PROPOSING.write_text("stages: {}\n")
    EDITION.write_text(json.dumps(ITEM))
    BOARD.write_text('{"prism.small.en.world.good.overall": 90}')
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    return ROOM


def told() -> object:
    leaderboard(load(Shared))
    return json.loads(Path("metrics/leaderboard.json").read_text())


def test_what_can_be_measured_is_left_as_it_is(room: Path) -> None:
    assert list(leave_out()) == [] and not (room / ".dvcignore").exists()
    assert pipeline.files() == [Path("dvc.yaml"), PROPOSING, MEASURING]
    assert told() == {"prism.small.en.world.good.overall": 90}


def test_without_a_block_all_of_it_is_hidden(room: Path) -> None:
    values = {key: value for key, value in fakes.values().items() if key not in ("prism", "publish")}
    Path("params.yaml").write_text(json.dumps(values))
    assert load_everything().benchmarks == {}
    said = "prism is left out of the build (stages/prism/.dvcignore, to be committed): params.yaml has no block 'prism'"
    assert list(leave_out()) == [said] == list(leave_out())  # as long as it is so
    assert (room / ".dvcignore").read_text().splitlines()[1:] == ["/dvc.yaml", "/construction/dvc.yaml"]
    assert pipeline.files() == [Path("dvc.yaml")] and told() == {}
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    assert list(leave_out()) == ["prism is part of the build again (stages/prism/.dvcignore is gone)"]
    assert pipeline.files() == [Path("dvc.yaml"), PROPOSING, MEASURING]


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "there is no such edition. `gamut freeze prism small` or `gamut import prism … small` makes it"),
        ("{", "line 1: not JSON"),
        ("", "there are no items in it: restore it from git"),
        (json.dumps(ITEM | {"id": "style/x"}), "line 1: id 'style/x': style/0, style/1 and so on are wanted"),
        ("\xff", "line 1: "),
    ],
)
def test_without_a_whole_edition_it_can_still_be_proposed(
    room: Path, content: str | None, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    EDITION.unlink() if content is None else EDITION.write_bytes(content.encode("latin-1"))
    [said] = leave_out()
    assert said.startswith("LEFT OUT OF THE BUILD: prism (stages/prism/.dvcignore, to be committed): ")
    assert reason in said and pipeline.files() == [Path("dvc.yaml"), PROPOSING]
    [(key, value)] = told().items()  # nobody takes it for a benchmark that was never there
    assert key == "prism.left_out" and said.endswith(value)
    assert f"leaderboard: prism is left out: {value}" in capsys.readouterr().out
    EDITION.write_text(json.dumps(ITEM))
    assert list(leave_out()) == ["prism is part of the build again (stages/prism/.dvcignore is gone)"]


def test_a_torn_board_is_told(room: Path) -> None:
    BOARD.write_text('{"prism')
    with pytest.raises(
        UserError, match=r"boards/prism\.json: not JSON: `dvc repro --force --single-item stages/prism/"
    ):
        told()


def test_from_no_edition_to_no_block(room: Path) -> None:
    EDITION.unlink()
    list(leave_out())
    Path("params.yaml").write_text(json.dumps({key: value for key, value in fakes.values().items() if key != "prism"}))
    list(leave_out())
    assert pipeline.files() == [Path("dvc.yaml")] and not BOARD.exists()


def test_what_somebody_else_ignores_is_left_to_them(room: Path) -> None:
    for text in ("/dvc.yaml\n", "*.tmp\n"):
        (room / ".dvcignore").write_text(text)
        EDITION.unlink(missing_ok=True)
        assert list(leave_out()) == [] and (room / ".dvcignore").read_text() == text
        assert (MEASURING in pipeline.files()) == (text == "*.tmp\n")
