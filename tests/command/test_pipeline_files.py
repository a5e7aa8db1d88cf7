"""`gamut pipeline`: what is committed is what it writes; what a person wrote it leaves alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from stages.command import pipeline_files
from stages.project.errors import UserError
from tests.paths import ROOT


def test_committed_files_are_few_and_short_and_what_the_records_say(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    assert pipeline_files.write(check=True) == ["8 files are what the stages' records say"]
    files = [*ROOT.glob("dvc.yaml"), *ROOT.glob("stages/**/dvc.yaml")]
    assert {file.relative_to(ROOT) for file in files} == pipeline_files.texts().keys()
    assert sum(len(file.read_text().splitlines()) for file in files) <= 500


def test_what_differs_is_written_and_what_a_person_wrote_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    wanted = {Path("dvc.yaml"): "# Written by `gamut pipeline` from a.py: …\nstages: {}\n", Path("b/dvc.yaml"): "x\n"}
    monkeypatch.setattr(pipeline_files, "texts", lambda: wanted)
    with pytest.raises(UserError, match=r"dvc\.yaml, b/dvc\.yaml: not what the stages' records say"):
        pipeline_files.write(check=True)
    assert pipeline_files.write(check=False) == ["dvc.yaml: written", "b/dvc.yaml: written"]
    assert {file: file.read_text() for file in wanted} == wanted
    Path("b/dvc.yaml").write_text("stages: {own: {cmd: echo}}\n")
    with pytest.raises(UserError, match=r"^b/dvc\.yaml: was written by hand"):
        pipeline_files.write(check=False)
