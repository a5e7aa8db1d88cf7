"""GENIUS with one side and three runs of its judge, and its parameters."""

from __future__ import annotations

from pathlib import Path

from stages.genius.shared.benchmark import GENIUS
from stages.genius.shared.parameters import Genius, Params
from stages.project.parameters import check
from tests import fakes

RECORD, SIDE = GENIUS, "interleaved"
VALUES = {
    "edition": "v1",
    "judges": ["world"],
    "repeats": 3,
    "controls_of": [],
    "sides": [SIDE],
    "judge": {"max_failures": 0},
    "answer": {"width": 128, "height": 128, "max_failures": 0},
    "propose": {
        "editions": [],
        "pool": "stages/genius/construction/pools/scenes.yaml",
        "cases": 1,
        "similarity": 0.8,
        "author": "world",
        "checker": "world",
        "pictures": "datasets/genius/pictures",
        "width": 128,
        "height": 128,
        "max_failures": 0,
    },
}
BLOCK = Genius.model_validate(VALUES)


def params_of() -> Params:
    return check(Params, fakes.values(genius=VALUES, contestants=fakes.two_contestants()), Path("params.yaml"))
