"""What a folder of answers holds: of which model and items, and which class, tasks, settings and samples follow."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, get_args

from gamut.asking.models.folder.answers import Folder, possible_ids
from gamut.asking.models.folder.contents import FILES, Contents
from gamut.asking.models.folder.paths import NO_MODELS, PICTURES, TEXTS_OF_ITEM, digest_of, plain_key, unpadded_key
from gamut.asking.models.weights import walk
from gamut.command.contestants.blocks import NewContestant, Request, block_of, require_options_of, split_tasks
from gamut.evaluation.bodies.answer import folder_request
from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining.benchmark import AnyBenchmark
from gamut.evaluation.defining.parameters import Params
from gamut.evaluation.defining.questions import Prompt
from gamut.evaluation.defining.settings import prompts_in
from gamut.evaluation.running.folder_answers import with_record
from gamut.project.errors import UserError, nearest_choice
from gamut.project.plain_text import name_first
from gamut.project.roles import ROLES_OF, TASKS_OF, Task

MOST_OWNERS = 20  # models that are named


class Held(NamedTuple):
    """The answers to an item in a setting: samples named `<item>`, and samples named `<setting>/<item>`."""

    item: str
    setting: str
    prompt: Prompt
    by_item: Collection[int]
    by_setting: Collection[int]

    @property
    def called(self) -> str:
        return self.item if self.by_item else f"{self.setting}/{self.item}"


class Measured(NamedTuple):
    """A benchmark's settings on which a folder is measured, all that is asked, and what it answers of that."""

    settings: Sequence[str]
    asked: Sequence[Held]
    answered: Sequence[Held]

    @property
    def samples(self) -> int:
        return 1 + max(max(*one.by_item, *one.by_setting, 0) for one in self.answered)


def folder_contestant(
    request: Request, folder: Path, benchmarks: Mapping[str, Params], chosen: Mapping[str, Sequence[str]]
) -> NewContestant:
    """Return a folder as a contestant of these benchmarks, in the settings of `chosen`. If nothing is chosen, of those
    benchmarks to which it holds any answers.
    """
    require_options_of(request, "a folder", ("of",))
    if folder.is_file():
        raise UserError(f"--folder {folder} is a file: name the folder that holds it and its pictures")
    if not folder.is_dir():
        raise UserError(f"--folder: the folder {folder} does not exist")
    known = {part for path in walk(folder) for part in path.relative_to(folder).parts[:-1]}
    if request.of is not None and request.of not in known:
        raise UserError(f"--of: {folder} has no folder {request.of!r} in it{nearest_choice(request.of, known)}")
    contents, of = Folder(request.name, str(folder), request.of), request.of
    if of is None and (of := whose_outputs(contents, *names_in(benchmarks))) is not None:
        contents = Folder(request.name, str(folder), of)
    found = {
        name: measured(request, contents, name, params, chosen.get(name, ())) for name, params in benchmarks.items()
    }
    nothing = {name: params for name, params in benchmarks.items() if not found[name].answered}
    if nothing.keys() & chosen.keys() or len(nothing) == len(found):
        raise UserError(f"{request.name} has no answers to {', '.join(nothing)}: {why(request, contents, nothing)}")
    found = {name: one for name, one in found.items() if one.answered}
    whose: dict[str, str] = {}
    for name, called in ((name, held.called) for name, one in found.items() for held in one.answered if not chosen):
        if (other := whose.setdefault(called, name)) != name:
            both = f"{other} and {name} both have items called {called!r}"
            raise UserError(f"--folder {folder}: {both}: choose one with --benchmarks")
    class_, tasks = abilities(request, [*found.values()])
    everybodys = {name: curations()[name].benchmark.block(benchmarks[name]).answer.samples for name in found}
    samples = {name: one.samples for name, one in found.items() if one.samples < everybodys[name]}
    model = {"kind": "folder", "path": folder.as_posix()} | ({} if of is None else {"of": of})
    model |= {"revision": digest_of(contents.folder, of)}
    block = block_of(request, class_, ({"samples": samples} if samples else {}) | {"model": model}, tasks)
    settings = {name: one.settings for name, one in found.items()}
    return NewContestant(request.name, block, {}, [folder], contents, settings)


def why(request: Request, folder: Folder, benchmarks: Mapping[str, Params]) -> str:
    only = f" that class {request.class_} can answer" if request.class_ else ""
    editions = (f"{name}/{curations()[name].benchmark.edition(params).stem}" for name, params in benchmarks.items())
    return (
        f"no file in {folder.shown} is named after an item of {', '.join(editions)}{only}, and no list there has their "
        "prompts (docs/contestants.md)"
    )


def names_in(benchmarks: Mapping[str, Params]) -> tuple[set[str], set[str]]:
    """Return the ids of all items, and all settings."""
    ids, settings = set[str](), set[str]()
    for name, params in benchmarks.items():
        benchmark = curations()[name].benchmark
        ids |= {str(item.id) for item in benchmark.items(params)}
        settings |= {*benchmark.settings(benchmark.block(params))}
    return ids, settings


