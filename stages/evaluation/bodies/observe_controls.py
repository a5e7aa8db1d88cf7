"""One observer that is no judge looks at controls, made of one contestant's answers: it should find less in them."""

from __future__ import annotations

import sys
from functools import partial

from stages.asking.models.opening import identity_of
from stages.evaluation.bodies.judge_controls import ask_about, control_of, control_shards
from stages.evaluation.bodies.observe import look, looked_at
from stages.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from stages.evaluation.defining.parameters import STAGE_OF, Params
from stages.project.roles import RoleModel
from stages.project.stage import main


def observe_controls(benchmark: AnyBenchmark, role: str, params: Params, contestant: str, observer: str) -> None:
    drawn, concerned = control_shards(benchmark, params, contestant), looked_at(benchmark, params, role)
    shards = {shard: [*filter(concerned, rows)] for shard, rows in drawn.items()}
    played = RoleModel(role, observer, params.models[observer])
    visit = look(benchmark, params, role, identity_of(played), control_of(benchmark, params, contestant))
    stage, place = f"{STAGE_OF[role]}_controls@{contestant}-{observer}", f"{contestant}/{role}/{observer}"
    ask_about(benchmark, params, stage, played, shards, visit, place)


if __name__ == "__main__":
    benchmark, role = benchmark_of(sys.argv[1]), sys.argv[2]
    run = partial(observe_controls, benchmark, role)
    main(f"{benchmark.name}.{STAGE_OF[role]}_controls", run, benchmark.params, *sys.argv[3:])
