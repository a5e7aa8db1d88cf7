"""Where new contestants are measured, whether their folders hold the answers, and whether judges can see them."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple

from gamut.asking.models.folder.answers import surplus_lines
from gamut.command.contestants.blocks import NewContestant
from gamut.command.left_out import benchmark_items
from gamut.evaluation.bodies.answer import budget_of, folder_requests, shards_of
from gamut.evaluation.curating.benchmarks import NAMES, curations
from gamut.evaluation.defining.parameters import Params, members, nameable_settings
from gamut.evaluation.defining.settings import can_answer, prompts_in, settings_of
from gamut.evaluation.running.folder_answers import (
    missing_answers,
    name_as_folders_do,
    require_one_each,
    with_record,
)
from gamut.project.budgets import most_failures
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import SandboxModel
from gamut.project.pipeline import PARAMS
from gamut.project.plain_text import amount
from gamut.publish.parameters import Everything
from gamut.tables.columns import Row


def chosen_settings(everything: Everything, options: Sequence[str]) -> dict[str, list[str]]:
    """Return the named benchmarks (`NAME`, `NAME:SETTING,SETTING`) with their settings; no settings: all."""
    if not everything.benchmarks:
        raise UserError(f"{PARAMS} has no block of a benchmark: profiles/laptop.yaml shows one")
    chosen: dict[str, list[str]] = {}
    for name, settings in (parse_benchmark(everything, one) for given in options for one in split_benchmarks(given)):
        chosen[name] = list(dict.fromkeys([*chosen.get(name, []), *settings]))
    return chosen


def measurable(everything: Everything, chosen: Collection[str]) -> dict[str, Params]:
    """Return the chosen benchmarks, or all whose edition is here. UserError if one is missing, with how to get it."""
    asked = {name: params for name, params in everything.benchmarks.items() if not chosen or name in chosen}
    missing = {name: benchmark_items(curations()[name].benchmark, params).missing for name, params in asked.items()}
    for reason in missing.values():
        if reason and (chosen or all(missing.values())):
            raise UserError(reason)
    return {name: params for name, params in asked.items() if not missing[name]}


def settings_by_benchmark(
    everything: Everything, new: NewContestant, chosen: Mapping[str, Sequence[str]]
) -> dict[str, Sequence[str]]:
    """Return the benchmarks with their settings on which a model is measured: the chosen ones, else all that it can
    answer; UserError where there are none.
    """
    found, tasks = dict[str, Sequence[str]](), set[str]()
    for name, params in measurable(everything, chosen).items():
        benchmark, contestant = curations()[name].benchmark, params.contestants[new.name]
        block = benchmark.block(params)
        measured = [setting for setting in benchmark.settings(block) if setting not in block.rewritten_settings]
        prompts = [*prompts_in(benchmark, block, benchmark.items(params), measured)]
        able = {setting for _, setting, prompt in prompts if can_answer(contestant, prompt)}
        tasks |= {task for _, _, prompt in prompts for task in prompt.tasks}
        if able:
            found[name] = chosen.get(name) or [setting for setting in measured if setting in able]
    nothing = [name for name in chosen if name not in found] or ([] if found else [*everything.benchmarks])
    if nothing:
        block = new.block
        does = f"class {block['class']}" + (f" with {', '.join(block['tasks'])}" if "tasks" in block else "")
        raise UserError(
            f"{new.name} can answer nothing of {', '.join(nothing)}: its items need {', '.join(sorted(tasks))}, which "
            f"{does} does not do: name another --class"
        )
    return found


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


def require_answers(everything: Everything, new: NewContestant) -> Iterator[str]:
    """Yield how many answers a folder has, by benchmark and setting, and which files in it answer nothing. UserError if
    more answers are missing than may fail.
    """
    if new.contents is None:
        return
    records_asked, places_used = set[str](), set[str]()
    for name, params in everything.benchmarks.items():
        benchmark = curations()[name].benchmark
        settings = settings_of(benchmark, params, new.name) if new.name in benchmark.contestants(params) else []
        rewritten = {*settings} & {*benchmark.block(params).rewritten_settings}
        if not settings or rewritten or benchmark_items(benchmark, params).missing:
            continue
        items, allowed = benchmark.items(params), budget_of(benchmark, params, new.name)
        rows = [row for rows in shards_of(benchmark, params, new.name, items).values() for row in rows]
        requests = list(folder_requests(benchmark, params, items, rows, lambda item, setting: None))
        name_as_folders_do([new.contents], requests)
        missing = missing_answers(new.contents, requests)
        if len(missing) > most_failures(allowed, len(rows)):
            said, more = f"{name}: {new.contents.shown} lacks {len(missing):,} of", f" and {len(missing) - 1:,} more"
            said += f" {amount(len(rows), 'answer')}, at most {most_failures(allowed, len(rows)):,} may fail: "
            said += f"{missing[0][0]['record']} ({missing[0][1]}){more * (len(missing) > 1)}: add them, allow this with"
            raise UserError(f"{said} `--max-failures {len(missing)}`, or name other --benchmarks")
        yield counts_line(name, [row for row, _ in requests], [row for row, _ in missing])
        records = {row["record"] for row in rows}
        require_one_each([new.contents], records)
        records_asked.update(records)
        found = (new.contents.found(with_record(request, row["record"])) for row, request in requests)
        places_used.update(answer.where for answers in found for answer in answers)
    unused = [one.where for one in new.contents.lists.lines if one.where not in places_used]
    yield from surplus_lines(new.contents.shown, new.contents.contents, records_asked, unused)


def counts_line(benchmark: str, asked: Sequence[Row], missing: Sequence[Row]) -> str:
    counts, lacking = (Counter(row["setting"] for row in rows) for rows in (asked, missing))
    each = ", ".join(f"{setting} {counts[setting] - lacking[setting]:,} of {counts[setting]:,}" for setting in counts)
    return f"{benchmark}: answers to {each}" + ("; missing ones count as the lowest score" if missing else "")


class Toys(NamedTuple):
    """Judges or observers of the embedded world (`toys`), which see only its own pictures: of which benchmark, which
    contestants' answers they cannot see (`unseen`), and whether they are judges.
    """

    benchmark: str
    toys: list[str]
    unseen: list[str]
    judging: bool


def toys_of(benchmarks: Mapping[str, Params]) -> Iterator[Toys]:
    """Yield the toys of benchmarks that look at answers which they cannot see."""
    for name, params in benchmarks.items():
        block = curations()[name].benchmark.block(params)
        looking = block.judges or [slug for of in block.observers.values() for slug in of]
        toys = [slug for slug in dict.fromkeys(looking) if isinstance(params.models[slug], SandboxModel)]
        unseen = [
            slug
            for slug in block.contestants
            if not any(isinstance(one.model, SandboxModel) for one in members(slug, params.contestants[slug]))
        ]
        if toys and unseen:
            yield Toys(name, toys, unseen, bool(block.judges))


def toy_remark(listed: Sequence[Toys]) -> str:
    """Return in one line what the toys cannot do, and which commands replace them."""
    toys = ", ".join(dict.fromkeys(slug for one in listed for slug in one.toys))
    profiles = "|".join(path.stem for one in listed for path in Path("profiles").glob(f"{one.benchmark}*.yaml"))
    fixes = ["`gamut add judge NAME --model ID --base-url URL`"] * any(one.judging for one in listed)
    fixes += [f"`gamut use {profiles}`"] * bool(profiles)
    return (
        f"the embedded world ({toys}) looks at answers, but sees only its own toy pictures, not those of real models: "
        f"{' or '.join(fixes)} adds models that see them"
    )
