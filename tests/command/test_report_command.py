"""`gamut report`: a line for each product, what is left out and why; what fails stands alone."""

from __future__ import annotations

import json
import os
import shutil
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from gamut.command import report
from gamut.evaluation.curating.benchmarks import NAMES
from gamut.evaluation.defining.editions import freeze_edition
from gamut.evaluation.running.answers import SCHEMA
from gamut.project.errors import UserError
from gamut.project.locks import only_writer
from gamut.project.validation import read_yaml
from gamut.report.site.folder import MARK, Folder
from gamut.tables.writing import TableWriter
from stages.prism.shared.benchmark import PRISM
from tests import fakes
from tests.in_command import gamut_lines
from tests.publish import small_version


@pytest.fixture
def project(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A project with two editions and the answers of a contestant; pages of benchmarks are a file each."""
    values = fakes.values()
    values["contestants"] = {"careful": {"class": "generation", "model": {"kind": "sandbox"}}}
    values["prism"] |= {"contestants": ["careful"], "edition": "v2"}
    Path("params.yaml").write_text(json.dumps(values))
    for version in ("v1", "v2"):
        freeze_edition("prism", version, small_version.ITEMS)
    with TableWriter(PRISM.answers / "careful", SCHEMA):
        pass
    monkeypatch.setattr(report, "pages", a_page)
    return project


def a_page(benchmark: Any, params: Any, out: Path, stale: str | None) -> None:
    Folder(out / benchmark.name).write("index.html", params.prism.edition)
    print(f"{benchmark.name}.pages: written")


call = partial(gamut_lines, "report")


OTHERS = [f"{name} is left out: params.yaml has no block {name!r}" for name in NAMES if name != "prism"]
DATASET = "dataset is left out: datasets/prompts does not exist: run `dvc repro` or `dvc pull`"
FRONT = "report: open report/index.html"


def test_a_line_for_each_product_and_what_is_left_out(project: Path) -> None:
    assert call() == (0, [*OTHERS, "prism.pages: written", DATASET, FRONT])
    assert Path("report/prism/index.html").read_text() == "v2" and Path("report", MARK).exists()


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
        "`dvc repro stages/prism/dvc.yaml:board` builds it again"
    )
    release = "not built with these parameters (admit.clarity changed since): `dvc repro release` builds it again"
    code, said = call()
    assert code == 0 and {*said[len(OTHERS) :][:2]} == {"prism.pages: written", f"prism: {board}"} and said[-1] == FRONT
    front = Path("report/index.html").read_text()
    assert board in front and release not in front  # without prompts the dataset is left out there


def test_a_benchmark_without_answers_or_edition_is_left_out(project: Path) -> None:
    shutil.rmtree(PRISM.answers)
    code, said = call("--out", "public")
    assert code == 0 and said[len(OTHERS)] == (
        "prism is left out: datasets/prism/answers has no answers: `dvc repro` asks contestants, "
        "`dvc pull` fetches answers"
    )
    Path("datasets/editions/prism/v2.jsonl").unlink()
    code, said = call("--out", "public")
    assert code == 0 and said[len(OTHERS)].startswith(
        "prism is left out: the edition datasets/editions/prism/v2.jsonl does not "
    )


def test_what_fails_keeps_nothing_else_from_being_written(project: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(*_: Any) -> None:
        raise UserError("metrics/prism/v2/board.json: no metrics: delete it\x1b[2J")

    monkeypatch.setattr(report, "pages", fails)
    code, said = call()
    failed = "prism: metrics/prism/v2/board.json: no metrics: delete it "
    end = "1 of the report's parts failed (see above); all others are written"
    assert (code, said) == (1, [*OTHERS, failed, DATASET, FRONT, end])


def test_the_first_page_says_whose_boards_cannot_be_read(project: Path) -> None:
    Path("datasets/boards").mkdir()
    Path("datasets/boards/prism.json").write_text("{}")
    Path("datasets/editions/prism/v2.jsonl").unlink()
    code, said = call()
    why = "the edition datasets/editions/prism/v2.jsonl does not exist; known are: v1"
    assert code == 0 and said[-2:] == [f"front: prism is left out: {why}", FRONT]
    assert why in Path("report/index.html").read_text()


def test_pages_that_a_stage_writes_are_left_to_it(project: Path) -> None:
    with only_writer("prism.board"):
        code, said = call()
        assert code == 1 and f"prism: process {os.getpid()} already runs this: wait for it to end" in said
        assert call("--out", "public")[0] == 0


def test_a_folder_of_others_is_refused_and_stays_as_it_is(project: Path) -> None:
    before = sorted(project.rglob("*"))
    code, [line] = call("--out", "datasets")
    assert code == 1 and line.startswith("datasets holds other files (") and line.endswith(" a new or empty folder")
    assert sorted(project.rglob("*")) == before
