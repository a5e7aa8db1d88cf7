"""Add a contestant or a judge to params.yaml: everything is checked first, and after a mistake nothing is written."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from gamut.command.contestants import outlook, python_file
from gamut.command.contestants.blocks import (
    CLASS_OF,
    NewContestant,
    Request,
    model_contestant,
    new_contestants,
    require_kind,
    require_named,
)
from gamut.command.contestants.holdings import folder_contestant
from gamut.command.yaml_text import replace_params, with_blocks, with_members, with_values
from gamut.evaluation.curating.benchmarks import curations
from gamut.project import settings
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import write_whole
from gamut.project.inputs import regular_file
from gamut.project.model_kinds import SandboxModel
from gamut.project.pipeline import PARAMS
from gamut.project.places import project_root
from gamut.project.plain_text import amount
from gamut.project.roles import ABLE
from gamut.project.settings import Settings
from gamut.project.validation import parse_yaml, validate_values
from gamut.publish.parameters import Everything, check_everything, load_everything


def add_contestants(request: Request) -> Iterator[str]:
    everything = load_everything()
    settings.load()
    text = regular_file(PARAMS).read_bytes().decode()
    known = parse_yaml(text).get("contestants") or {}
    require_request(request, known)
    old = known[request.name] if request.replace else {}
    anew = request.folder or old.get("model", {}).get("kind") == "folder"  # its own content decides its class and tasks
    keeps = bool(old) and not (anew or request.class_ or request.tasks or request.pictures_from)
    chosen = outlook.chosen_settings(everything, request.benchmarks)
    lists = {name: curations()[name].benchmark.contestants(params) for name, params in everything.benchmarks.items()}
    if old and not chosen:
        kept_settings = old.get("settings", {}) if keeps else {}
        chosen = {name: kept_settings.get(name, []) for name, of in lists.items() if request.name in of}
    if request.folder is not None:
        benchmarks = outlook.measurable(everything, chosen)
        new = [folder_contestant(request, request.folder, benchmarks, chosen)]
    else:
        new = new_contestants(replace(request, class_=old["class"]) if keeps else request)
    names = [one.name for one in new]
    if again := [name for name in (request.name, *names) if name in known and not old]:
        raise UserError(f"{PARAMS} already has a contestant {again[0]!r}: choose another name, or give --replace")
    if old:
        new = [new[0]._replace(block=mended_block(old, new[0].block, keeps))]
    run_file, run_text = run_toml()
    endpoints = {slug: endpoint for one in new for slug, endpoint in one.endpoints.items()}
    new_run_text = with_endpoints(run_file, run_text, endpoints)
    contestants = known | {one.name: one.block for one in new}
    everything = check_everything(parse_yaml(text) | {"contestants": contestants}, PARAMS)
    measured_in = {one.name: one.measured_in or outlook.settings_by_benchmark(everything, one, chosen) for one in new}
    blocks = {one.name: block_with_settings(one, everything, measured_in[one.name]) for one in new}
    new_text = with_blocks(PARAMS, text, "contestants", blocks)
    joining = {name: [one for one in names if name in measured_in[one] and one not in of] for name, of in lists.items()}
    new_text = with_members(PARAMS, new_text, {(name, "contestants"): of for name, of in joining.items() if of})
    everything = check_everything(parse_yaml(new_text), PARAMS)
    remarks = [line for one in new for line in outlook.require_answers(everything, one)]
    folders = list(dict.fromkeys(folder for one in new for folder in one.folders))
    for folder in folders:
        require_apart(folder)
    if request.python is not None:
        yield from python_file.write_file(request.python, str(new[0].block["model"]["file"]))
        run_settings = validate_values(Settings, tomllib.loads(new_run_text), run_file)
        yield python_file.first_answer(everything, request.name, measured_in[request.name], run_settings)
    replace_params(text, new_text)
    if new_run_text != run_text:
        write_whole(run_file, new_run_text.encode())
    kept = [keep_out_of_git(folder) for folder in folders]
    for one in new:
        there = ", ".join(f"{name} ({', '.join(of)})" for name, of in measured_in[one.name].items())
        state = "replaced" if request.replace else "new"
        yield f"{PARAMS}: contestants.{one.name} is {state}, {described(one)}: {there}"
    if new_run_text != run_text:
        yield f"{run_file.name}: {', '.join(f'[models.{slug}]' for slug in endpoints)}"
    yield from [*kept, *remarks]
    if any(one.block.get("model", {}).get("kind") == "openai" for one in new):
        yield asked_of_server(new[0].block)
    toys = [*outlook.toys_of({name: everything.benchmarks[name] for of in measured_in.values() for name in of})]
    if toys:
        yield f"{', '.join(one.benchmark for one in toys)}: no score yet: {outlook.toy_remark(toys)}"
    whom = "it" if len(new) == 1 else "them"
    yield f"`gamut check` says what is still missing, `gamut estimate` what a build with {whom} needs"
    yield f"{'then ' if toys else ''}`dvc repro leaderboard` measures {whom}, and nothing else"


def require_request(request: Request, known: Collection[str]) -> None:
    """UserError for options that exclude each other, or that name a contestant that does not exist."""
    require_named(request)
    if request.variant_of is not None and request.variant_of not in known:
        raise UserError(
            f"--variant-of: there is no contestant {request.variant_of!r}{nearest_choice(request.variant_of, known)}"
        )
    if request.replace and request.name not in known:
        raise UserError(f"--replace: there is no contestant {request.name!r}{nearest_choice(request.name, known)}")
    if request.replace and request.checkpoints is not None:
        raise UserError("--replace changes one contestant, but --checkpoints adds several: leave out one of the two")


def mended_block(old: Mapping[str, Any], new: Mapping[str, Any], keeps: bool) -> dict[str, Any]:
    """Return the new block with what it leaves out of the old one: `variant_of`, `max_failures`, settings of other
    benchmarks and, for the same model, how it is asked; with `keeps` also tasks and samples.
    """
    kept = {"class": new["class"]} | {key: old[key] for key in ("settings", "variant_of", "max_failures") if key in old}
    kept |= {key: old[key] for key in ("tasks", "samples") if keeps and key in old}
    before, model = old.get("model", {}), new.get("model", {})
    same = "id" in model and (model["kind"], model["id"]) == (before.get("kind"), before.get("id"))
    return kept | dict(new) | ({"model": before | model} if same else {})


def described(new: NewContestant) -> str:
    block = new.block
    tasks = f" with tasks {', '.join(block['tasks'])}" if "tasks" in block else ""
    whose = f", outputs of {block['model']['of']}" if "of" in block.get("model", {}) else ""
    samples = "".join(
        f", {amount(count, 'sample')} an item of {name}" for name, count in block.get("samples", {}).items()
    )
    return f"of class {block['class']}{tasks}{whose}{samples}"


def asked_of_server(block: Mapping[str, Any]) -> str:
    """Return how a server is asked for pictures, and which option changes this."""
    if block["class"] == "understanding":
        return "the server is asked only for texts; with --class unified or --pictures-from chat also for pictures"
    if block["model"].get("pictures_from") == "chat":
        return "the server is asked for pictures by /chat/completions; without --pictures-from, by /images/generations"
    return (
        "the server is asked for pictures by /images/generations; if it makes them in chats, as for a unified model, "
        "give --pictures-from chat"
    )


def block_with_settings(
    new: NewContestant, everything: Everything, measured_in: Mapping[str, Sequence[str]]
) -> dict[str, Any]:
    """Return the block, with its settings for each benchmark in which it is not measured in all."""
    narrowed = narrowed_settings(everything, measured_in)
    others = {name: of for name, of in new.block.get("settings", {}).items() if name not in measured_in}
    of_each = others | {name: list(of) for name, of in narrowed.items()}
    models = {key: new.block[key] for key in ("model", "models") if key in new.block}
    before = {key: value for key, value in new.block.items() if key not in (*models, "settings")}
    return before | ({"settings": of_each} if of_each else {}) | models


def narrowed_settings(everything: Everything, measured_in: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Keep the benchmarks of which it answers only some measured settings."""
    measured = {
        name: curations()[name].benchmark.settings(getattr(everything.benchmarks[name], name)) for name in measured_in
    }
    return {name: of for name, of in measured_in.items() if {*of} != {*measured[name]}}


