"""Where new contestants are measured, and whether their folders hold the answers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from gamut.asking.limits import NAMED
from gamut.asking.models.folder.answers import unmatched
from gamut.asking.models.opening import identity_of
from gamut.asking.requests import Chat, Create, Paint
from gamut.asking.visiting import Visit
from gamut.command.contestants.blocks import New
from gamut.command.left_out import items_of
from gamut.evaluation.bodies.answer import budget_of, last_picture, played_as, put_to_the_test, shards_of
from gamut.evaluation.curating.benchmarks import NAMES, curations
from gamut.evaluation.defining.benchmark import Benchmark
from gamut.evaluation.defining.parameters import Params, nameable
from gamut.evaluation.defining.settings import settings_of
from gamut.evaluation.running.folder_answers import lacks, looked_up, require_unshared
from gamut.project.budgets import most_failures
from gamut.project.errors import UserError, in_one_line, nearest
from gamut.project.pipeline import PARAMS
from gamut.project.plain_text import amount
from gamut.publish.parameters import Everything
from gamut.tables.columns import Row

Wanted = Chat | Paint | Create
"""What a contestant may be asked for."""


def measured_on(everything: Everything, new: New, named: Sequence[str]) -> dict[str, list[str]]:
    """Return the benchmarks with their settings on which a contestant is measured: the named ones (`NAME`,
    `NAME:SETTING,SETTING`), else all that it can answer; UserError where there are none.
    """
    if not everything.benchmarks:
        raise UserError(f"{PARAMS} has no benchmark's block: profiles/laptop.yaml has an example")
    wanted: dict[str, list[str]] = {}
    for name, settings in (read(everything, one) for given in named for one in parted(given)):
        wanted[name] = list(dict.fromkeys([*wanted.get(name, []), *settings]))
    found = {}
    for name, params in everything.benchmarks.items():
        benchmark = curations()[name].benchmark
        if (wanted and name not in wanted) or (not wanted and items_of(benchmark, params).missing):
            continue
        settings = wanted.get(name) or answerable(benchmark, params, new)
        if wanted and not settings:
            raise UserError(f"--benchmarks {name}: {new.name} can answer nothing there: {why_none(new)}")
        if settings:
            found[name] = settings
    if not found:
        raise UserError(f"{new.name} can answer nothing of {', '.join(everything.benchmarks)}: {why_none(new)}")
    return found


def why_none(new: New) -> str:
    if new.held is None:
        return f"no item is put to class {new.block['class']}"
    path = new.held.shown
    return f"{path} holds nothing that is called as its items are, and no list of their prompts (docs/contestants.md)"


def parted(given: str) -> list[str]:
    """Return the benchmarks of one option, such as `a,b` or `a:x,y,b:z`."""
    return re.split(r",(?=[^,:]*:)", given) if ":" in given else given.split(",")


def read(everything: Everything, given: str) -> tuple[str, list[str]]:
    name, _, of = given.partition(":")
    if name not in NAMES:
        raise UserError(f"--benchmarks: there is no benchmark {name!r}{nearest(name, NAMES)}")
    benchmark = curations()[name].benchmark
    block = benchmark.block(everything.benchmark(name))
    settings = [setting for setting in of.split(",") if setting]
    known = nameable(benchmark.settings(block), benchmark.other_settings)
    for setting in settings:
        if setting not in known:
            raise UserError(f"--benchmarks {name}: there is no setting {setting!r}{nearest(setting, known)}")
    return name, settings


def answerable(benchmark: Benchmark[Any, Any], params: Params, new: New) -> list[str]:
    """Return the settings that a contestant can answer: by its class, and of a folder those of which it holds any
    answer, as a folder of several settings, or else of one.
    """
    block = benchmark.block(params)
    measured = [setting for setting in benchmark.settings(block) if setting not in block.rewritten_settings]
    rows = rows_of(benchmark, on_settings(params, new, benchmark.name, measured), new.name)
    settings = [setting for setting in measured if any(row["setting"] == setting for row in rows)]
    if new.held is None:
        return settings
    held = [
        setting
        for setting in settings
        if any(row["setting"] == setting for row in held_by(benchmark, params, new, settings))
    ]
    if held:  # of one setting alone they would be called otherwise
        return held if held_by(benchmark, params, new, held) else settings
    return next(([setting] for setting in settings if held_by(benchmark, params, new, [setting])), [])


def on_settings(params: Params, new: New, benchmark: str, settings: Sequence[str]) -> Params:
    one = params.contestants[new.name].model_copy(update={"settings": {benchmark: list(settings)}})
    return params.model_copy(update={"contestants": {**params.contestants, new.name: one}})


def held_by(benchmark: Benchmark[Any, Any], params: Params, new: New, settings: Sequence[str]) -> list[Row]:
    return [
        row for row, _, why in found_for(benchmark, on_settings(params, new, benchmark.name, settings), new) if not why
    ]


def rows_of(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> list[Row]:
    return [row for rows in shards_of(benchmark, params, contestant, benchmark.items(params)).values() for row in rows]


def found_for(benchmark: Benchmark[Any, Any], params: Params, new: New) -> list[tuple[Row, Wanted, str]]:
    """Return what a folder's contestant is asked for, row by row, and why the folder has no answer, "" where it has."""
    assert new.held is not None
    return list(looked_up(new.held, visit_of(benchmark, params, new.name), rows_of(benchmark, params, new.name)))


def visit_of(benchmark: Benchmark[Any, Any], params: Params, contestant: str) -> Visit:
    items = benchmark.items(params)
    id, by_id = identity_of(played_as(benchmark, params, contestant, items))["id"], {str(one.id): one for one in items}
    return put_to_the_test(benchmark, params, by_id, id, lambda item, setting: None, last_picture)


def require_answers(everything: Everything, new: New) -> list[str]:
    if new.held is None:
        return []
    asked, used = set[str](), set[str]()
    for name, params in everything.benchmarks.items():
        benchmark = curations()[name].benchmark
        settings = settings_of(benchmark, params, new.name) if new.name in benchmark.contestants(params) else []
        if (
            not settings
            or items_of(benchmark, params).missing
            or {*settings} & {*benchmark.block(params).rewritten_settings}
        ):
            continue
        found, allowed = found_for(benchmark, params, new), budget_of(benchmark, params, new.name)
        total = len(rows_of(benchmark, params, new.name))
        missing = [(row, why) for row, _, why in found if why]
        if len(missing) > most_failures(allowed, total):
            said = lacks(new.held.shown, missing, total, allowed)
            mend = f"`--max-failures {len(missing)}`, or name other --benchmarks"
            raise UserError(f"{name}: {said}. Put them there, or let them be missing by {mend}")
        records = {row["record"] for row, _, _ in found}
        require_unshared(new.held, records)
        asked.update(records)
        used.update(one.where for _, request, _ in found for one in new.held.found(request))
    surplus = unmatched(new.held.shown, asked) + [one.where for one in new.held.lists.lines if one.where not in used]
    if not surplus:
        return []
    named = ", ".join(map(in_one_line, surplus[:NAMED])) + (", …" if len(surplus) > NAMED else "")
    answer = amount(len(surplus), "file or line answers", "files or lines answer")
    return [f"{new.held.shown}: {answer} nothing that is asked: {named}"]
