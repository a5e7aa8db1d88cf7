"""A contestant comes into params.yaml: checked as a whole before anything is written, and on any mistake nothing is."""

from __future__ import annotations

import json
import re
import subprocess
import tomllib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from gamut.command.contestants import outlook, python_file
from gamut.command.contestants.blocks import NewContestant, Request, new_contestants
from gamut.command.yaml_text import replace_params, with_blocks, with_members
from gamut.evaluation.curating.benchmarks import curations
from gamut.project import settings
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import write_whole
from gamut.project.inputs import regular_file
from gamut.project.pipeline import PARAMS
from gamut.project.places import project_root
from gamut.project.settings import Settings
from gamut.project.validation import parse_yaml, validate_values
from gamut.publish.parameters import Everything, check_everything, load_everything


def add_contestants(request: Request) -> Iterator[str]:
    load_everything()
    settings.load()
    text = regular_file(PARAMS).read_bytes().decode()
    known = parse_yaml(text).get("contestants") or {}
    if request.variant_of is not None and request.variant_of not in known:
        raise UserError(
            f"--variant-of: there is no contestant {request.variant_of!r}{nearest_choice(request.variant_of, known)}"
        )
    new = new_contestants(request)
    names = [one.name for one in new]
    if again := [name for name in (request.name, *names) if name in known]:
        raise UserError(f"{PARAMS}: there is a contestant {again[0]!r} already: choose another name")
    run_file = settings.settings_path()
    run_text = run_file.read_text(encoding="utf-8") if run_file.exists() else ""
    endpoints = {slug: endpoint for one in new for slug, endpoint in one.endpoints.items()}
    new_run_text = with_endpoints(run_file, run_text, endpoints)
    contestants = known | {one.name: one.block for one in new}
    everything = check_everything(parse_yaml(text) | {"contestants": contestants}, PARAMS)
    measured_in = {one.name: outlook.settings_by_benchmark(everything, one, request.benchmarks) for one in new}
    blocks = {one.name: block_with_settings(one, narrowed_settings(everything, measured_in[one.name])) for one in new}
    new_text = with_blocks(PARAMS, text, "contestants", blocks)
    lists = {name: [one for one in names if name in measured_in[one]] for name in everything.benchmarks}
    new_text = with_members(PARAMS, new_text, {(name, "contestants"): of for name, of in lists.items() if of})
    everything = check_everything(parse_yaml(new_text), PARAMS)
    surplus = [line for one in new for line in outlook.require_answers(everything, one)]
    folders = list(dict.fromkeys(folder for one in new for folder in one.folders))
    for folder in folders:
        require_apart(folder)
    if request.python is not None:
        yield from python_file.write_template(str(new[0].block["model"]["file"]))
        run_settings = validate_values(Settings, tomllib.loads(new_run_text), run_file)
        yield python_file.first_answer(everything, request.name, measured_in[request.name], run_settings)
    replace_params(text, new_text)
    if new_run_text != run_text:
        write_whole(run_file, new_run_text.encode())
    kept = [keep_out_of_git(folder) for folder in folders]
    for one in new:
        there = ", ".join(f"{name} ({', '.join(of)})" for name, of in measured_in[one.name].items())
        yield f"{PARAMS}: contestants.{one.name} is new, of class {one.block['class']}: {there}"
    if new_run_text != run_text:
        yield f"{run_file.name}: {', '.join(f'[models.{slug}]' for slug in endpoints)}"
    yield from [*kept, *surplus]
    whom = "it" if len(new) == 1 else "them"
    yield f"`gamut check` says what {whom} may lack, `gamut estimate` what a build takes with {whom}"
    yield f"`dvc repro leaderboard` measures {whom}, and nothing else"


def block_with_settings(new: NewContestant, measured_in: Mapping[str, Sequence[str]]) -> dict[str, Any]:
    models = {key: new.block[key] for key in ("model", "models") if key in new.block}
    before = {key: value for key, value in new.block.items() if key not in models}
    narrow = {"settings": {name: list(of) for name, of in measured_in.items()}} if measured_in else {}
    return before | narrow | models


def narrowed_settings(everything: Everything, measured_in: Mapping[str, Sequence[str]]) -> dict[str, Sequence[str]]:
    """Keep the benchmarks in which it is not asked in every measured setting."""
    measured = {
        name: curations()[name].benchmark.settings(getattr(everything.benchmarks[name], name)) for name in measured_in
    }
    return {name: of for name, of in measured_in.items() if {*of} != {*measured[name]}}


def with_endpoints(path: Path, text: str, blocks: Mapping[str, Mapping[str, str]]) -> str:
    known = tomllib.loads(text).get("models", {})
    for slug, block in blocks.items():
        if known.get(slug, {}).items() >= block.items():
            continue
        if slug in known:
            raise UserError(f"{path}: [models.{slug}] is there already and says something else: mend it by hand")
        lines = [
            f"[models.{slug}]",
            *(f"{key} = {json.dumps(value, ensure_ascii=False)}" for key, value in block.items()),
        ]
        text = "\n".join([*([text.rstrip("\n"), ""] if text.strip() else []), *lines, ""])
    try:
        values = tomllib.loads(text)
    except tomllib.TOMLDecodeError as error:
        raise UserError(
            f"{path}: nothing can be added to it ({error}): put in by hand [models.{', models.'.join(blocks)}]"
        ) from None
    validate_values(Settings, values, path)
    return text


def require_apart(folder: Path) -> None:
    if Path.cwd().resolve().is_relative_to(folder.resolve()):
        raise UserError(f"{folder}: the project itself lies there: name the folder that holds nothing else")


def dvc_file(folder: Path) -> Path:
    return folder.with_name(f"{folder.name}.dvc")


def keep_out_of_git(folder: Path) -> str:
    root = Path.cwd().resolve()
    if root != project_root().resolve() or not folder.resolve().is_relative_to(root) or not is_repository():
        return f"{folder} lies outside this repository and stays there"
    if dvc_file(folder).exists():
        return f"{folder} is DVC's already ({dvc_file(folder)}): after a change `dvc add {folder}`"
    if run("git", "ls-files", "--", str(folder)).stdout.strip():
        return f"{folder} is in git and stays there: `git rm -r --cached {folder}` takes it out"
    shares = f"so only this machine has it: `dvc add {folder}` gives it to DVC"
    if run("git", "check-ignore", "--quiet", str(folder)).returncode == 0:
        return f"{folder} is ignored by git already, {shares}"
    ignored = folder.parent / ".gitignore"
    before = ignored.read_text(encoding="utf-8") if ignored.exists() else ""
    line = "/" + re.sub(r"([\\*?\[\]!# ])", r"\\\1", folder.name)
    write_whole(ignored, f"{before}{'' if before.endswith(chr(10)) or not before else chr(10)}{line}\n".encode())
    return f"{folder} is ignored by git now ({ignored}), {shares}"


def is_repository() -> bool:
    return run("git", "rev-parse", "--git-dir").returncode == 0


def run(*command: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(command, capture_output=True, encoding="utf-8", errors="backslashreplace")
