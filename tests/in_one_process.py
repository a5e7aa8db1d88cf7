"""Stages of the dataset one after the other in one process, as `dvc repro STAGE` runs all of them: starting each takes
longer than its work on a small build.

    python -m tests.in_one_process STAGE
"""

from __future__ import annotations

import importlib
import sys

from stages.dataset.shared.parameters import Params
from stages.project.parameters import load
from stages.project.validation import read_yaml
from tests.paths import ROOT


def run(last: str, params: Params) -> None:
    """Run the stages of dvc.yaml up to this one, in its order, in the folder where this process is."""
    for name in stages_until(last):
        getattr(importlib.import_module(f"stages.dataset.{name}"), name)(params)


def stages_until(last: str) -> list[str]:
    """The names of the stages of dvc.yaml up to this one."""
    names = list(read_yaml(ROOT / "dvc.yaml")["stages"])
    return names[: names.index(last) + 1]


if __name__ == "__main__":
    run(sys.argv[1], load(Params))
