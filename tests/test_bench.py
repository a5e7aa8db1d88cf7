"""Every script in bench/ runs, at a size that takes seconds: it ends well, and its last line is JSON."""

from __future__ import annotations

import json
import os
import runpy
import subprocess
import sys
from tempfile import TemporaryDirectory
from typing import NoReturn

import pytest

from tests.paths import ROOT

SMALLEST = {
    "asking": "--in-flight 4 --requests 16 --stub-seconds 0.02 --repeats 1 --memory-requests 100",
    "audit": "--rows 300 --items 20 --pictures 2 --prompts 20 --embedders tfidf",
    "blanks": "--boards 1 --calibrations 2",
    "calibration": "--calibrations 2",
    "corrected_boards": "--boards 1 --labels 50",
    "corrected_joint": "--boards 1 --labels 200",
    "corrected_scores": "--boards 4",
    "coverage": "--boards 4 --only 56",
    "gap_cases": "--cases 5 --read 1",
    "gap_copies": "--scenes 1 --side 128",
    "gap_coupling": "--items 3 --samples 2 --judged 1",
    "gap_coverage": "--models 1 --chains 1 --points 1 --boards 1",
    "gap_released": "--models 1 --steps 2000",
    "gapeval": "--contestants 3 --items 24 --samples 2 --boards 2",
    "genius_cases": "--cases 2 --many 6 --painted 1",
    "gir": "--pictures 2 --side 128 --turns 1",
    "gir_answers": "--each 1",
    "gir_cases": "--sudoku 9 --proved 9 --quantity 20 --spatial 20 --jigsaw 2",
    "gir_measures": "--answers 12 --pixels 64 --features 16 --halves 5",
    "growth": "--rows 8 --until world",
    "hiding": "--boards 1 --contestants 4 --items 40 --per-track 1 --ways missing noise within",
    "hostile_hub": "--most 1",
    "judging": "--geometry tiny --kinds transformers --pixels 56 --questions 3 --read 20 --written 8",
    "judging_memory": "--answers 3 --kilobytes 8 --in-flight 2 --seconds 0.01",
    "kills": "--kills 1 --until world",
    "near_duplicates": "--prompts 1000",
    "newcomer": "--where clone --until check",
    "painting": "--tiny --side 64 --steps 2 --pictures 1 --ways plain",
    "pictures": "50",
    "pipeline": "--texts 200 --images 20",
    "publish": "--shards 1 --rows 100 --kilobytes 20 --changes first --small-shards 2 --turns 1",
    "report": "--items 14 --contestants 2 --pictures 2 --times 1",
    "report_rows": "--rows 10",
    "reported": "--reported 12 --items 84",
    "representatives": "--captions 200 --clusters 5",
    "smaller_pictures": "--pictures 2 --sides 512",
    "statistics": "--contestants 3 --items 70",
    "trials": "--judges 1 --items 14",
    "variance_components": "--boards 5",
    "wheel": "--until world",
}
IN_PROCESS = ("judging", "painting")
"""Those whose models are networks in this process, of the extra models."""
LONGEST_FIRST = sorted((path.stem for path in ROOT.glob("bench/*.py")), key=lambda name: name != "publish")


def is_no_number(text: str) -> NoReturn:
    raise AssertionError(f"{text} is no JSON")


@pytest.mark.parametrize("name", LONGEST_FIRST)
def test_it_runs(name: str) -> None:
    if name in IN_PROCESS:
        pytest.importorskip("torch")
    command = [sys.executable, str(ROOT / f"bench/{name}.py"), *SMALLEST[name].split()]
    kept = {key: value for key, value in os.environ.items() if not key.startswith("GAMUT_")}
    with TemporaryDirectory() as folder:  # its path is short: Chromium's socket lies there
        done = subprocess.run(command, cwd=folder, env=kept | {"TMPDIR": folder}, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    figures = json.loads(done.stdout.splitlines()[-1], parse_constant=is_no_number)
    assert figures and isinstance(figures, dict)


def test_what_runs_tiny_runs_at_full_size(monkeypatch: pytest.MonkeyPatch) -> None:
    """Painting at FLUX.1-dev's sizes needs a GPU: the tiny pipeline is made by the same function, of the same keys."""
    monkeypatch.setattr(sys, "path", [*sys.path])  # which scripts of bench/ change
    bench = runpy.run_path(str(ROOT / "bench/painting.py"))
    full, tiny = ({part: {*of} for part, of in bench[name].items()} for name in ("FULL", "TINY"))
    assert full == tiny
    assert "shift_factor" in full["vae"]  # which is added to what is decoded, and has no default
