"""On which sides of a benchmark a contestant is put to the test, and who rewrites prompts for some of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import usable
from gamut.evaluation.defining.inquiries import Put
from gamut.evaluation.defining.parameters import (
    BY_ITSELF,
    DESCRIBED,
    DESCRIBERS,
    REWRITTEN,
    Contestant,
    Params,
    writer_of,
)
from gamut.evaluation.defining.pictures import stand_ins
from gamut.project.roles import RoleModel


def sides_of(benchmark: AnyBenchmark, params: Params, contestant: str) -> list[str]:
    """Return the sides on which a contestant is put to the test: to prompts that it rewrote itself where it does so."""
    block = benchmark.block(params)
    sides = params.contestants[contestant].sides_in(benchmark.name, benchmark.sides(block))
    without = [side for side in block.rewritten_sides if rewriter_on(side, contestant) not in block.all_rewriters]
    return [side for side in sides if side not in without]


def can(contestant: Contestant, put: Put) -> bool:
    """Return whether a contestant is put to this: it does such a task, and class generation paints from words alone."""
    return put.tasks <= contestant.does and not (contestant.class_ == "generation" and put.has_pictures)


def off_task(benchmark: AnyBenchmark, params: Params, contestant: str, items: Sequence[Any]) -> set[tuple[str, str]]:
    """Return the items, by id, and sides that are put to others, and not to a contestant that does not do such a
    task.
    """
    one, sides = params.contestants[contestant], sides_of(benchmark, params, contestant)
    return {
        (str(item.id), side)
        for item, side in benchmark.puts(usable(items), sides)
        if not can(one, benchmark.put(benchmark.block(params), item, side, stand_ins(item)))
    }


def rewriter_on(side: str, contestant: str) -> str:
    if side == BY_ITSELF:
        return f"contestants.{contestant}"
    if side.startswith(DESCRIBED):
        return f"{DESCRIBERS}.{side.removeprefix(DESCRIBED)}"
    return f"models.{side.removeprefix(REWRITTEN)}"


def cell_of(rewriter: str) -> tuple[str, str]:
    group, slug = rewriter.split(".")
    return ("describe", slug) if group == DESCRIBERS else ("rewrite", rewriter)


def played_rewriter(params: Params, rewriter: str) -> RoleModel:
    group, slug = rewriter.split(".")
    if group in ("models", DESCRIBERS):
        return RoleModel("writer", slug, params.models[slug])
    writer = writer_of(slug, params.contestants[slug])
    assert writer is not None  # params.yaml names no other
    return writer
