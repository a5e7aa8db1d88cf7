"""Killed at any moment, a training goes on, and what comes of it is byte for byte what comes of one left alone."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("torch")

from tests import tiny_unified
from tests.paths import ROOT

STEPS = {
    "before the first checkpoint": 6 - 1,  # the second step was not kept
    "while a state is written": 6 - 1,
    "a checkpoint is written, its state is not": 6,
    "between checkpoints": 6 - 3,
    "after the outputs": 0,
}
"""How many steps are taken after the kill: as many as had not been kept."""


def test_after_a_kill_the_same_bytes(tmp_path: Path) -> None:
    weights = tiny_unified.emu3(tmp_path / "weights")
    run = subprocess.run(
        [sys.executable, "-m", "tests.training.killed", tmp_path, weights],
        cwd=ROOT,
        capture_output=True,
        text=True,
        env=os.environ | {"OMP_NUM_THREADS": "1"},
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    alone = found.pop("nowhere")
    assert (alone["first"], alone["left"]) == (6, 0)
    assert {place: one["first"] for place, one in found.items()} == dict.fromkeys(STEPS, -9)
    assert {place: one["steps"] for place, one in found.items()} == STEPS
    for place, one in found.items():
        assert one["bytes"] == alone["bytes"], place
