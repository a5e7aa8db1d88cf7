"""The block of own items in params.yaml: written where there is none, with nothing else touched."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from typer.testing import CliRunner

from gamut.command.cli import app
from gamut.command.left_out import leave_out
from gamut.command.profiles import append_block
from gamut.project.errors import UserError
from gamut.project.validation import read_yaml
from gamut.publish.parameters import load_everything
from stages.own.curation import CURATION
from stages.prism.curation import CURATION as ANOTHER
from tests.paths import ROOT

PARAMS, OWN, IGNORED = Path("params.yaml"), Path("stages/own"), Path(".dvcignore")
SHIPPED = (ROOT / "params.yaml").read_text()


@pytest.fixture
def mine(project: Path) -> Path:
    """A project with the shipped parameters and the benchmark, as they are cloned; no other benchmark's pipeline."""
    PARAMS.write_text(SHIPPED)
    OWN.mkdir(parents=True)
    for path in (OWN / "dvc.yaml", IGNORED):
        shutil.copy(ROOT / path, path)
    return project


def test_without_items_it_is_hidden_and_nothing_is_said(mine: Path) -> None:
    before = IGNORED.read_bytes()
    assert list(leave_out()) == [] and IGNORED.read_bytes() == before
    IGNORED.unlink()
    [said] = leave_out()
    assert said.endswith("block of it (commit .dvcignore): own")
    assert IGNORED.read_text() == "/stages/own/dvc.yaml\n"


def test_an_import_writes_the_block_and_says_how_to_go_on(mine: Path) -> None:
    Path("five.jsonl").write_text('{"prompt": "two red cars"}\n{"prompt": "a green chair"}\n')
    run = CliRunner().invoke(app, ["import", "own", "five.jsonl", "mine"])
    assert run.exit_code == 0, run.output
    written = PARAMS.read_text()
    assert written.startswith(SHIPPED) and written[len(SHIPPED) :].startswith("own:")
    values = read_yaml(PARAMS)
    assert values["own"]["edition"] == "mine"
    assert (values["own"]["judges"], values["own"]["controls_of"]) == (["world"], ["careful"])
    assert values["own"]["answer"]["samples"] == 1 and load_everything().edition("own") == "mine"
    *_, block, onwards, folder, shown = run.output.splitlines()
    assert block.startswith("params.yaml: the block 'own' with this edition was added at its end")
    assert onwards.startswith("`dvc repro stages/own/dvc.yaml:board` measures contestants on it: ")
    assert folder.startswith("datasets/edition_images/own/mine/.gitkeep: own's edition has no pictures, but DVC")
    assert shown == "own is part of the build again (.dvcignore)"
    assert Path("datasets/edition_images/own/mine/.gitkeep").exists() and list(leave_out()) == []


def test_a_block_that_is_there_stays(mine: Path) -> None:
    assert len([*append_block(CURATION, "mine")]) == 2
    before = PARAMS.read_bytes()
    assert [*append_block(CURATION, "other")] == [] and PARAMS.read_bytes() == before
    assert [*append_block(ANOTHER, "v1")] == [] and PARAMS.read_bytes() == before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (f"{SHIPPED}...\n", "its end cannot take a new block"),
        (f"{SHIPPED}own:\n", "own: None is not right"),
        (SHIPPED.replace("seed: 0", "sed: 0", 1), "sed: unknown key; did you mean 'seed'?"),
    ],
)
def test_nothing_is_written_where_nothing_can_be(mine: Path, text: str, said: str) -> None:
    PARAMS.write_text(text)
    with pytest.raises(UserError) as caught:
        list(append_block(CURATION, "mine"))
    assert f"params.yaml: {said}" in str(caught.value) and PARAMS.read_text() == text
