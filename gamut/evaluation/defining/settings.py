"""In which settings of a benchmark a contestant is tested, and who rewrites prompts for some of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import usable_items
from gamut.evaluation.defining.parameters import (
    BY_ITSELF,
    DESCRIBED,
    DESCRIBERS,
    REWRITTEN,
    BenchmarkParameters,
    Contestant,
    Params,
    writer_of,
)
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.questions import Prompt
from gamut.project.roles import RoleModel


def settings_of(benchmark: AnyBenchmark, params: Params, contestant: str) -> list[str]:
    """Return a contestant's settings; `by_itself` only where it rewrites prompts."""
    block = benchmark.block(params)
    settings = params.contestants[contestant].settings_in(benchmark.name, benchmark.settings(block))
    without = [
        setting for setting in block.rewritten_settings if rewriter_of(setting, contestant) not in block.all_rewriters
    ]
    return [setting for setting in settings if setting not in without]


def samples_of(benchmark: AnyBenchmark, params: Params, contestant: str) -> int:
    asked = benchmark.block(params).answer.samples
    return min(asked, params.contestants[contestant].samples.get(benchmark.name, asked))


def can_answer(contestant: Contestant, prompt: Prompt) -> bool:
    """Whether a contestant can do the task of a prompt, with the given pictures."""
    if contestant.paints_from_words and "image" in prompt.modalities and prompt.has_pictures:
        return False
    return prompt.tasks <= contestant.abilities


def prompts_in(
    benchmark: AnyBenchmark, block: BenchmarkParameters, items: Sequence[Any], settings: Sequence[str]
) -> Iterator[tuple[Any, str, Prompt]]:
    """Yield the prompt of each usable item in each of its settings, with stand-ins for pictures."""
    for item, setting in benchmark.prompts(usable_items(items), settings):
        yield item, setting, benchmark.prompt(block, item, setting, stand_ins(item))


def off_task_answers(
    benchmark: AnyBenchmark, params: Params, contestant: str, items: Sequence[Any]
) -> set[tuple[str, str]]:
    """Return the items, by id, and settings that are asked only of contestants with other tasks."""
    one, settings = params.contestants[contestant], settings_of(benchmark, params, contestant)
    put = prompts_in(benchmark, benchmark.block(params), items, settings)
    return {(str(item.id), setting) for item, setting, prompt in put if not can_answer(one, prompt)}


def rewriter_of(setting: str, contestant: str) -> str:
    if setting == BY_ITSELF:
        return f"contestants.{contestant}"
    if setting.startswith(DESCRIBED):
        return f"{DESCRIBERS}.{setting.removeprefix(DESCRIBED)}"
    return f"models.{setting.removeprefix(REWRITTEN)}"


def cell_of(rewriter: str) -> tuple[str, str]:
    group, slug = rewriter.split(".")
    return ("describe", slug) if group == DESCRIBERS else ("rewrite", rewriter)


def played_rewriter(params: Params, rewriter: str) -> RoleModel:
    group, slug = rewriter.split(".")
    if group in ("models", DESCRIBERS):
        return RoleModel("writer", slug, params.models[slug])
    writer = writer_of(slug, params.contestants[slug])
    assert writer is not None  # params.yaml allows no other
    return writer
