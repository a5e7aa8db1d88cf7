"""On which sides of a benchmark a contestant is put to the test."""

from __future__ import annotations

from typing import Any

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.parameters import Params


def sides_of(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> list[str]:
    """Return the sides on which a contestant is put to the test."""
    return params.contestants[contestant].sides(benchmark.name, benchmark.sides(benchmark.block(params)))
