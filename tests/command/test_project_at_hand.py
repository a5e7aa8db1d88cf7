"""`gamut` as a wheel installs it, the library alone: it works on the project in whose folder it is called."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.paths import ROOT

SCRIPT = """\
import sys
from pathlib import Path
sys.path = [sys.argv.pop(1), *(folder for folder in sys.path if not Path(folder, "stages").exists())]
from gamut.command.start import main
main()
"""
"""The console script, with the library of a folder and no project beside it, as an editable installation would have."""


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    (folder / "gamut").symlink_to(ROOT / "gamut")
    return folder


def call(wheel: Path, here: Path, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-P", "-c", SCRIPT, str(wheel), *arguments]
    done = subprocess.run(command, cwd=here, env={}, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [["check"], ["freeze", "prism", "v1"], ["store", "prune"], ["summary"]])
def test_outside_a_project_it_says_where_to_stand(wheel: Path, tmp_path: Path, arguments: list[str]) -> None:
    code, out, error = call(wheel, tmp_path, *arguments)
    assert (code, out) == (1, "")
    assert error.count("\n") == 1 and "stand in a clone of gamut's repository" in error


def test_a_folder_of_others_that_is_called_stages_is_no_project(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "stages").mkdir()
    (tmp_path / "stages" / "__init__.py").write_text("raise AssertionError('imported')\n")
    code, out, error = call(wheel, tmp_path, "check")
    assert (code, out) == (1, "") and "stand in a clone" in error


def test_help_needs_no_project(wheel: Path, tmp_path: Path) -> None:
    for arguments in (["--help"], ["check", "--help"]):
        code, out, error = call(wheel, tmp_path, *arguments)
        assert (code, error) == (0, "") and "Check parameters and surroundings" in out


def test_it_finds_the_benchmarks_and_steps_of_the_folder_it_stands_in(wheel: Path, tmp_path: Path) -> None:
    stages = tmp_path / "stages"
    (stages / "mine").mkdir(parents=True)
    for name in ("__init__.py", "dataset"):
        (stages / name).symlink_to(ROOT / "stages" / name)
    (stages / "mine" / "__init__.py").touch()
    (stages / "mine" / "curation.py").write_text("CURATION = None\n")
    code, _, error = call(wheel, tmp_path, "freeze", "nothing", "v1")
    assert (code, error) == (1, "there is no benchmark 'nothing'; known are: mine\n")
    (tmp_path / "params.yaml").write_text("seed: 1\n")
    (tmp_path / "metrics").mkdir()
    code, _, error = call(wheel, tmp_path, "calibrate", "--sample", "2")
    assert code == 1 and "params.yaml: sources: this key is missing" in error
