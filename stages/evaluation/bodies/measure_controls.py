"""Rules look at controls, made of one contestant's answers."""

from __future__ import annotations

import sys
from functools import partial

from stages.evaluation.bodies.judge_controls import CONTROL_SCHEMA, control_of, control_shards, of_control
from stages.evaluation.bodies.measure import write_measured
from stages.evaluation.bodies.observe import look, looked_at
from stages.evaluation.defining.benchmark import AnyBenchmark, benchmark_of
from stages.evaluation.defining.parameters import RULES, Params
from stages.evaluation.running.spec import OF_RULES
from stages.project.stage import main


def measure_controls(benchmark: AnyBenchmark, params: Params, contestant: str) -> None:
    concerned = looked_at(benchmark, params, RULES)
    drawn = control_shards(benchmark, params, contestant)
    records = {shard: filter(concerned, rows) for shard, rows in drawn.items()}
    visit = of_control(look(benchmark, params, RULES, OF_RULES, control_of(benchmark, params, contestant)))
    write_measured(
        f"{benchmark.name}.measure_controls@{contestant}",
        records,
        visit,
        CONTROL_SCHEMA,
        benchmark.controls / contestant / RULES,
    )


if __name__ == "__main__":
    benchmark = benchmark_of(sys.argv[1])
    main(f"{benchmark.name}.measure_controls", partial(measure_controls, benchmark), benchmark.params, *sys.argv[2:])
