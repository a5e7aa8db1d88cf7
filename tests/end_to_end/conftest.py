from __future__ import annotations

from pathlib import Path

import pytest

from tests.end_to_end.project import Project, build_both, clone, copy_of


@pytest.fixture(scope="session")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Project]:
    """Two clones with the embedded world, built at the same time, each from nothing. Not to be changed."""
    first, second = (clone(tmp_path_factory.mktemp(name)) for name in ("first", "second"))
    build_both(first, second)
    for project in (first, second):
        project.commit()
    return first, second


@pytest.fixture
def built(twins: tuple[Project, Project], tmp_path: Path) -> Project:
    """A copy of a built clone, for a test to change."""
    return copy_of(twins[0], tmp_path / "built")
