"""Stages of the dataset one after the other in one process, as `dvc repro STAGE` runs all of them: starting each takes
longer than its work on a small build.

    python -m tests.in_one_process STAGE
"""

from __future__ import annotations

import importlib
import sys

from stages.dataset.shared.parameters import Params
from stages.project.parameters import load
from stages.project.pipeline import OF_THE_DATASET, PIPELINE
from stages.project.validation import read_yaml
from tests.paths import ROOT


def run(last: str, params: Params) -> None:
    """Run the stages of the build up to this one, in their order, in the folder where this process is."""
    for name in stages_until(last):
        getattr(importlib.import_module(f"stages.dataset.{name}"), name)(params)


def stages_until(last: str) -> list[str]:
    """The names of the build's stages up to this one; those that hold out stand before the release."""
    around, within = (list(read_yaml(ROOT / file)["stages"]) for file in (PIPELINE, OF_THE_DATASET))
    release = around.index("release")
    names = [*around[:release], *within, *around[release:]]
    return names[: names.index(last) + 1]


if __name__ == "__main__":
    run(sys.argv[1], load(Params))