def measured(request: Request, folder: Folder, name: str, params: Params, chosen: Sequence[str]) -> Measured:
    benchmark = curations()[name].benchmark
    able = able_tasks(request)
    held = [
        one
        for one in held_answers(folder, benchmark, params, chosen)
        if one.prompt.tasks <= able and not (request.class_ == "generation" and one.prompt.has_pictures)
    ]
    settings = chosen or answered_settings(held, benchmark.published_settings)
    return Measured(settings, held, answers_in(held, settings))


def able_tasks(request: Request) -> frozenset[Task]:
    able = TASKS_OF[request.class_ or "unified"]
    for task in () if request.tasks is None else split_tasks(request.tasks):
        if task not in able:
            raise UserError(f"--tasks: there is no task {task!r}{nearest_choice(task, able)}")
    return able if request.tasks is None else able.intersection(split_tasks(request.tasks))


def whose_outputs(folder: Folder, ids: Collection[str], settings: Collection[str]) -> str | None:
    """Return the name of the one model whose outputs are in subfolders of a folder, None if they are in the folder
    itself; UserError if there are several models.
    """
    owners = {*owners_of(folder.contents, ids, settings)}
    if "" in owners or not owners:
        return None
    if len(owners) > 1:
        names = name_first(sorted(owners), MOST_OWNERS)
        raise UserError(
            f"--folder {folder.shown} holds outputs of {len(owners)} models ({names}): choose one, as `--of "
            f"{min(owners)}`"
        )
    return owners.pop()


def owners_of(contents: Contents, ids: Collection[str], settings: Collection[str]) -> Iterator[str]:
    """Yield for each answer the folder before the item's id in its path, "" if there is none."""
    keys = {plain_key(id) for id in ids}
    names = keys | {f"{setting}/{key}" for setting in settings for key in keys}
    for answer in contents.answers:
        parts = plain_key(answer.key).split("/")
        for start in range(len(parts)):
            rest = "/".join(parts[start:])
            alike = {key for one in (rest, unpadded_key(rest)) for key in possible_ids("picture", one)}
            is_bare_number = "/" not in rest and rest[:1].isdecimal()  # of anything, not of an item alone
            telling = not is_bare_number or answer.kind not in FILES
            if not names.isdisjoint(alike) and (start == 0 or telling):
                yield parts[start - 1] if start else ""
                break
    for file in contents.files:
        parts = plain_key(file.as_posix()).split("/")
        of_item = file.name == TEXTS_OF_ITEM or file.suffix.lower() in PICTURES
        if of_item and len(parts) > 2 and parts[-3] in keys and parts[-2] not in NO_MODELS:
            yield parts[-2]


def held_answers(folder: Folder, benchmark: AnyBenchmark, params: Params, settings: Sequence[str]) -> list[Held]:
    """Return the answers to each item in these settings, or in all that are measured without rewriting."""
    block, held = benchmark.block(params), []
    settings = settings or [one for one in benchmark.settings(block) if one not in block.rewritten_settings]
    for item, setting, prompt in prompts_in(benchmark, block, benchmark.items(params), settings):
        requests = [folder_request(prompt, (0, 0), sample) for sample in range(block.answer.samples)]
        by_item, by_setting = (
            [request.sample for request in (with_record(one, name) for one in requests) if folder.tells(request)]
            for name in (str(item.id), f"{setting}/{item.id}")
        )
        held.append(Held(str(item.id), setting, prompt, by_item, by_setting))
    return held


def answers_in(held: Iterable[Held], settings: Collection[str]) -> list[Held]:
    """Return what is answered if these settings are asked. An answer that is named after the item alone counts only if
    no other setting asks for the same kinds of output of that item.
    """
    put = [one for one in held if one.setting in settings]
    of_kind = Counter((one.item, one.prompt.modalities) for one in put)
    alone = [one if of_kind[one.item, one.prompt.modalities] == 1 else one._replace(by_item=()) for one in put]
    return [one for one in alone if one.by_item or one.by_setting]


def answered_settings(held: Sequence[Held], published: Sequence[str]) -> list[str]:
    """Return the settings to which answers are left after the earlier ones; published settings come first."""
    settings = list(dict.fromkeys(one.setting for one in held))
    kept: list[str] = []
    for setting in sorted(settings, key=lambda one: one not in published):
        if len(answers_in(held, [*kept, setting])) > len(answers_in(held, kept)):
            kept.append(setting)
    return [setting for setting in settings if setting in kept]


def abilities(request: Request, found: Sequence[Measured]) -> tuple[str, Sequence[Task] | None]:
    """Return the class that the request names, else the one that these answers show, and the tasks; None: all tasks of
    the class.
    """
    if request.class_ is not None:
        return request.class_, None
    answered = [one for of in found for one in of.answered]
    wanted = {task for of in found for one in of.asked for task in one.prompt.tasks}
    done = {task for one in answered for task in one.prompt.tasks}
    if request.tasks is not None:
        done = {*able_tasks(request)}
    [first, *others] = done
    pictured = any(one.prompt.has_pictures for one in answered)  # which class generation is given none of
    if not others and first in ROLES_OF and not (first == "generation" and pictured):
        return first, None
    return "unified", None if wanted <= done else [task for task in get_args(Task) if task in done]
