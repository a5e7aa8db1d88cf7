"""A project of one's own: the wheel, `gamut init`, stages of what is installed, another version, `gamut upgrade`."""

from __future__ import annotations

import json
from pathlib import Path
from zipfile import ZipFile

import pytest

from stages.command.projects import packaged
from stages.project.installed_code import version
from tests import wheel
from tests.paths import ROOT

pytest.importorskip("hatchling")


def test_an_upgrade_runs_again_what_its_code_changed(tmp_path: Path) -> None:
    built = wheel.build(tmp_path / "wheel")
    into = f"{packaged.WHEEL.relative_to(ROOT)}/"
    names = [name.removeprefix(into) for name in ZipFile(built).namelist() if name.startswith(into)]
    assert sorted(names) == list(packaged.listed(ROOT))
    assert not [name for name in ZipFile(built).namelist() if name.endswith(("dvc.lock", ".pyc"))]

    site = tmp_path / "site"
    (tmp_path / "project").mkdir()
    project = wheel.installed_apart(built, site, tmp_path / "project")
    project.run("gamut", "init", ".")
    project.commit()
    assert not project.run("git", "status", "--porcelain", "--ignored").stdout
    project.run("python", "-m", "dvc", "repro", "world")

    module = site / "stages/dataset/world.py"
    module.write_text(module.read_text() + "# another version\n")
    refused = project.run("python", "-m", "stages.dataset.world", check=False)
    assert (refused.returncode, refused.stderr) == (
        1,
        f"world: stages/dataset/world.py: this project records other code than that of gamut {version()}, which is "
        "installed: `gamut upgrade` takes it over\n",
    )
    told = project.run("gamut", "upgrade").stdout.splitlines()
    assert told[:2] == [f"gamut {version()}, as gamut.lock says", "brought up to date: stages/dataset/world.py"]
    status = project.run("python", "-m", "dvc", "status", "--json", "world").stdout
    changed = {"changed deps": {"stages/dataset/world.py": "modified"}}
    assert json.loads(status) == {"world": [changed]}
    project.run("python", "-m", "stages.dataset.world")
