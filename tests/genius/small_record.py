"""A record of GENIUS with one side, as far as scores depend on it, and its parameters."""

from __future__ import annotations

from pathlib import Path

from stages.evaluation.defining import parameters
from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import BenchmarkParameters
from stages.genius.shared.items import TASKS, GeniusItem
from stages.genius.shared.judging import inquiries, posed
from stages.genius.shared.putting import put
from stages.genius.views import MEASURES, of_side
from stages.project.parameters import check
from tests import fakes

SIDE = "interleaved"
VALUES = {
    "edition": "v1",
    "judges": ["world"],
    "repeats": 3,
    "controls_of": [],
    "judge": {"max_failures": 0},
    "answer": {"width": 128, "height": 128, "max_failures": 0},
}
BLOCK = BenchmarkParameters.model_validate(VALUES)


class Params(parameters.Params):
    genius: BenchmarkParameters


RECORD: Benchmark[BenchmarkParameters, GeniusItem] = Benchmark(
    name="genius",
    title="GENIUS",
    params=Params,
    item=GeniusItem,
    sides=lambda block: [SIDE],
    put=put,
    strata=TASKS,
    stratum=lambda item: item.task,
    groups=lambda item: item.groups,
    measures=MEASURES,
    inquiries=inquiries,
    posed=posed,
    views=lambda block: [of_side(SIDE)],
)


def params_of() -> Params:
    return check(Params, fakes.values(genius=VALUES, contestants=fakes.two_contestants()), Path("params.yaml"))
