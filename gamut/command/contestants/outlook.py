"""Where new contestants are measured, and whether their folders hold the answers."""

from __future__ import annotations

import re
from collections.abc import Sequence

from gamut.asking.limits import MOST_NAMED
from gamut.asking.models.folder.answers import unmatched_entries
from gamut.asking.models.opening import identity_of
from gamut.asking.requests import Chat, Create, Paint
from gamut.command.contestants.blocks import NewContestant
from gamut.command.left_out import benchmark_items
from gamut.evaluation.bodies.answer import answering_player, answering_visit, budget_of, last_picture, shards_of
from gamut.evaluation.curating.benchmarks import NAMES, curations
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params, nameable_settings
from gamut.evaluation.defining.settings import settings_of
from gamut.evaluation.running.folder_answers import look_up_answers, missing_answers_message, require_unshared
from gamut.project.budgets import most_failures
from gamut.project.errors import UserError, in_one_line, nearest_choice
from gamut.project.pipeline import PARAMS
from gamut.project.plain_text import amount
from gamut.publish.parameters import Everything
from gamut.tables.columns import Row

Wanted = Chat | Paint | Create
"""What a contestant may be asked for."""


def settings_by_benchmark(everything: Everything, new: NewContestant, options: Sequence[str]) -> dict[str, list[str]]:
    """Return the benchmarks with their settings on which a contestant is measured: the named ones (`NAME`,
    `NAME:SETTING,SETTING`), else all that it can answer; UserError where there are none.
    """
    if not everything.benchmarks:
        raise UserError(f"{PARAMS} has no benchmark's block: profiles/laptop.yaml has an example")
    chosen: dict[str, list[str]] = {}
    for name, settings in (parse_benchmark(everything, one) for given in options for one in split_benchmarks(given)):
        chosen[name] = list(dict.fromkeys([*chosen.get(name, []), *settings]))
    settings_of_each = {}
    for name, params in everything.benchmarks.items():
        benchmark = curations()[name].benchmark
        if (chosen and name not in chosen) or (not chosen and benchmark_items(benchmark, params).missing):
            continue
        settings = chosen.get(name) or answerable_settings(benchmark, params, new)
        if chosen and not settings:
            raise UserError(f"--benchmarks {name}: {new.name} can answer nothing there: {why_nothing(new)}")
        if settings:
            settings_of_each[name] = settings
    if not settings_of_each:
        raise UserError(f"{new.name} can answer nothing of {', '.join(everything.benchmarks)}: {why_nothing(new)}")
    return settings_of_each


def why_nothing(new: NewContestant) -> str:
    if new.contents is None:
        return f"no item is put to class {new.block['class']}"
    path = new.contents.shown
    return f"{path} holds nothing that is called as its items are, and no list of their prompts (docs/contestants.md)"


def split_benchmarks(option: str) -> list[str]:
    return re.split(r",(?=[^,:]*:)", option) if ":" in option else option.split(",")


def parse_benchmark(everything: Everything, option: str) -> tuple[str, list[str]]:
    name, _, of = option.partition(":")
    if name not in NAMES:
        raise UserError(f"--benchmarks: there is no benchmark {name!r}{nearest_choice(name, NAMES)}")
    benchmark = curations()[name].benchmark
    block = benchmark.block(everything.benchmark(name))
    settings = [setting for setting in of.split(",") if setting]
    known = nameable_settings(benchmark.settings(block), benchmark.other_settings)
    for setting in settings:
        if setting not in known:
            raise UserError(f"--benchmarks {name}: there is no setting {setting!r}{nearest_choice(setting, known)}")
    return name, settings


def answerable_settings(benchmark: AnyBenchmark, params: Params, new: NewContestant) -> list[str]:
    """Return the settings that a contestant can answer: by its class, and of a folder those of which it holds any
    answer, as a folder of several settings, or else of one.
    """
    block = benchmark.block(params)
    measured = [setting for setting in benchmark.settings(block) if setting not in block.rewritten_settings]
    rows = rows_of(benchmark, with_settings(params, new, benchmark.name, measured), new.name)
    asked = {row["setting"] for row in rows}
    settings = [setting for setting in measured if setting in asked]
    if new.contents is None:
        return settings
    answered = {row["setting"] for row in answered_rows(benchmark, params, new, settings)}
    with_answers = [setting for setting in settings if setting in answered]
    if with_answers:  # of one setting alone they would be called otherwise
        return with_answers if answered_rows(benchmark, params, new, with_answers) else settings
    return next(([setting] for setting in settings if answered_rows(benchmark, params, new, [setting])), [])


def with_settings(params: Params, new: NewContestant, benchmark: str, settings: Sequence[str]) -> Params:
    one = params.contestants[new.name].model_copy(update={"settings": {benchmark: list(settings)}})
    return params.model_copy(update={"contestants": {**params.contestants, new.name: one}})


def answered_rows(benchmark: AnyBenchmark, params: Params, new: NewContestant, settings: Sequence[str]) -> list[Row]:
    answers = answers_in_folder(benchmark, with_settings(params, new, benchmark.name, settings), new)
    return [row for row, _, why in answers if not why]


def rows_of(benchmark: AnyBenchmark, params: Params, contestant: str) -> list[Row]:
    return [row for rows in shards_of(benchmark, params, contestant, benchmark.items(params)).values() for row in rows]


def answers_in_folder(benchmark: AnyBenchmark, params: Params, new: NewContestant) -> list[tuple[Row, Wanted, str]]:
    """Each row that is asked, its request, and why the folder has no answer to it ("" where it has one)."""
    assert new.contents is not None
    items = benchmark.items(params)
    id, by_id = (
        identity_of(answering_player(benchmark, params, new.name, items))["id"],
        {str(one.id): one for one in items},
    )
    visit = answering_visit(benchmark, params, by_id, id, lambda item, setting: None, last_picture)
    return list(look_up_answers(new.contents, visit, rows_of(benchmark, params, new.name)))


def require_answers(everything: Everything, new: NewContestant) -> list[str]:
    if new.contents is None:
        return []
    records_asked, places_used = set[str](), set[str]()
    for name, params in everything.benchmarks.items():
        benchmark = curations()[name].benchmark
        settings = settings_of(benchmark, params, new.name) if new.name in benchmark.contestants(params) else []
        rewritten = {*settings} & {*benchmark.block(params).rewritten_settings}
        if not settings or rewritten or benchmark_items(benchmark, params).missing:
            continue
        answers, allowed = answers_in_folder(benchmark, params, new), budget_of(benchmark, params, new.name)
        total = len(rows_of(benchmark, params, new.name))
        missing = [(row, why) for row, _, why in answers if why]
        if len(missing) > most_failures(allowed, total):
            said = missing_answers_message(new.contents.shown, missing, total, allowed)
            mend = f"`--max-failures {len(missing)}`, or name other --benchmarks"
            raise UserError(f"{name}: {said}. Put them there, or let them be missing by {mend}")
        records = {row["record"] for row, _, _ in answers}
        require_unshared(new.contents, records)
        records_asked.update(records)
        places_used.update(one.where for _, request, _ in answers for one in new.contents.found(request))
    unused = [one.where for one in new.contents.lists.lines if one.where not in places_used]
    surplus = unmatched_entries(new.contents.shown, records_asked) + unused
    if not surplus:
        return []
    named = ", ".join(map(in_one_line, surplus[:MOST_NAMED])) + (", …" if len(surplus) > MOST_NAMED else "")
    answer = amount(len(surplus), "file or line answers", "files or lines answer")
    return [f"{new.contents.shown}: {answer} nothing that is asked: {named}"]