def run_toml() -> tuple[Path, str]:
    path = settings.settings_path()
    return path, path.read_text(encoding="utf-8") if path.exists() else ""


def with_endpoints(path: Path, text: str, blocks: Mapping[str, Mapping[str, str]]) -> str:
    known = tomllib.loads(text).get("models", {})
    for slug, block in blocks.items():
        if known.get(slug, {}).items() >= block.items():
            continue
        if slug in known:
            raise UserError(f"{path} already has another [models.{slug}]: fix it by hand")
        lines = [
            f"[models.{slug}]",
            *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in block.items()),
        ]
        text = "\n".join([*([text.rstrip("\n"), ""] if text.strip() else []), *lines, ""])
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(
            f"{path}: nothing can be added to it ({error}): add by hand [models.{', models.'.join(blocks)}]"
        ) from None
    validate_values(Settings, values, path)
    return text


def require_apart(folder: Path) -> None:
    if Path.cwd().resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{folder} contains this project: name a folder that holds nothing else")


def dvc_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.dvc")


def keep_out_of_git(folder: Path) -> str:
    root = Path.cwd().resolve()
    if root != project_root().resolve() or not folder.resolve().is_relative_to(root) or not is_repository():
        return f"{folder} is outside this repository, and is read from there"
    if dvc_file(folder).exists():
        return f"{folder} is tracked by DVC ({dvc_file(folder)}): after a change, run `dvc add {folder}`"
    if run("git", "ls-files", "--", str(folder)).stdout.strip():
        return f"{folder} is tracked by git: `git rm -r --cached {folder}` would end that"
    shares = f"so only this machine has it; to share it by DVC, run `dvc add {folder}`"
    if run("git", "check-ignore", "--quiet", str(folder)).returncode == 0:
        return f"{folder} is already ignored by git, {shares}"
    ignored = folder.parent / ".gitignore"
    before = ignored.read_text(encoding="utf-8") if ignored.exists() else ""
    line = "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", folder.name)
    write_whole(ignored, f"{before}{'' if before.endswith(chr(10)) or not before else chr(10)}{line}\n".encode())
    return f"{folder} is now ignored by git ({ignored}), {shares}"


