"""One observer that is no judge (a detector, a reader, an embedder) looks at every answer of one contestant, and of
some contestants at controls that are made of these: it should find less in them.
"""

from __future__ import annotations

import sys
from functools import partial

from stages.asking.models.opening import identity_of
from stages.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from stages.evaluation.defining.cells import record_of
from stages.evaluation.defining.parameters import STAGE_OF, Params
from stages.evaluation.running.answers import answer_of
from stages.evaluation.running.cells import ask_about_answers, ask_about_controls, control_of
from stages.evaluation.running.looking import look, looked_at
from stages.project.roles import RoleModel
from stages.project.stage import main


def observe(benchmark: AnyBenchmark, role: str, params: Params, contestant: str, observer: str) -> None:
    observe_answers(benchmark, role, params, contestant, observer)
    block = benchmark.block(params)
    if contestant in block.controls_of and not block.judges:  # beside judges it is these who are tried
        observe_controls(benchmark, role, params, contestant, observer)


def observe_answers(benchmark: AnyBenchmark, role: str, params: Params, contestant: str, observer: str) -> None:
    played, at = RoleModel(role, observer, params.models[observer]), f"{role}/{observer}"
    visit = look(benchmark, params, role, identity_of(played), answer_of(benchmark.answers / contestant))
    concerned = looked_at(benchmark, params, role)
    ask_about_answers(benchmark, params, STAGE_OF[role], played, contestant, at, visit, concerned)


def observe_controls(benchmark: AnyBenchmark, role: str, params: Params, contestant: str, observer: str) -> None:
    played, at = RoleModel(role, observer, params.models[observer]), f"{role}/{observer}"
    visit = look(benchmark, params, role, identity_of(played), control_of(benchmark, params, contestant))
    concerned = looked_at(benchmark, params, role)
    ask_about_controls(benchmark, params, STAGE_OF[role], played, contestant, at, visit, concerned)


if __name__ == "__main__":
    benchmark, role = benchmark_of(sys.argv[1]), sys.argv[2]
    stage, run = STAGE_OF[role], partial(observe, benchmark, role)
    record = record_of(benchmark, stage)
    main(f"{benchmark.name}.{stage}", run, benchmark.params, *sys.argv[3:], record=record)
