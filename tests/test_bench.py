"""Every script in bench/ runs, at a size that takes seconds: it ends well, and its last line is JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import NoReturn

import pytest

from tests.paths import ROOT

SMALLEST = {
    "asking": "--in-flight 4 --requests 16 --stub-seconds 0.02 --repeats 1 --memory-requests 100",
    "calibration": "--calibrations 2",
    "contestant": "--items 8",
    "corrected_boards": "--boards 1 --labels 50",
    "coverage": "--boards 4 --only 56",
    "estimate": f"--prompts {ROOT}/tests/data/parti/PartiPrompts.tsv --captions 3 --until estimate",
    "growth": "--rows 40 --pictures 0 --labels 2 --real 0 --rows-per-shard 20",
    "hiding": "--boards 1 --contestants 4 --items 40 --per-track 1 --ways missing noise within",
    "house": "",
    "judging_memory": "--answers 3 --kilobytes 8 --in-flight 2 --seconds 0.01",
    "kills": "--kills 1 --until world",
    "knowledge": "--pairs 2 --draws 5",
    "loading": "--rows 20",
    "near_duplicates": "--prompts 1000",
    "newcomer": "--until check",
    "painting": "--pictures 3 --kept 12 --turns 1",
    "pictures": "50",
    "pipeline": "--texts 200 --images 20",
    "preferences": "--prompts 12",
    "publish": "--shards 1 --rows 100 --kilobytes 20 --changes first --small-shards 2 --turns 1",
    "same_pictures": "--changed 2 --among 40",
    "report": "--items 14 --contestants 2 --pictures 2 --times 1",
    "statistics": "--contestants 3 --items 70",
    "trainings": "--models 4 --steps 1 --draws 5 --kinds 2 --random",
    "validation": "--judges 1 --items 14",
}
LONGEST_FIRST = sorted((path.stem for path in ROOT.glob("bench/*.py")), key=lambda name: name != "publish")


def is_no_number(text: str) -> NoReturn:
    raise AssertionError(f"{text} is no JSON")


@pytest.mark.parametrize("name", LONGEST_FIRST)
def test_it_runs(name: str) -> None:
    command = [sys.executable, str(ROOT / f"bench/{name}.py"), *SMALLEST[name].split()]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GAMUT_")}
    with TemporaryDirectory() as folder:  # its path is short: Chromium's socket lies there
        done = subprocess.run(command, cwd=folder, env=kept | {"TMPDIR": folder}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout.splitlines()[-1], parse_constant=is_no_number)
    assert figures and isinstance(figures, dict)
