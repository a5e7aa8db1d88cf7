"""The blocks of new contestants: in params.yaml what decides their answers, in run.toml where their models are."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from gamut.asking.models.folder.answers import Folder
from gamut.asking.models.torch.adapters import require_adapter
from gamut.asking.models.weights import DESCRIPTIONS, digest, require_weights
from gamut.command.contestants import python_file, unified
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import BASES, BUILT, TRAINED
from gamut.project.plain_text import natural_order
from gamut.project.roles import ROLES_OF

CLASS_OF = {
    "openai": "generation",
    "diffusers": "generation",
    "transformers": "understanding",
    "unified": "unified",
    "vllm": "understanding",
}
"""Kinds of model that a contestant can be, each with its usual class."""
OPTIONS = (
    *("python", "kind", "base_url", "key_variable", "pictures_from", "revision", "weights", "adapter", "checkpoints"),
    *("paints", "of"),
)
TAKES = dict.fromkeys(CLASS_OF, ("kind", "revision", "weights", "adapter", "checkpoints")) | {
    "openai": ("kind", "base_url", "key_variable", "pictures_from"),
    "vllm": ("kind", "revision", "weights", "checkpoints"),
    "unified": ("kind", "revision", "weights", "adapter", "checkpoints", "paints"),
}
"""The options, of these, that each kind of model takes; a folder takes none."""
COMMIT = r"[0-9a-f]{40}"


@dataclass(frozen=True)
class Request:
    """The options of the command line."""

    name: str
    folder: Path | None = None
    of: str | None = None
    model: str | None = None
    python: Path | None = None
    kind: str | None = None
    class_: str | None = None
    tasks: str | None = None
    base_url: str | None = None
    key_variable: str | None = None
    pictures_from: str | None = None
    revision: str | None = None
    weights: Path | None = None
    adapter: str | None = None
    checkpoints: str | None = None
    paints: str | None = None
    variant_of: str | None = None
    benchmarks: Sequence[str] = ()
    max_failures: str | None = None
    replace: bool = False


class NewContestant(NamedTuple):
    """A new contestant: its block, the blocks of its models in run.toml by slug, and folders to keep out of git. For a
    folder of answers also its content, and by benchmark the settings in which it is measured.
    """

    name: str
    block: Mapping[str, Any]
    endpoints: Mapping[str, Mapping[str, str]]
    folders: Sequence[Path] = ()
    contents: Folder | None = None
    measured_in: Mapping[str, Sequence[str]] = MappingProxyType({})


def require_named(request: Request) -> None:
    if [request.folder, request.model, request.python].count(None) != 2:
        raise UserError(
            "give exactly one of --folder DIR (answers that were made elsewhere), --model ID and --python FILE"
        )
    if not re.fullmatch("[a-z0-9_]+", request.name):
        meant = re.sub("[^a-z0-9]+", "_", request.name.lower()).strip("_")
        raise UserError(
            f"{request.name!r} cannot be a name: use a-z, 0-9 and _{f'; did you mean {meant!r}?' * bool(meant)}"
        )
    if request.class_ is not None and request.class_ not in ROLES_OF:
        raise UserError(f"--class: there is no class {request.class_!r}{nearest_choice(request.class_, ROLES_OF)}")


def new_contestants(request: Request) -> list[NewContestant]:
    """Return a Python file, or models as contestants: one, or a series of its checkpoints."""
    if request.python is not None:
        return [python_contestant(request, request.python)]
    kind = require_kind(request, "a contestant", CLASS_OF)
    if request.adapter is not None and request.checkpoints is not None:
        raise UserError("--adapter and --checkpoints: each checkpoint is itself an adapter or weights: leave out one")
    if request.paints is not None and (request.adapter or request.checkpoints):
        raise UserError(
            "--paints: an adapter or checkpoints could be of either model: leave out one, or edit params.yaml by hand"
        )
    base = model_contestant(request, kind)
    if request.checkpoints is None:
        return [base]
    series = [checkpoint_contestant(request, base, kind, folder) for folder in checkpoint_folders(request.checkpoints)]
    if twice := [name for name, times in Counter(new.name for new in series).items() if times > 1]:
        raise UserError(f"--checkpoints {request.checkpoints}: two folders would get the name {twice[0]}: match fewer")
    return series if request.variant_of else [base, *series]


def require_kind(request: Request, what: str, able: Collection[str]) -> str:
    """Return the kind of a model; UserError if it is not in `able`, or if options do not fit it."""
    if request.kind is None and request.base_url is None:
        raise UserError(f"--model needs --kind (what runs it: {', '.join(able)}), or --base-url (its server)")
    if (kind := request.kind or "openai") not in able:
        raise UserError(f"--kind: {what} cannot be of kind {kind!r}{nearest_choice(kind, able)}")
    require_options_of(request, f"kind {kind}", TAKES[kind], ", or name another --kind")
    return kind


def require_options_of(request: Request, what: str, takes: Sequence[str] = (), fix: str = "") -> None:
    for option in OPTIONS:
        if getattr(request, option) is not None and option not in takes:
            raise UserError(f"--{option.replace('_', '-')} cannot be used with {what}: leave it out{fix}")


def python_contestant(request: Request, file: Path) -> NewContestant:
    require_options_of(request, "a Python file", ("python", "weights"))
    model = {"kind": "python", "file": python_file.own_file(file), "function": python_file.FUNCTION}
    if (weights := request.weights) is not None and not weights.exists():
        raise UserError(f"--weights: the file or folder {weights} does not exist")
    model |= {"revision": digest(weights)} if weights else {}
    endpoints = {request.name: {"weights": weights.as_posix()}} if weights else {}
    block = block_of(request, request.class_ or "unified", {"model": model})
    return NewContestant(request.name, block, endpoints, [weights] if weights else [])


def model_contestant(request: Request, kind: str) -> NewContestant:
    assert request.model is not None
    if kind != "openai" and Path(request.model).is_dir():
        raise UserError(f"--model {request.model} is a folder: give it as --weights, and the model's name as --model")
    model: dict[str, Any] = {"kind": kind, "id": request.model}
    endpoint, folders = dict[str, str](), list[Path]()
    if kind != "openai":
        if request.weights is not None:
            if request.revision is not None:
                raise UserError(
                    "--revision is a commit of the Hub, but --weights are pinned by their digest: leave out one"
                )
            pinned, endpoint, folders = pinned_weights(request.name, request.weights)
            model |= pinned
        else:
            model["revision"] = request.revision or commit_of(request.model)
    if request.pictures_from is not None:
        model["pictures_from"] = request.pictures_from
    if request.adapter is not None:
        model["adapter"], more = adapter_of(request, request.adapter)
        folders += more
    endpoint |= {"url": request.base_url} if request.base_url else {}
    endpoint |= {"key_variable": request.key_variable} if request.key_variable else {}
    endpoints = {request.name: endpoint} if endpoint else {}
    if kind != "unified":
        class_ = "unified" if request.pictures_from else CLASS_OF[kind]
        block = block_of(request, request.class_ or class_, {"model": model})
        return NewContestant(request.name, block, endpoints, folders)
    family = unified.require_family(request.name, request.model, model["revision"], str(request.weights or "") or None)
    if request.paints is not None:
        return pair_contestant(request, request.paints, model, endpoint, folders)
    class_, tasks, painting = unified.known_abilities(request.name, request.model, family, request.class_)
    return NewContestant(
        request.name, block_of(request, class_, {"model": model | painting}, tasks), endpoints, folders
    )


def pair_contestant(
    request: Request, paints: str, writer: Mapping[str, Any], endpoint: Mapping[str, str], folders: Sequence[Path]
) -> NewContestant:
    """Return a pair of a checkpoint that writes and one that paints."""
    if request.class_ not in (None, "unified"):
        raise UserError(f"--class {request.class_}: a model that writes and paints is of class unified: leave it out")
    id, _, commit = paints.partition("@")
    folder = Path(paints) if Path(paints).is_dir() else None
    pinned, own, more = (
        pinned_weights(request.name, folder) if folder else ({"revision": commit or commit_of(id)}, {}, [])
    )
    family = unified.require_family(request.name, id, pinned["revision"], paints if folder else None)
    painting = {"painting": dict(unified.FAMILIES[family].painting)}
    painter = {"kind": "unified", "id": folder.name if folder else id} | pinned | painting
    tasks = ["understanding", "generation"]  # a pair illustrates its texts too, and so `interleaved` may be named
    block = block_of(request, "unified", {"models": {"text": dict(writer), "image": painter}}, tasks)
    endpoints = {f"{request.name}_text": endpoint} if endpoint else {}
    endpoints |= {f"{request.name}_image": own} if own else {}
    return NewContestant(request.name, block, endpoints, [*folders, *more])


def block_of(
    request: Request, class_: str, models: Mapping[str, Any], tasks: Sequence[str] | None = None
) -> dict[str, Any]:
    block: dict[str, Any] = {"class": class_}
    if request.tasks is not None:
        tasks = split_tasks(request.tasks)
    if tasks is not None:
        block["tasks"] = list(tasks)
    if request.variant_of is not None:
        block["variant_of"] = request.variant_of
    if request.max_failures is not None:
        block["max_failures"] = parse_budget(request.max_failures)
    return {**block, **models}


def split_tasks(option: str) -> list[str]:
    return [task.strip() for task in option.split(",")]


def parse_budget(text: str) -> int | float:
    try:
        value = int(text) if text.isdecimal() else float(text)
    except ValueError:
        value = -1
    if (isinstance(value, float) and not 0 <= value < 1) or value < 0:
        raise UserError(f"--max-failures {text}: give a count (such as 3) or a share below 1 (such as 0.01)")
    return value


def adapter_of(request: Request, named: str) -> tuple[dict[str, Any], list[Path]]:
    folder = Path(named)
    if folder.is_dir():
        require_adapter(request.name, folder, "name another folder")
        if built_id(folder):
            return {"path": os.path.relpath(folder), "revision": BUILT}, []
        return {"path": folder.as_posix(), "revision": digest(folder)}, [folder]
    id, _, commit = named.partition("@")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", id):
        raise UserError(f"--adapter {named}: this folder does not exist, and a name on the Hub is ORG/NAME@COMMIT")
    try:
        return {"id": id, "revision": commit or commit_of(id)}, []
    except UserError as error:
        raise UserError(f"--adapter {named}: this folder does not exist, and on the Hub: {error}") from None


def checkpoint_folders(pattern: str) -> list[Path]:
    folders = [Path(path) for path in glob(pattern) if Path(path).is_dir()]
    if not folders:
        if built_id(Path(pattern)):
            raise UserError(
                f"--checkpoints {pattern}: these are not built yet: run `dvc repro stages/training/dvc.yaml:train`"
            )
        raise UserError(
            f"--checkpoints {pattern}: no folder matches this pattern: quote it, as in 'runs/x/checkpoint-*'"
        )
    return sorted(folders, key=lambda path: natural_order(str(path)))


def checkpoint_contestant(request: Request, base: NewContestant, kind: str, folder: Path) -> NewContestant:
    number = re.search(r"(?:(\d+)/step-)?(\d+)\D*$", folder.as_posix() if built_id(folder) else folder.name)
    numbers = [one for one in number.groups() if one] if number else []
    ending = "_".join(numbers) or re.sub("[^a-z0-9]+", "_", folder.name.lower()).strip("_")
    name = f"{request.name}_{ending}"
    block = {key: value for key, value in base.block.items() if key != "variant_of"}
    base_endpoint = base.endpoints.get(base.name, {})
    whole = any((folder / file).is_file() for file in DESCRIPTIONS)
    if whole:
        model = {key: value for key, value in block["model"].items() if key != "revision"}
        pinned, own, folders = pinned_weights(name, folder)
        model, endpoint = model | pinned, {key: base_endpoint[key] for key in base_endpoint if key != "weights"} | own
    elif "adapter" in TAKES[kind]:
        adapter, folders = adapter_of(replace(request, name=name), str(folder))
        model, endpoint = dict(block["model"]) | {"adapter": adapter}, dict(base_endpoint)
    else:
        raise UserError(f"{folder}: kind {kind} takes only whole weights: merge the adapter into them first")
    block = {"class": block.pop("class"), **block, "variant_of": request.variant_of or request.name, "model": model}
    return NewContestant(name, block, {name: endpoint} if endpoint else {}, [*base.folders, *folders])


def pinned_weights(name: str, folder: Path) -> tuple[dict[str, str], dict[str, str], list[Path]]:
    """Return what params.yaml and run.toml say about whole weights in a folder, and the folder to keep out of git. For
    weights that a stage builds, only params.yaml says something.
    """
    digest = digest_of_weights(name, folder)
    if id := built_id(folder):
        return {"id": id, "revision": BUILT}, {}, []
    return {"revision": digest}, {"weights": folder.as_posix()}, [folder]


def built_id(folder: Path) -> str | None:
    """Return the id of weights that a stage builds, their path in models/bases or models/trained; else None."""
    place = os.path.relpath(folder)
    return next((place[len(root) + 1 :] for root in (BASES, TRAINED) if place.startswith(f"{root}/")), None)


def digest_of_weights(name: str, folder: Path) -> str:
    if not folder.is_dir():
        raise UserError(f"{name}: the folder {folder} does not exist: name one with weights")
    require_weights(name, folder, "name another folder")
    return digest(folder)


def commit_of(id: str) -> str:
    """Ask the Hub for the commit of `main` of a repository, and return it; UserError if it does not answer."""
    from huggingface_hub import HfApi, constants, errors

    give = "give --revision COMMIT (for an adapter ID@COMMIT), or --weights DIR"
    if constants.is_offline_mode():
        raise UserError(f"{id}: the Hub cannot be asked for the commit of main (HF_HUB_OFFLINE is set): {give}")
    try:
        commit = HfApi().model_info(id, timeout=10).sha
    except errors.RepositoryNotFoundError:
        raise UserError(f"{id}: this model is not on the Hub, or is private (`hf auth login`): {give}") from None
    except (errors.HTTPError, OSError, ValueError) as error:  # type: ignore[attr-defined]
        raise UserError(f"{id}: the Hub cannot be asked ({type(error).__name__}): {give}") from None
    if commit is None or not re.fullmatch(COMMIT, commit):
        raise UserError(f"{id}: the Hub names no commit: {give}")
    return commit
