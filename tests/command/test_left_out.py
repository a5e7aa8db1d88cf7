"""Benchmarks that cannot be measured now: hidden from DVC with the reason, and shown again."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamut.command import check, left_out
from gamut.command.left_out import leave_out
from gamut.evaluation.bodies.leaderboard import leaderboard
from gamut.evaluation.defining.editions import freeze_edition, pictures_path
from gamut.pipeline.studies import studies
from gamut.project import pipeline
from gamut.project.parameters import Shared, load
from gamut.project.places import RELATIONS
from gamut.project.validation import read_yaml
from gamut.publish.parameters import load_everything
from stages.prism.shared.items import PrismItem
from tests import fakes
from tests.evaluation.small_pictures import by_digest, named, png
from tests.paths import ROOT

CURATION = Path("stages/prism")
MEASURING = CURATION / "dvc.yaml"
EDITION, BOARD = Path("datasets/editions/prism/small.jsonl"), Path("datasets/boards/prism.json")
REASON = Path("datasets/boards/prism.left_out.json")
ITEM = {"id": "style/0", "track": "style", "prompt": "a cat", "prompt_zh": "猫"}


@pytest.fixture
def folder(project: Path) -> Path:
    """A project with the folder of a benchmark, its parameters, its edition and its board."""
    for path in (MEASURING, EDITION, BOARD):
        path.parent.mkdir(parents=True, exist_ok=True)
    MEASURING.write_text('stages: {judge: {cmd: x, matrix: {judge: "${prism.judges}"}}}\n')
    EDITION.write_text(json.dumps(ITEM))
    BOARD.write_text('{"prism.small.en.world.good.overall": 90}')
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    return CURATION


def told() -> object:
    leaderboard(load(Shared))
    return json.loads(Path("metrics/leaderboard.json").read_text())


def test_without_its_pictures_it_is_left_out_until_they_are_brought(folder: Path) -> None:
    cat = png(1)
    EDITION.unlink()
    freeze_edition("prism", "small", [PrismItem.model_validate(ITEM | {"images": named([cat])})], by_digest(cat))
    assert list(leave_out()) == []
    folder = pictures_path("prism", "small")
    folder.rename("elsewhere")
    folder.with_name("small.dvc").touch()
    [said] = leave_out()
    assert said.startswith("LEFT OUT OF THE BUILD: prism (commit .dvcignore): datasets/edition_")
    assert said.endswith(f"missing: `dvc pull {folder}.dvc` brings them")
    assert pipeline.pipeline_files() == [Path("dvc.yaml")] and "are missing" in REASON.read_text()
    Path("params.yaml").write_text(json.dumps(fakes.values(contestants=fakes.two_contestants())))
    [finding] = check.check_editions(check.all_benchmark_items(load_everything()))
    assert not finding.found and finding.remark.startswith("prism is left out of the build: ")
    assert "`hold_out` releases nothing" not in finding.remark
    Path("elsewhere").rename(folder)
    assert list(leave_out()) == ["prism is part of the build again (.dvcignore)"]


def test_without_a_block_all_of_it_is_hidden(folder: Path) -> None:
    values = {key: value for key, value in fakes.values().items() if key not in ("prism", "publish")}
    Path("params.yaml").write_text(json.dumps(values))
    assert load_everything().benchmarks == {}
    said = "not part of the build, as params.yaml has no block of it (commit .dvcignore): prism"
    Path(".dvcignore").write_text("*.tmp\n")
    RELATIONS.mkdir(parents=True)
    (RELATIONS / "prism.json").write_text('{"boards.world.aegis.contestants": 2}')
    assert list(leave_out()) == [said] and list(leave_out()) == []  # once: a project may be a dataset alone
    assert Path(".dvcignore").read_text() == "*.tmp\n/stages/prism/dvc.yaml\n"
    assert pipeline.pipeline_files() == [Path("dvc.yaml")] and told() == {}, (
        "nor what it said of its board beside others"
    )
    Path("params.yaml").write_text(json.dumps(fakes.values()))
    assert list(leave_out()) == ["prism is part of the build again (.dvcignore)"]
    assert pipeline.pipeline_files() == [Path("dvc.yaml"), MEASURING] and Path(".dvcignore").read_text() == "*.tmp\n"


def test_a_misspelt_edition_is_told_with_what_is_meant(folder: Path) -> None:
    EDITION.rename(EDITION.with_name("smal.jsonl"))
    [said] = leave_out()
    assert "does not exist; did you mean 'smal'? `gamut freeze prism small` or `gamut" in said


@pytest.mark.parametrize(
    ("content", "reason"),
    [
        (None, "does not exist. `gamut freeze prism small` or `gamut import prism … small` makes it"),
        ("{", "line 1: not JSON"),
        ("", "has no items: fix it, or restore it from git"),
        (json.dumps(ITEM | {"track": "styles", "id": "styles/0"}), "line 1: track: "),
    ],
)
def test_without_a_whole_edition_it_is_left_out(
    folder: Path, content: str | None, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    EDITION.unlink() if content is None else EDITION.write_bytes(content.encode("latin-1"))
    [said] = leave_out()
    assert said.startswith("LEFT OUT OF THE BUILD: prism (commit .dvcignore): ")
    assert reason in said and pipeline.pipeline_files() == [Path("dvc.yaml")]
    [(key, value)] = told().items()  # nobody takes it for a benchmark that was never there
    assert key == "prism.left_out" and said.endswith(value)
    assert f"leaderboard: prism is left out: {value}" in capsys.readouterr().out
    assert REASON.exists() and not BOARD.exists()  # git keeps the reason, DVC a board
    EDITION.write_text(json.dumps(ITEM))
    assert list(leave_out()) == ["prism is part of the build again (.dvcignore)"]


def test_killed_before_it_hides_it_goes_on(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No number of an earlier edition stands there as if it were of this one."""
    EDITION.unlink()
    with monkeypatch.context() as patched:
        patched.setattr(left_out, "set_hidden", lambda *_: 1 / 0)
        with pytest.raises(ZeroDivisionError):
            list(leave_out())
    assert told().keys() == {"prism.left_out"}
    list(leave_out())
    assert pipeline.pipeline_files() == [Path("dvc.yaml")]


