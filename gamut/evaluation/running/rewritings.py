"""Prompts in a rewriter's words: the request to it, one row per item, and the item with the new prompt.

A strong model, or the contestant itself, states clearly what a prompt leaves to be inferred.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from gamut.asking.material import enclose
from gamut.asking.questions import AskedQuestion
from gamut.asking.requests import Picture, fingerprint, seed_of
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.editions import Item, usable_items
from gamut.evaluation.defining.parameters import BY_ITSELF, BenchmarkParameters, Params, setting_of
from gamut.evaluation.defining.pictures import stand_ins
from gamut.evaluation.defining.settings import can_answer, rewriter_of, settings_of
from gamut.evaluation.running.answers import read_identity
from gamut.evaluation.running.placing import names_in
from gamut.project.errors import UserError
from gamut.tables.columns import ASKED, Row, table_schema
from gamut.tables.reading import read_rows

SCHEMA = table_schema("id item prompt", *ASKED)


def items_to_rewrite(benchmark: AnyBenchmark, params: Params, rewriter: str, all_items: Sequence[Item]) -> list[Item]:
    setting = setting_of(rewriter)
    items = [item for item in usable_items(all_items) if benchmark.settings_with_prompt(item, [setting])]
    if setting != BY_ITSELF:
        return items
    own = params.contestants[rewriter.partition(".")[2]]
    return [
        item
        for item in items
        if can_answer(own, benchmark.prompt(benchmark.block(params), item, setting, stand_ins(item)))
    ]


def rewriting_request(
    benchmark: AnyBenchmark, block: BenchmarkParameters, item: Item, setting: str, inputs: Sequence[Picture], seed: int
) -> AskedQuestion:
    """Return the request. A reply is asked for again if it is blank, cannot be used or loses a picture's name."""
    asked = benchmark.rewriting_on(setting)
    assert asked is not None  # else no setting has rewritten prompts
    question, fields = asked.question, asked.fields(item)

    def objection(reply: Any, fields: Mapping[str, str]) -> str | None:
        if (said := question.check(reply, fields)) is not None:
            return said
        if not reply.prompt.strip():
            return "prompt: is blank"
        try:
            benchmark.prompt(block, item.model_copy(update={"prompt": reply.prompt}), setting, stand_ins(item))
        except ValueError as error:
            return f"prompt: {error}"
        lost = sorted(names_in(fields["prompt"]) - names_in(reply.prompt))
        return f"prompt: {lost[0]} is not named any more" if lost else None

    material = enclose("input", inputs) if inputs else ()
    own = seed_of(str(item.id), seed)
    return replace(question, check=objection).about(fields, material, own)


def rewriting_row(record: Row, answer: Answer) -> Row:
    prompt = None if answer.value is None else answer.value.prompt
    return {"id": record["id"], "item": record["item"], "prompt": prompt, **answer.columns()}


def rewritings_for(benchmark: AnyBenchmark, params: Params, contestant: str) -> Callable[[str, str], Row | None]:
    """Return a look-up of rewritings by item id and setting; None if the contestant's prompts are the items' own."""
    rewritten = benchmark.block(params).rewritten_settings
    settings = {*settings_of(benchmark, params, contestant)} & {*rewritten} if rewritten else set[str]()
    folders = {setting: benchmark.rewritten / rewriter_of(setting, contestant) for setting in settings}
    rows = {setting: {row["item"]: row for row in read_rows(folder)} for setting, folder in folders.items()}

    def rewriting_of(item: str, setting: str) -> Row | None:
        if setting not in rows:
            return None
        if item not in rows[setting]:
            raise UserError(f"{folders[setting]} has no prompt for item {item!r}: run `dvc repro`")
        return rows[setting][item]

    return rewriting_of


def with_rewriting(item: Item, rewriting: Row | None) -> Item:
    return item if rewriting is None else item.model_copy(update={"prompt": rewriting["prompt"]})


def spec_of(benchmark: AnyBenchmark, setting: str) -> list[Any]:
    """Return what scores depend on if prompts are rewritten: how rewriters are asked, and which rewriter."""
    rewriting = benchmark.rewriting_on(setting)
    assert rewriting is not None
    asked = fingerprint(rewriting.question.about({"prompt": ""}).request, {})
    if setting == BY_ITSELF:
        return [asked, setting]
    return [asked, read_identity(benchmark.rewritten / rewriter_of(setting, ""))]
