"""`gamut` as a wheel installs it, the library alone: it works on the project in whose folder it is called."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.diffs import FILTER, apply_diff
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
    shutil.copytree(ROOT / "gamut", folder / "gamut", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def call(wheel: Path, here: Path, *arguments: str) -> tuple[int, str, str]:
    command = [sys.executable, "-P", "-c", SCRIPT, str(wheel), *arguments]
    done = subprocess.run(command, cwd=here, env={}, capture_output=True, text=True)
    return done.returncode, done.stdout, done.stderr


@pytest.mark.parametrize("arguments", [["check"], ["freeze", "prism", "v1"], ["store", "prune"], ["summary"]])
def test_outside_a_project_it_says_where_to_stand(wheel: Path, tmp_path: Path, arguments: list[str]) -> None:
    code, out, error = call(wheel, tmp_path, *arguments)
    assert (code, out) == (1, "")
    assert error.count("\n") == 1 and "go to a clone of gamut's repository" in error


def test_a_folder_of_others_that_is_called_stages_is_no_project(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "stages").mkdir()
    (tmp_path / "stages" / "__init__.py").write_text("raise AssertionError('imported')\n")
    code, out, error = call(wheel, tmp_path, "check")
    assert (code, out) == (1, "") and "go to a clone" in error


def test_help_needs_no_project(wheel: Path, tmp_path: Path) -> None:
    for arguments in (["--help"], ["check", "--help"]):
        code, out, error = call(wheel, tmp_path, *arguments)
        assert (code, error) == (0, "") and "Check parameters, models and programs" in out


def test_it_finds_the_benchmarks_and_steps_of_the_folder_it_stands_in(wheel: Path, tmp_path: Path) -> None:
    (tmp_path / "gamut").symlink_to(ROOT / "gamut")
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


def test_a_project_runs_its_own_code(wheel: Path, tmp_path: Path) -> None:
    """Not that of the gamut that is installed, which may be another version."""
    for name in ("gamut", "stages"):
        shutil.copytree(ROOT / name, tmp_path / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("dvc.yaml", "params.yaml"):
        shutil.copy(ROOT / name, tmp_path / name)
    assert call(wheel, tmp_path, "pipeline", "--check")[:2] == (0, "10 files are up to date with the stages\n")
    (tmp_path / "stages/mine/helper.py").write_text("# of no step\n")
    assert call(wheel, tmp_path, "pipeline", "--check")[0] == 1, "what gathers own steps depends on the new module"
    apply_diff("filter", tmp_path)
    own = (tmp_path / f"stages/mine/{FILTER}.py").rename(tmp_path / "stages/mine/forms.py")
    told = call(wheel, tmp_path, "pipeline")
    assert told == (1, "", f"stages/mine/forms.py: its STEP is named {FILTER!r}: give it the name of its module\n")
    own.write_text(own.read_text().replace(f'"{FILTER}",', '"forms",'))
    assert call(wheel, tmp_path, "pipeline")[:2] == (0, "dvc.yaml: written\n")
    (tmp_path / "gamut/command/start.py").unlink()
    assert call(wheel, tmp_path, "pipeline", "--check")[0] == 0, "a version whose console script was another file"
