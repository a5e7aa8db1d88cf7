"""`gamut export NAME DIR`: what a contestant is given, one prompt a line, with its pictures.

A model without a server can answer this by a script; what the script writes into DIR is a contestant of kind `folder`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import orjson

from gamut.asking.making import Creating, Painting, Reflecting
from gamut.asking.models.folder.contents import ANSWERS, GIVEN, PROMPTS
from gamut.asking.requests import Part, Picture, parts_of, wants_picture
from gamut.command.contestants.blocks import NewContestant
from gamut.command.contestants.outlook import chosen_settings, settings_by_benchmark
from gamut.command.left_out import benchmark_items
from gamut.evaluation.bodies.answer import answering_visit, conversation, shards_of
from gamut.evaluation.curating.benchmarks import curations
from gamut.evaluation.defining.settings import rewriter_of, samples_of, settings_of
from gamut.evaluation.running.rewritings import rewritings_for
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import write_whole
from gamut.project.pipeline import PARAMS
from gamut.project.plain_text import amount
from gamut.project.validation import read_yaml
from gamut.publish.parameters import Everything, check_everything, load_everything
from gamut.tables.reading import manifest_path


def export_prompts(name: str, folder: Path, class_: str | None, options: Sequence[str]) -> Iterator[str]:
    """Write what a contestant of params.yaml is given, or with `class_` a new one; yield lines for the user.

    UserError if the folder holds something else. After an interruption, it can be run again.
    """
    everything, file = load_everything(), folder / PROMPTS
    if class_ is None and name not in everything.contestants:
        known = nearest_choice(name, everything.contestants)
        raise UserError(f"there is no contestant {name!r}{known}; for a new one, give --class")
    if class_ is not None:
        everything = everything_with(name, folder, class_)
    if not file.exists() and (others := {path.name for path in folder.glob("*")} - {GIVEN}):
        raise UserError(f"{folder} holds {min(others)}, but no {PROMPTS}: name a new folder")

    def keep(picture: Picture) -> None:
        path = folder / given_file(picture)
        if not file.exists() and not path.exists():  # prompts are written last
            write_whole(path, picture.data)

    settings = exported_settings(everything, name, class_, options)
    for one in settings:
        if reason := benchmark_items(curations()[one].benchmark, everything.benchmarks[one]).left_out:
            raise UserError(f"{reason}, or name other --benchmarks")
    unwritten = {
        one: [each for each in of if is_unwritten(everything, name, one, each)] for one, of in settings.items()
    }
    settings = {one: [each for each in of if each not in unwritten[one]] for one, of in settings.items()}
    rows = [row for one, of in settings.items() for row in prompt_lines(everything, name, one, of, keep)]
    lines = [line for line in rows if line is not None]
    if not lines:
        raise UserError(f"{name} would be given nothing: no benchmark measures it, or none on what its class does")
    benchmark_with = {line["id"]: line["benchmark"] for line in lines}
    if twice := [line for line in lines if line["benchmark"] != benchmark_with[line["id"]]]:
        both = f"{twice[0]['benchmark']} and {benchmark_with[twice[0]['id']]}"
        raise UserError(f"{both} both have answers called {twice[0]['id']!r}: export each with --benchmarks")
    content = b"".join(orjson.dumps(line) + b"\n" for line in lines)
    if file.exists() and file.read_bytes() != content:
        raise UserError(f"{file} holds other prompts already: name a new folder")
    write_whole(file, content)
    counts = Counter(f"{line['benchmark']} {line['setting']}" for line in lines)
    yield f"{file}: {amount(len(lines), 'prompt')} ({', '.join(f'{count:,} {of}' for of, count in counts.items())})"
    for one, lacking in unwritten.items():
        yield from (f"{one} {each}: left out, because `dvc repro` has to rewrite its prompts first" for each in lacking)
    if left := len(rows) - len(lines):
        yield f"left out: {amount(left, 'prompt')} of items that are unusable, lack a picture or were not rewritten"
    sample = ', "sample": …' * any("sample" in line for line in lines)
    form = f'{{"id": …{sample}, "parts": [{{"text": …}}, {{"image": "a path in {folder}"}}]}}'
    yield f"for each prompt, write a line {form} into {folder / ANSWERS}; then run"
    contestant, new = everything.contestants[name], name if class_ else f"{name}_elsewhere"
    tasks = f" --tasks {','.join(contestant.tasks)}" if contestant.tasks else ""
    benchmarks = ",".join(f"{one}:{','.join(of)}" for one, of in settings.items())
    yield f"`gamut add contestant {new} --folder {folder} --class {contestant.class_}{tasks} --benchmarks {benchmarks}`"


def everything_with(name: str, folder: Path, class_: str) -> Everything:
    """Return params.yaml with one more contestant, of which only the class is known."""
    values = dict(read_yaml(PARAMS))
    if name in (known := values.get("contestants") or {}):
        raise UserError(f"{PARAMS} already has a contestant {name!r}: leave out --class, or choose another name")
    model = {"kind": "folder", "path": str(folder), "revision": f"sha256-{0:064}"}
    return check_everything(values | {"contestants": {**known, name: {"class": class_, "model": model}}}, PARAMS)


def exported_settings(
    everything: Everything, name: str, class_: str | None, options: Sequence[str]
) -> dict[str, Sequence[str]]:
    """Return settings by benchmark: the named ones, else all in which the contestant is measured, or a new contestant
    of this class would be.
    """
    chosen = chosen_settings(everything, options)
    if class_ is not None:
        return settings_by_benchmark(everything, NewContestant(name, {"class": class_}, {}), chosen)
    found = dict[str, Sequence[str]]()
    for one, params in everything.benchmarks.items():
        benchmark = curations()[one].benchmark
        if one in chosen or (not chosen and name in benchmark.block(params).contestants):
            found[one] = chosen.get(one) or settings_of(benchmark, params, name)
    return found


def is_unwritten(everything: Everything, name: str, of: str, setting: str) -> bool:
    benchmark = curations()[of].benchmark
    rewritten = setting in benchmark.block(everything.benchmarks[of]).rewritten_settings
    return rewritten and not manifest_path(benchmark.rewritten / rewriter_of(setting, name)).exists()


def prompt_lines(
    everything: Everything, name: str, of: str, settings: Sequence[str], keep: Callable[[Picture], None]
) -> Iterator[dict[str, Any] | None]:
    """Yield what a benchmark gives a contestant, with the ids by which kind `folder` finds answers; None for a row that
    cannot be asked. `keep` gets all pictures.
    """
    benchmark = curations()[of].benchmark
    params = everything.benchmarks[of]
    put = params.contestants[name].model_copy(update={"settings": {of: list(settings)}})
    params = params.model_copy(update={"contestants": {**params.contestants, name: put}})
    items = {str(item.id): item for item in benchmark.items(params)}
    visit = answering_visit(benchmark, params, items, name, rewritings_for(benchmark, params, name), conversation)
    several = samples_of(benchmark, params, name) > 1
    for row in (row for shard in shards_of(benchmark, params, name, [*items.values()]).values() for row in shard):
        asked = next(iter(next(visit(row), [])), None)
        if not isinstance(asked, Painting | Creating | Reflecting):
            yield None
            continue
        request = asked.request
        for part in parts_of(request):
            if isinstance(part, Picture):
                keep(part)
        setting, item = row["setting"], row["item"]
        line = {"id": f"{setting}/{item}", "benchmark": of, "setting": setting, "item": item}
        line |= {"sample": row["sample"]} if several else {}
        line |= {"parts": [written_part(part) for part in parts_of(request)]}
        line |= {"wanted": ["image"] if isinstance(asked, Painting) else asked.request.modalities}
        line |= {"width": request.width, "height": request.height} if wants_picture(request) else {}
        line |= {"seed": request.seed + request.sample}
        if isinstance(asked, Reflecting):
            line["reflection"] = {"critique": asked.critique, "again": asked.again, "rounds": asked.rounds}
        yield line


def written_part(part: Part) -> dict[str, str]:
    return {"text": part} if isinstance(part, str) else {"image": given_file(part)}


def given_file(picture: Picture) -> str:
    return f"{GIVEN}/{picture.digest}.{picture.media_type.partition('/')[2]}"
