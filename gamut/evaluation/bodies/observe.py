"""One observer that is not a judge (a detector, a reader, an embedder) looks at every answer of one contestant. For
some contestants it also looks at controls made from these answers: it should find less in them.
"""

from __future__ import annotations

import sys
from functools import partial

from gamut.asking.models.opening import identity_of
from gamut.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from gamut.evaluation.defining.cells import record_of
from gamut.evaluation.defining.parameters import STAGE_OF, Params
from gamut.evaluation.running.answers import answer_of
from gamut.evaluation.running.cells import (
    Observer,
    ask_about_answers,
    ask_about_controls,
    control_reader,
    has_checks,
    observer_visit,
)
from gamut.project.roles import RoleModel
from gamut.project.stage import main


def observe(benchmark: AnyBenchmark, role: str, params: Params, contestant: str, observer: str) -> None:
    played, block = RoleModel(role, observer, params.models[observer]), benchmark.block(params)
    who = Observer(STAGE_OF[role], played, f"{role}/{observer}", has_checks(benchmark, params, role))
    identity, answer = identity_of(played), answer_of(benchmark.answers / contestant)
    visit = observer_visit(benchmark, params, role, identity, answer)
    ask_about_answers(benchmark, params, contestant, who, visit)
    if contestant in block.controls_of and not block.judges:  # if there are judges, only they are validated
        visit = observer_visit(benchmark, params, role, identity, control_reader(benchmark, params, contestant))
        ask_about_controls(benchmark, params, contestant, who, visit)


if __name__ == "__main__":
    benchmark, role = benchmark_of(sys.argv[1]), sys.argv[2]
    stage, run = STAGE_OF[role], partial(observe, benchmark, role)
    record = record_of(benchmark, stage)
    main(f"{benchmark.name}.{stage}", run, benchmark.params, *sys.argv[3:], record=record)
