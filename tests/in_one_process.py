"""Steps of the dataset one after the other in one process, as `dvc repro STAGE` runs all of them: starting each takes
longer than its work on a small build.

    python -m tests.in_one_process STAGE
"""

from __future__ import annotations

import contextlib
import importlib
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from gamut.pipeline.steps import module_of
from gamut.project.parameters import load
from gamut.project.validation import read_yaml
from stages.dataset.pipeline import STAGES, Params
from tests.paths import ROOT


def run(last: str, params: Params) -> None:
    """Run the steps of the build up to this one, in their order, in the folder where this process is."""
    names = [step.name for step in STAGES]
    for step in STAGES[: names.index(last) + 1]:
        if step.name == "players":  # the dataset waits for no contestant
            continue
        if step.name in ("calibrate", "statistics"):  # they look at all records, so these do not import them
            getattr(importlib.import_module(module_of(step)), step.name)(params)
        else:
            step.carry_out(params)


def build(folder: Path, **blocks: Any) -> Path:
    """Build in the embedded world up to the card, in a folder: the defaults without editions, but for these blocks."""
    values = read_yaml(ROOT / "profiles/defaults.yaml") | blocks
    values["hold_out"]["paraphrases"] = None
    (folder / "datasets/editions").mkdir(parents=True)
    (folder / "params.yaml").write_text(json.dumps(values))
    (folder / "run.toml").write_text("[models.world]\nconcurrency = 1\n")
    with contextlib.chdir(folder), pytest.MonkeyPatch.context() as surroundings:
        for name in ("GAMUT_STORE", "GAMUT_RUN", "GAMUT_ENGINE"):
            surroundings.delenv(name, raising=False)
        run("statistics", load(Params))
    return folder


if __name__ == "__main__":
    run(sys.argv[1], load(Params))
