"""Specs that parameters give, without anybody being asked."""

from __future__ import annotations

from typing import Any

from gamut.evaluation.bodies import answer
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.editions import usable_items
from gamut.evaluation.scoring.specs import expected_specs, merge_specs, scoring_spec


def specs_of(benchmark: Benchmark[Any, Any], params: Any, setting: str, judge: str) -> dict[tuple[str, str], str]:
    """Those of the scores of one setting by a judge, by item and measure."""
    rewriting = {"prompt": "said clearly"} if setting in benchmark.block(params).rewritten_settings else None
    found = {}
    for item in usable_items(benchmark.items(params)):
        given = answer.given_spec(benchmark, params, item, setting, rewriting)
        for measure, asked in expected_specs(benchmark, params, item, setting, judge).items():
            made_of = merge_specs(frozenset([given, *asked]))
            samples = benchmark.block(params).answer.samples
            found[str(item.id), measure] = (
                f"{made_of} {scoring_spec(benchmark, params, item, setting, measure, samples)}"
            )
    return found