def is_repository() -> bool:
    return run("git", "rev-parse", "--git-dir").returncode == 0


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="backslashreplace")


def add_judge(request: Request) -> Iterator[str]:
    """Add a model to `models`, and its name to `judges` of the named benchmarks, or of all that ask judges."""
    everything = load_everything()
    settings.load()
    text = regular_file(PARAMS).read_bytes().decode()
    if request.name in (parse_yaml(text).get("models") or {}):
        raise UserError(f"{PARAMS} already has a model {request.name!r}: choose another name")
    require_named(request)
    kind = require_kind(request, "a judge", [kind for kind in CLASS_OF if kind in ABLE["judge"]])
    new = model_contestant(request, kind)
    before = judges_by_benchmark(everything, outlook.chosen_settings(everything, request.benchmarks))
    judges = {
        name: [slug for slug in of if not isinstance(everything.benchmarks[name].models[slug], SandboxModel)]
        for name, of in before.items()
    }
    run_file, run_text = run_toml()
    new_run_text = with_endpoints(run_file, run_text, new.endpoints)
    new_text = with_blocks(PARAMS, text, "models", {request.name: new.block["model"]})
    new_text = with_values(PARAMS, new_text, {(name, "judges"): [*of, request.name] for name, of in judges.items()})
    check_everything(parse_yaml(new_text), PARAMS)
    for folder in new.folders:
        require_apart(folder)
    replace_params(text, new_text)
    if new_run_text != run_text:
        write_whole(run_file, new_run_text.encode())
    yield f"{PARAMS}: models.{request.name} is new; it judges {', '.join(before)}"
    for name, of in before.items():
        if gone := [slug for slug in of if slug not in judges[name]]:
            yield f"{name}: it replaces {', '.join(gone)} of the embedded world"
    if new_run_text != run_text:
        yield f"{run_file.name}: [models.{request.name}]"
    yield from map(keep_out_of_git, new.folders)
    yield "`gamut check --ask` asks it one question, `gamut estimate` counts what a build asks it"
    yield "`dvc repro leaderboard` asks it, and no other model"


def judges_by_benchmark(everything: Everything, chosen: Mapping[str, object]) -> dict[str, list[str]]:
    blocks = {name: curations()[name].benchmark.block(params) for name, params in everything.benchmarks.items()}
    found = {name: blocks[name].judges for name in chosen or blocks if blocks[name].judges}
    if left := [name for name in chosen or ({} if found else blocks) if name not in found]:
        raise UserError(f"no judge is asked about answers to {', '.join(left)}: name other --benchmarks")
    return found
