"""A tiny model that writes and paints, built from nothing in a minute, so that trainings run on any machine."""

from __future__ import annotations

import sys
from pathlib import Path

from gamut.project.model_kinds import BASES
from gamut.project.stage import main
from gamut.training.tiny_base import build_base
from stages.training.parameters import Params
from stages.training.stages import BASE, TRAINING


def base(params: Params, name: str) -> None:
    build_base(Path(BASES, name), params.seed)


if __name__ == "__main__":
    main("training.base", base, Params, *sys.argv[1:], record=TRAINING.record(BASE))
