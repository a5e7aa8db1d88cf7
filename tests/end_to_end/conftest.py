from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.end_to_end.project import Project, clone


@pytest.fixture(scope="session")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Project]:
    """Two clones with the embedded world, built at the same time, each from nothing. Not to be changed."""
    first, second = (clone(tmp_path_factory.mktemp(name)) for name in ("first", "second"))
    running = second.start("dvc", "repro")
    first.run("dvc", "repro")
    _, errors = running.communicate()
    assert running.returncode == 0, errors
    for project in (first, second):
        project.commit()
    return first, second


@pytest.fixture
def built(twins: tuple[Project, Project], tmp_path: Path) -> Project:
    """A copy of a built clone, for a test to change."""
    folder = tmp_path / "built"
    shutil.copytree(twins[0].folder, folder, symlinks=True)
    return Project(folder, twins[0].environment | {"PYTHONPATH": str(folder)})
