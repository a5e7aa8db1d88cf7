"""Steps of the dataset one after the other in one process, as `dvc repro STAGE` runs all of them: starting each takes
longer than its work on a small build.

    python -m tests.in_one_process STAGE
"""

from __future__ import annotations

import importlib
import sys

from gamut.pipeline.steps import module_of
from gamut.project.parameters import load
from stages.dataset.pipeline import STAGES, Params


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


if __name__ == "__main__":
    run(sys.argv[1], load(Params))
