from __future__ import annotations

import signal
from pathlib import Path

import pytest

from tests.end_to_end.kills import killed_after, killed_writing, make_run, run_until
from tests.end_to_end.project import Project, clone, copy_of

LONGEST = 6.0
SEEDS = (3, 10)
"""After 1.4 and 3.4 seconds."""
AIMED_SEEDS = (20, 9, 6)
"""When 0.9 of dvc.lock is written, when rwlock is emptied, and before a run is noted."""


@pytest.fixture(scope="session")
def twins(tmp_path_factory: pytest.TempPathFactory) -> tuple[Project, Project]:
    """Two clones with the embedded world, built at the same time, each from nothing. Not to be changed.

    The second is killed five times on its way and goes on by `make run` alone: in the middle of DVC's own writes, which
    it refused to start after, and after some seconds.
    """
    first, second = (clone(tmp_path_factory.mktemp(name)) for name in ("first", "second"))
    running = first.start(*make_run(first))
    moments = [killed_after(seed, LONGEST) for seed in SEEDS] + [killed_writing(seed) for seed in AIMED_SEEDS]
    assert [run_until(second, kill).returncode for kill in moments] == [-signal.SIGKILL] * len(moments)
    second.run(*make_run(second))
    out, errors = running.communicate()
    assert running.returncode == 0, out + errors
    for project in (first, second):
        project.commit()
    return first, second


@pytest.fixture
def built(twins: tuple[Project, Project], tmp_path: Path) -> Project:
    """A copy of a built clone, for a test to change."""
    return copy_of(twins[0], tmp_path / "built")
