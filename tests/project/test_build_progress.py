"""How far a build is: counted by its stages while dvc runs, and said nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamut.project import build_progress
from gamut.project.build_progress import ended, progress, started

PIPELINE = """
stages:
  a: {cmd: x, deps: [datasets/in], outs: [datasets/a]}
  b: {cmd: x, deps: [datasets/a/part], outs: [datasets/b/whole]}
  c: {cmd: x, deps: [datasets/b], metrics: [{metrics/c.json: {cache: false}}]}
  d: {cmd: x, deps: ["datasets/${one}"], outs: [datasets/d]}
"""
LOCK = "schema: '2.0'\nstages:\n  a:\n    cmd: x\n  b:\n    cmd: x\n  c:\n    cmd: x\n"


@pytest.fixture
def building(project: Path) -> Path:
    """A project in which dvc is process 7; the stage d never ran."""
    for path, content in {"dvc.yaml": PIPELINE, "dvc.lock": LOCK, "params.yaml": "one: other\n"}.items():
        (project / path).write_text(content)
    (project / ".dvc/tmp").mkdir(parents=True)
    by_dvc(7)
    return project


def by_dvc(pid: int) -> None:
    build_progress.RUNNING.write_text(json.dumps({"write": {"/x": {"pid": pid, "cmd": "dvc repro"}}, "read": {}}))


@pytest.mark.usefixtures("building")
def test_cells_are_counted_and_the_time_left_is_that_of_their_last_run() -> None:
    # b is followed by c; d never ran
    assert started("b") == "cell 1 of 3"
    ended("b", 120)
    assert started("c") == "cell 2 of 3, about 4 min left"  # c and d, 120 s each, as b took
    ended("c", 30)
    assert started("d") == "cell 3 of 3, about 1 min left"  # 75 s
    ended("d", 10)
    by_dvc(8)
    assert started("a") == "cell 1 of 4, about 4 min left"  # (160 / 3 + 120 + 30 + 10) / 60; no lock has d yet
    assert progress()["began"] > 0


def test_outside_of_dvc_nothing_is_counted(building: Path) -> None:
    build_progress.RUNNING.write_text("{}")
    assert started("a") is None
    ended("a", 1)
    build_progress.RUNNING.unlink()
    assert started("a") is None and progress() == {}


def test_what_is_damaged_stops_no_stage(building: Path) -> None:
    build_progress.PLACE.write_text("{")
    assert started("b") == "cell 1 of 3"
    (building / "dvc.yaml").write_text("stages: 1")
    by_dvc(9)
    assert started("b") is None
    build_progress.PLACE.write_text('{"run": 9, "started": 5}')
    assert started("b") is None
    ended("b", 2)
