"""How far a build is: counted by its stages while dvc runs, and said nowhere else."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from gamut.project import build_progress
from gamut.project.build_progress import note_end, note_start, read_progress

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
    assert note_start("b") == "cell 1 of 3"
    note_end("b", 120)
    assert note_start("c") == "cell 2 of 3, about 4 min left"  # c and d, 120 s each, as b took
    note_end("c", 30)
    assert note_start("d") == "cell 3 of 3, about 1 min left"  # 75 s
    note_end("d", 10)
    by_dvc(8)
    assert note_start("a") == "cell 1 of 4, about 4 min left"  # (160 / 3 + 120 + 30 + 10) / 60; no lock has d yet
    assert read_progress()["began"] > 0


def test_outside_of_dvc_nothing_is_counted(building: Path) -> None:
    build_progress.RUNNING.write_text("{}")
    assert note_start("a") is None
    note_end("a", 1)
    build_progress.RUNNING.unlink()
    assert note_start("a") is None and read_progress() == {}


def test_what_is_damaged_stops_no_stage(building: Path) -> None:
    build_progress.PLACE.write_text("{")
    assert note_start("b") == "cell 1 of 3"
    (building / "dvc.yaml").write_text("stages: 1")
    by_dvc(9)
    assert note_start("b") is None
    build_progress.PLACE.write_text('{"run": 9, "started": 5}')
    assert note_start("b") is None
    note_end("b", 2)
