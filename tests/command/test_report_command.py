"""`gamut report`: a line for each product, what is left out and why; what fails stands alone."""

from __future__ import annotations

import json
import os
import re
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from stages.command import report
from stages.evaluation.running.answers import SCHEMA
from stages.leaderboard.rooms import NAMES
from stages.prism.shared.benchmark import PRISM
from stages.project.errors import UserError
from stages.project.locks import only_writer
from stages.project.validation import read_yaml
from stages.report.site.folder import MARK, Folder
from stages.tables.writing import TableWriter
from tests.in_command import gamut_lines
from tests.report.versions import two_versions


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("report_command")
    two_versions.build(folder)
    return folder


@pytest.fixture
def project(built: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two versions, of which the one that lies here has a contestant's answers; pages of benchmarks are a file each."""
    folder = tmp_path / "project"
    shutil.copytree(built, folder)
    monkeypatch.chdir(folder)
    values = read_yaml(Path("params.yaml"))
    values["contestants"] = {"careful": {"class": "generation", "model": {"kind": "sandbox"}}}
    values["prism"]["contestants"] = ["careful"]
    Path("params.yaml").write_text(json.dumps(values))
    with TableWriter(PRISM.answers / "careful", SCHEMA):
        pass
    monkeypatch.setattr(report, "pages", a_page)
    return folder


def a_page(benchmark: Any, params: Any, out: Path, stale: str | None) -> None:
    Folder(out / benchmark.name).write("index.html", params.prism.edition)
    print(f"{benchmark.name}.pages: written")


call = partial(gamut_lines, "report")


AEGIS, *OTHERS = (f"{name} is left out: params.yaml has no block {name!r}" for name in NAMES if name != "prism")
DATASET = "dataset is left out: there is no datasets/prompts: `dvc repro` or `dvc pull` makes it"
FRONT = "report: open report/index.html"
VERSIONS = re.compile(r"versions: [0-9]+ files; open report/versions/index\.html")
AT = len(NAMES) + 1
"""The line about versions: behind that of each benchmark and of the dataset."""


def test_a_line_for_each_product_and_what_is_left_out(project: Path) -> None:
    assert call() == (0, ["prism.pages: written", AEGIS, *OTHERS, DATASET, FRONT])
    assert Path("report/prism/index.html").read_text() == "v2" and Path("report", MARK).exists()
    code, said = call("--against", "v1")
    assert (
        code == 0
        and VERSIONS.fullmatch(said.pop(AT))
        and said == ["prism.pages: written", AEGIS, *OTHERS, DATASET, FRONT]
    )
    assert "workspace beside v1" in Path("report/versions/index.html").read_text()


def test_what_was_not_built_with_these_parameters_is_said_in_the_terminal_and_on_pages(project: Path) -> None:
    """The board lies here as with repeats 1, a profile with 3 was put in its place; the release as with clarity 6."""
    values = read_yaml(Path("params.yaml"))
    values["prism"]["repeats"] = 3
    Path("params.yaml").write_text(json.dumps(values))
    for file, stage, recorded in (
        ("dvc", "release", {"admit.clarity": 6}),
        ("stages/prism/dvc", "board", {"prism.edition": "v2", "prism.repeats": 1}),
    ):
        Path(file).parent.mkdir(parents=True, exist_ok=True)
        declared = {stage: {"cmd": "python"}, "judge": {"cmd": "python", "matrix": {"judge": "${prism.judges}"}}}
        Path(f"{file}.yaml").write_text(json.dumps({"stages": declared}))
        entry = {"cmd": "python", "params": {"params.yaml": recorded}}
        Path(f"{file}.lock").write_text(json.dumps({"schema": "2.0", "stages": {stage: entry}}))
    board = (
        "not built with these parameters (prism.repeats changed since): "
        "`dvc repro stages/prism/dvc.yaml:board` builds it anew"
    )
    release = "not built with these parameters (admit.clarity changed since): `dvc repro release` builds it anew"
    code, said = call("--against", "v1")
    assert code == 0 and {*said[:2]} == {"prism.pages: written", f"prism: {board}"} and said[-1] == FRONT
    front, versions = (Path("report", page).read_text() for page in ("index.html", "versions/index.html"))
    assert board in front and release not in front  # without prompts the dataset is left out there
    assert f"dataset at workspace: {release}" in versions and f"prism at workspace: {board}" in versions
    assert " at v1: " not in versions


def test_a_benchmark_without_answers_or_edition_is_left_out(project: Path) -> None:
    shutil.rmtree(PRISM.answers)
    code, said = call("--out", "public")
    assert code == 0 and said[0] == (
        "prism is left out: there are no answers in datasets/prism/answers: `dvc repro` asks contestants, "
        "`dvc pull` fetches what they said"
    )
    Path("datasets/editions/prism/v2.jsonl").unlink()
    code, said = call("--out", "public")
    assert code == 0 and said[0].startswith("prism is left out: datasets/editions/prism/v2.jsonl: there is no such ")


def test_what_fails_keeps_nothing_else_from_being_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise UserError("metrics/prism/v2/board.json: no metrics: delete it\x1b[2J")

    monkeypatch.setattr(report, "pages", fails)
    shutil.rmtree(".dvc/cache")
    code, said = call("--against", "v1")
    assert code == 1 and said[:2] == ["prism: metrics/prism/v2/board.json: no metrics: delete it ", AEGIS]
    assert said[2:AT] == [*OTHERS, DATASET] and VERSIONS.fullmatch(said[AT])
    assert said[AT + 1].startswith("versions: dataset: datasets/release: its content at v1 ")
    assert said[AT + 2 :] == [FRONT, "2 of the report's parts failed, as said above; all else is written"]


def test_the_first_page_says_whose_boards_cannot_be_read(project: Path) -> None:
    Path("datasets/boards").mkdir()
    Path("datasets/boards/prism.json").write_text("{}")
    Path("datasets/editions/prism/v2.jsonl").unlink()
    code, said = call()
    why = "datasets/editions/prism/v2.jsonl: there is no such edition; known are: v1"
    assert code == 0 and said[-2:] == [f"front: prism is left out: {why}", FRONT]
    assert why in Path("report/index.html").read_text()


def test_pages_that_a_stage_writes_are_left_to_it(project: Path) -> None:
    with only_writer("prism.board"):
        code, said = call()
        assert code == 1 and said[:2] == [f"prism: process {os.getpid()} already runs this: wait for it to end", AEGIS]
        assert call("--out", "public")[0] == 0


def test_an_unknown_revision_is_said_before_anything_is_written(project: Path) -> None:
    assert call("--against", "v3") == (
        1,
        ["--against v3: not a revision (unknown Git revision 'v3'): name a commit, branch, tag or experiment"],
    )
    assert not Path("report/prism").exists()


@pytest.mark.parametrize(
    "out",
    [
        "datasets",
    ],
)
def test_a_folder_of_others_is_refused_and_stays_as_it_is(project: Path, out: str) -> None:
    before = sorted(project.rglob("*"))
    code, [line] = call("--out", out)
    assert code == 1 and line.startswith(f"{out}: holds other files (") and line.endswith(" a new or an empty folder")
    assert sorted(project.rglob("*")) == before
