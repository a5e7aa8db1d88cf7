"""The blocks of new contestants: in params.yaml what decides their answers, in run.toml where their models are."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import Any

from gamut.asking.models.folder.answers import Folder
from gamut.asking.models.torch.adapters import require_adapter
from gamut.asking.models.weights import DESCRIPTIONS, digest, require_weights
from gamut.project.errors import UserError, nearest
from gamut.project.roles import ROLES_OF

CLASS_OF = {
    "openai": "generation",
    "diffusers": "generation",
    "transformers": "understanding",
    "vllm": "understanding",
}
"""Kinds of model that a contestant can be, and what they can do as a rule."""
LOCAL = ("diffusers", "transformers", "vllm")
"""Kinds whose weights run on this machine."""
ADAPTED = ("diffusers", "transformers")
"""Kinds that take adapters."""
COMMIT = r"[0-9a-f]{40}"


@dataclass(frozen=True)
class Asked:
    """What stands on the command line."""

    name: str
    folder: Path | None = None
    model: str | None = None
    kind: str | None = None
    class_: str | None = None
    tasks: str | None = None
    base_url: str | None = None
    key_variable: str | None = None
    revision: str | None = None
    weights: Path | None = None
    adapter: str | None = None
    checkpoints: str | None = None
    variant_of: str | None = None
    benchmarks: Sequence[str] = ()
    max_failures: str | None = None


@dataclass(frozen=True)
class New:
    """A new contestant: its block, that of its model in run.toml ({}: none), folders to be kept out of git, and what it
    holds where it is a folder of answers.
    """

    name: str
    block: Mapping[str, Any]
    endpoint: Mapping[str, str]
    folders: Sequence[Path] = ()
    held: Folder | None = None


def new_contestants(asked: Asked) -> list[New]:
    if (asked.folder is None) == (asked.model is None):
        raise UserError("name --folder DIR with answers that were made elsewhere, or --model ID, one of the two")
    if not re.fullmatch("[a-z0-9_]+", asked.name):
        meant = re.sub("[^a-z0-9]+", "_", asked.name.lower()).strip("_")
        raise UserError(f"{asked.name!r} cannot be a name: a-z, 0-9 and _{f'; did you mean {meant!r}?' * bool(meant)}")
    if asked.class_ is not None and asked.class_ not in ROLES_OF:
        raise UserError(f"--class: there is no class {asked.class_!r}{nearest(asked.class_, ROLES_OF)}")
    if asked.folder is not None:
        return [of_folder(asked, asked.folder)]
    if asked.kind is None and asked.base_url is None:
        raise UserError(f"--model: say by --kind what runs it ({', '.join(CLASS_OF)}), or by --base-url which server")
    if (kind := asked.kind or "openai") not in CLASS_OF:
        raise UserError(f"--kind: a contestant cannot be of kind {kind!r}{nearest(kind, CLASS_OF)}")
    misfits = {
        "--base-url": asked.base_url is not None and kind != "openai",
        "--key-variable": asked.key_variable is not None and kind != "openai",
        "--revision": asked.revision is not None and kind not in LOCAL,
        "--weights": asked.weights is not None and kind not in LOCAL,
        "--adapter": asked.adapter is not None and kind not in ADAPTED,
        "--checkpoints": asked.checkpoints is not None and kind not in LOCAL,
    }
    if wrong := [option for option, is_wrong in misfits.items() if is_wrong]:
        raise UserError(f"{wrong[0]} means nothing to kind {kind}: leave it out, or name another --kind")
    if asked.adapter is not None and asked.checkpoints is not None:
        raise UserError("--adapter and --checkpoints: each checkpoint is an adapter or has weights: leave out one")
    base = of_model(asked, kind)
    if asked.checkpoints is None:
        return [base]
    series = [of_checkpoint(asked, base, kind, folder) for folder in series_of(asked.checkpoints)]
    if twice := [name for name, times in Counter(new.name for new in series).items() if times > 1]:
        raise UserError(f"--checkpoints {asked.checkpoints}: two folders would be called {twice[0]}: name fewer")
    return series if asked.variant_of else [base, *series]


def of_folder(asked: Asked, folder: Path) -> New:
    options = ("kind", "base_url", "key_variable", "revision", "weights", "adapter", "checkpoints")
    if wrong := [option for option in options if getattr(asked, option) is not None]:
        raise UserError(f"--{wrong[0].replace('_', '-')} means nothing to a folder: leave it out")
    if folder.is_file():
        raise UserError(f"--folder {folder}: is a file: name the folder in which it and its pictures lie")
    if not folder.is_dir():
        raise UserError(f"--folder {folder}: there is no such folder")
    contents = Folder(asked.name, str(folder))
    kinds = {"text" if found.kind == "text" else "picture" for found in contents.answers.values()}
    kinds |= {"picture"} if contents.lists.lines else set()
    mixed = any(found.is_line and found.kind != "text" for found in contents.answers.values())
    guessed = "unified" if mixed or len(kinds) > 1 else {"text": "understanding", "picture": "generation"}[kinds.pop()]
    model = {"kind": "folder", "path": folder.as_posix(), "revision": digest(contents.folder)}
    return New(asked.name, block_of(asked, asked.class_ or guessed, model), {}, [folder], contents)


def of_model(asked: Asked, kind: str) -> New:
    assert asked.model is not None
    if kind in LOCAL and Path(asked.model).is_dir():
        raise UserError(
            f"--model {asked.model} is a folder: name it by --weights, and by --model what the model is called"
        )
    model: dict[str, Any] = {"kind": kind, "id": asked.model}
    endpoint, folders = dict[str, str](), list[Path]()
    if kind in LOCAL:
        if asked.weights is not None:
            if asked.revision is not None:
                raise UserError(
                    "--revision is a commit of the Hub, and --weights are pinned by their digest: leave out one"
                )
            endpoint["weights"], folders = asked.weights.as_posix(), [asked.weights]
            model["revision"] = digest_of_weights(asked.name, asked.weights)
        else:
            model["revision"] = asked.revision or commit_of(asked.model)
    if asked.adapter is not None:
        model["adapter"], more = adapter_of(asked, asked.adapter)
        folders += more
    endpoint |= {"url": asked.base_url} if asked.base_url else {}
    endpoint |= {"key_variable": asked.key_variable} if asked.key_variable else {}
    return New(asked.name, block_of(asked, asked.class_ or CLASS_OF[kind], model), endpoint, folders)


def block_of(asked: Asked, class_: str, model: Mapping[str, Any]) -> dict[str, Any]:
    block: dict[str, Any] = {"class": class_}
    if asked.tasks is not None:
        block["tasks"] = [task.strip() for task in asked.tasks.split(",")]
    if asked.variant_of is not None:
        block["variant_of"] = asked.variant_of
    if asked.max_failures is not None:
        block["max_failures"] = budget(asked.max_failures)
    return block | {"model": model}


def budget(text: str) -> int | float:
    try:
        value = int(text) if text.isdecimal() else float(text)
    except ValueError:
        value = -1
    if (isinstance(value, float) and not 0 <= value < 1) or value < 0:
        raise UserError(f"--max-failures {text}: a count (3) or a share below 1 (0.01) is wanted")
    return value


def adapter_of(asked: Asked, named: str) -> tuple[dict[str, Any], list[Path]]:
    folder = Path(named)
    if folder.is_dir():
        require_adapter(asked.name, folder, "name another folder")
        return {"path": folder.as_posix(), "revision": digest(folder)}, [folder]
    id, _, commit = named.partition("@")
    if not re.fullmatch(r"[\w.-]+/[\w.-]+", id):
        raise UserError(f"--adapter {named}: there is no such folder, and on the Hub it would be ORG/NAME@COMMIT")
    try:
        return {"id": id, "revision": commit or commit_of(id)}, []
    except UserError as error:
        raise UserError(f"--adapter {named}: there is no such folder here, and of the Hub: {error}") from None


def series_of(pattern: str) -> list[Path]:
    folders = [Path(path) for path in glob(pattern) if Path(path).is_dir()]
    if not folders:
        raise UserError(
            f"--checkpoints {pattern}: no folder is called so: quote the pattern, as in 'runs/x/checkpoint-*'"
        )
    return sorted(
        folders, key=lambda path: [int(part) if part.isdecimal() else part for part in re.split(r"(\d+)", str(path))]
    )


def of_checkpoint(asked: Asked, base: New, kind: str, folder: Path) -> New:
    number = re.search(r"(\d+)\D*$", folder.name)
    ending = number[1] if number else re.sub("[^a-z0-9]+", "_", folder.name.lower()).strip("_")
    name = f"{asked.name}_{ending}"
    block = {key: value for key, value in base.block.items() if key != "variant_of"}
    whole = any((folder / file).is_file() for file in DESCRIPTIONS)
    if whole:
        model = {key: value for key, value in block["model"].items() if key != "revision"}
        model |= {"revision": digest_of_weights(name, folder)}
        endpoint = dict(base.endpoint) | {"weights": folder.as_posix()}
    elif kind in ADAPTED:
        adapter, _ = adapter_of(replace(asked, name=name), str(folder))
        model, endpoint = dict(block["model"]) | {"adapter": adapter}, dict(base.endpoint)
    else:
        raise UserError(f"{folder}: kind {kind} takes whole weights alone: merge the adapter into them first")
    block = {"class": block.pop("class"), **block, "variant_of": asked.variant_of or asked.name, "model": model}
    return New(name, block, endpoint, [*base.folders, folder])


def digest_of_weights(name: str, folder: Path) -> str:
    if not folder.is_dir():
        raise UserError(f"{name}: there is no folder {folder}: name one with weights")
    require_weights(name, folder, "name another folder")
    return digest(folder)


def commit_of(id: str) -> str:
    """Return the commit of `main` of a repository on the Hub, which is asked; UserError where it cannot be."""
    from huggingface_hub import HfApi, constants, errors

    give = "give --revision COMMIT (for an adapter ID@COMMIT), or --weights DIR"
    if constants.is_offline_mode():
        raise UserError(f"{id}: which commit is main cannot be asked (HF_HUB_OFFLINE): {give}")
    try:
        commit = HfApi().model_info(id, timeout=10).sha
    except errors.RepositoryNotFoundError:
        raise UserError(f"{id}: no such model on the Hub, or a private one (`hf auth login`): {give}") from None
    except (errors.HTTPError, OSError, ValueError) as error:  # type: ignore[attr-defined]
        raise UserError(f"{id}: the Hub cannot be asked ({type(error).__name__}): {give}") from None
    if commit is None or not re.fullmatch(COMMIT, commit):
        raise UserError(f"{id}: the Hub names no commit: {give}")
    return commit
