from __future__ import annotations

import os
import signal
import traceback
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from tests.end_to_end.kills import killed_writing, make_run, run_until
from tests.end_to_end.project import Project, clone, copy_of, opened, with_contestants

AIMED_SEEDS = (20, 9)
"""When 0.9 of dvc.lock is written, and when rwlock is emptied."""
ORDER = ("test_build", "test_ray", "test_parti", "test_publishing_circle", "test_over_http", "test_second_benchmark")
"""Modules that begin: the first makes the `twins`, the next need none, then the longest."""


SECONDS = 900
"""For one test, with the builds that it makes or waits for, where others use the machine too."""


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    places = {name: place for place, name in enumerate(ORDER)}
    here = [place for place, item in enumerate(items) if item.path.parent == Path(__file__).parent]
    ordered = sorted((items[place] for place in here), key=lambda item: places.get(item.path.stem, len(ORDER)))
    for place, item in zip(here, ordered, strict=True):
        item.add_marker(pytest.mark.timeout(SECONDS))
        items[place] = item


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """A folder for all processes of this test run: the first that wants it makes it, the others wait for it."""
    base = factory.getbasetemp()
    folder = (base.parent if "PYTEST_XDIST_WORKER" in os.environ else base) / f"once-{name}"
    made, failed = folder / ".made", folder / ".failed"
    with FileLock(f"{folder}.lock"):
        if not folder.exists():
            folder.mkdir()
            try:
                make(folder)
                made.touch()
            except BaseException:
                failed.write_text(traceback.format_exc())
                raise
        if not made.exists():
            raise AssertionError(failed.read_text() if failed.exists() else f"{folder}: whoever made it was killed")
    return folder


def make_twins(folder: Path) -> None:
    projects = []
    for name in ("first", "second"):
        (folder / name).mkdir()
        project = clone(folder / name)
        project.edit(with_contestants)
        project.commit()
        projects.append(project)
    first, second = projects
    running = first.start(*make_run(first))
    moments = [killed_writing(seed) for seed in AIMED_SEEDS]
    try:
        assert [run_until(second, kill, "release").returncode for kill in moments] == [-signal.SIGKILL] * len(moments)
        second.run(*make_run(second, "release"))
    except BaseException:
        os.killpg(running.pid, signal.SIGKILL)
        raise
    out, errors = running.communicate()
    assert running.returncode == 0, out + errors
    for project in projects:
        project.commit()


@pytest.fixture(scope="session")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Project]:
    """Two clones with the embedded world and two contestants, built at the same time from nothing. Not to be changed.

    The second is built up to the release. It is killed twice on its way and goes on by `make run` alone: in the middle
    of DVC's own writes, after which it refused to start.
    """
    folder = made_once(tmp_path_factory, "twins", make_twins)
    return opened(folder / "first"), opened(folder / "second")


@pytest.fixture
def built(twins: tuple[Project, Project], tmp_path: Path) -> Project:
    """A copy of a built clone, for a test to change."""
    return copy_of(twins[0], tmp_path / "built")