def test_labels_of_a_broken_edition_stop_nothing(folder: Path) -> None:
    EDITION.write_text("{")
    labels = Path("datasets/labels/prism/small.csv")
    labels.parent.mkdir(parents=True)
    labels.write_text("contestant,item,setting,measure,person,score\ngood,style/0,en,alignment,ann,7\n")
    Path("params.yaml").write_text(json.dumps(fakes.values(contestants=fakes.two_contestants())))
    everything = load_everything()
    assert list(check.check_forms(everything, check.all_benchmark_items(everything))) == []
    [found] = check.check_editions(check.all_benchmark_items(everything))
    assert not found.found and "the stage `hold_out` releases nothing until this is fixed" in found.remark


@pytest.mark.parametrize("name", studies())
def test_the_project_as_it_comes_hides_studies_without_a_block(name: str) -> None:
    """Else the first `dvc repro` of a new clone finds no list of its cells, and builds nothing."""
    without_block = name not in read_yaml(ROOT / "params.yaml")
    hidden = f"/{studies()[name].file}" in (ROOT / ".dvcignore").read_text().splitlines()
    assert hidden == without_block


def test_a_study_without_a_block_is_hidden_until_it_has_one(project: Path) -> None:
    """Of studies nothing else is wanted."""
    file = studies()["knowledge"].file
    file.parent.mkdir(parents=True)
    file.write_text("stages: {}\n")
    Path("params.yaml").write_text("seed: 0\n")
    said = "not part of the build, as params.yaml has no block of it (commit .dvcignore): knowledge"
    assert list(leave_out()) == [said] and list(leave_out()) == []
    assert pipeline.is_hidden(file)
    Path("params.yaml").write_text("knowledge: {}\n")
    assert list(leave_out()) == ["knowledge is part of the build (.dvcignore)"]
    assert not pipeline.is_hidden(file)
