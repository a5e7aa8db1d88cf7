"""Finds a model's weights on this machine, and proves that they are those that params.yaml pins.

They come from a folder that run.toml names, or from the Hub's cache. Only safetensors are loaded, because pickles can
run code.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import time
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from gamut.project.errors import UserError
from gamut.project.files import git_blob_id, sha256_of, write_json
from gamut.project.inputs import files_below
from gamut.project.locks import hold_lock
from gamut.project.model_kinds import BUILT, Model, Weights, built_folders
from gamut.project.places import path_on_disk, store_root
from gamut.project.settings import Endpoint

WANTED_FILES = ("*.safetensors", "*.json", "*.txt", "*.model", "*.jinja", "*.tiktoken")
"""Files that are fetched from the Hub: weights, configurations, vocabularies, chat templates."""
UNWANTED_FILES = ("*.fp16.*", "*.non_ema.*", "consolidated*", "original/*", "onnx/*", "openvino/*")
"""Files that hold the same weights in another form."""
PICKLES = (".bin", ".pt", ".pth", ".ckpt", ".pkl", ".pickle")
DESCRIPTIONS = ("model_index.json", "config.json", "modules.json")
"""Configurations of a diffusers pipeline, a transformers model, a sentence-transformers model."""
LARGE_FILE = 1_000_000  # bytes. Smaller files are hashed again each time, which takes less than a look-up is worth
CLOCK_SECONDS = 1  # seconds by which equal times may differ: some file systems keep whole seconds


def weights_folder(
    name: str,
    slug: str,
    id: str,
    revision: str,
    endpoint: Endpoint,
    trust_remote_code: bool = False,
    pipeline: bool = False,
) -> Path:
    """Return the folder of a model's verified weights. `name` is the model's name for errors, "judge (qwen_vl)".

    `revision` is a commit of the Hub repository `id`, or a folder's `digest`. A `pipeline` has its weights in several
    folders.
    """
    if endpoint.weights:
        folder = path_on_disk(endpoint.weights)
        fix = f"fix `[models.{slug}] weights` in run.toml"
        if not folder.is_dir():
            raise UserError(f"{name}: there is no folder {folder}: {fix}")
        try:
            require_weights(name, folder, fix)
            verify(name, slug, folder, revision)
        except OSError as error:
            raise UserError(f"{name}: {error.filename or folder}: cannot be read ({error.strerror}): {fix}") from None
        return folder
    if revision.startswith("sha256-"):
        raise UserError(
            f"{name}: models.{slug}.revision is the digest of a local folder, which run.toml does not name: "
            f'it needs `[models.{slug}] weights = "…"`'
        )
    folder = fetch_from_hub(name, slug, id, revision, trust_remote_code, pipeline)
    require_weights(name, folder, f"fix models.{slug} in params.yaml")
    return folder


def pin_built(model: Model) -> Model:
    """Return a model with the digests of its built weights instead of `built`. Raise UserError if a stage has not built
    them yet.
    """
    pinned, folders = dict[str, Any](), built_folders(model)
    if isinstance(model, Weights) and model.revision == BUILT:
        pinned["revision"] = built_digest(folders[0])
    if (adapter := getattr(model, "adapter", None)) is not None and adapter.revision == BUILT:
        here = str(Path(folders[-1]).absolute())  # of this tree, whichever project owns a temporary experiment
        pinned["adapter"] = adapter.model_copy(update={"path": here, "revision": built_digest(folders[-1])})
    return model.model_copy(update=pinned) if pinned else model


def built_digest(folder: str) -> str:
    if not Path(folder).is_dir():
        raise UserError(f"{folder}, which a stage builds, does not exist: `dvc repro` its stage, or `dvc pull`")
    return digest(Path(folder))


def require_weights(name: str, folder: Path, fix: str) -> None:
    if not any((folder / file).is_file() for file in DESCRIPTIONS):
        raise UserError(f"{name}: {folder} has no {' or '.join(DESCRIPTIONS[:2])}, is this a model? {fix}")
    for part in weight_folders(folder):
        files = list(walk(part))
        if not any(path.suffix == ".safetensors" for path in files):
            if pickles := [path.name for path in files if path.suffix in PICKLES]:
                raise UserError(
                    f"{name}: {part} has its weights only as pickle ({pickles[0]}), which can run code: convert them "
                    "to safetensors (`save_pretrained` writes them), or use a repository that has safetensors"
                )
            raise UserError(f"{name}: {part} has a configuration but no weights (*.safetensors): {fix}")
        if cut := [path for path in files if path.suffix == ".safetensors" and not is_whole(path)]:
            raise UserError(f"{name}: {cut[0]} is cut off or damaged: fetch it again")
        for index in (path for path in files if path.name.endswith(".safetensors.index.json")):
            if missing := sorted(file for file in shard_files(index) if not (index.parent / file).is_file()):
                raise UserError(f"{name}: {index.parent} lacks {missing[0]}: fetch all of it again")


def require_template_variables(name: str, slug: str, variables: Iterable[str], template: str) -> None:
    for variable in variables:
        if not re.search(rf"\b{re.escape(variable)}\b", template):
            fix = f"fix models.{slug}.chat_template_kwargs in params.yaml"
            raise UserError(f"{name}: {variable} is not a variable of its chat template: {fix}")


def weight_folders(folder: Path) -> list[Path]:
    if not (folder / "model_index.json").is_file():
        return [folder]
    return sorted(path.parent for path in folder.glob("*/config.json"))


def is_whole(path: Path) -> bool:
    """Return whether a safetensors file is as long as its header says."""
    size = path.stat().st_size
    with path.open("rb") as file:
        length = int.from_bytes(file.read(8), "little")
        try:
            header = json.loads(file.read(length)) if length < size else {}
            ends = [entry["data_offsets"][1] for key, entry in header.items() if key != "__metadata__"]
            return bool(ends) and size == 8 + length + max(ends)
        except (ValueError, LookupError, TypeError, AttributeError):
            return False


def shard_files(index: Path) -> set[str]:
    """Return the files that an index of sharded weights names; an empty set when it cannot be read."""
    try:
        return set(json.loads(index.read_bytes())["weight_map"].values())
    except (ValueError, LookupError, TypeError, AttributeError):
        return set()


def verify(name: str, slug: str, folder: Path, revision: str) -> None:
    """Raise UserError unless a folder has the pinned `revision`: by its digest, as a snapshot of a Hub cache, or by the
    notes of `hf download --local-dir`.
    """
    whole = folder.resolve()
    if revision in (whole.name if whole.parent.name == "snapshots" else "", downloaded_commit(folder)):
        return
    actual = digest(folder)
    if actual != revision:
        verdict = "cannot be shown to be" if len(revision) == 40 else "is not"
        raise UserError(
            f"{name}: {folder} {verdict} {revision}, which models.{slug}.revision in params.yaml names: fix "
            f"`[models.{slug}] weights` in run.toml, or run `gamut pin {slug}` to record its digest, {actual}"
        )


def downloaded_commit(folder: Path) -> str:
    """Return the commit at which `hf download --local-dir` fetched all files, "" if a file has changed since.

    It notes three lines for each file: commit, etag (a large file's sha256, or git's id), and time.
    """
    commits = set()
    for path in walk(folder):
        relative = path.relative_to(folder)
        note = folder / ".cache/huggingface/download" / relative.parent / f"{relative.name}.metadata"
        try:
            commit, etag, when = note.read_text().split()
            changed = path.stat().st_ctime > float(when) + CLOCK_SECONDS
        except (FileNotFoundError, ValueError):
            return ""
        if changed:
            found = hashes_of([path])[0] if len(etag) == 64 else git_blob_id(path.read_bytes())
            changed = found != etag
        commits.add("" if changed else commit)
    return commits.pop() if len(commits) == 1 else ""


def digest(folder: Path, paths: Sequence[Path] | None = None) -> str:
    """Return `sha256-…` of the lines that `sha256sum` prints for a folder's files (or for `paths`) in order of their
    paths, without dotfiles; for a file, of its bytes.
    """
    if folder.is_file():
        return f"sha256-{hashes_of([folder])[0]}"
    paths = list(walk(folder)) if paths is None else paths
    lines = [
        f"{hashed}  {path.relative_to(folder).as_posix()}\n"
        for path, hashed in zip(paths, hashes_of(paths), strict=True)
    ]
    return f"sha256-{hashlib.sha256(os.fsencode(''.join(lines))).hexdigest()}"


def hashes_of(paths: Sequence[Path]) -> list[str]:
    """Return the sha256 of files. Those of large files are stored, by path, size, inode and times."""
    notes = store_root() / "weights.json"
    known = read_notes(notes)
    hashes, new = [], {}
    for path in paths:
        stat = path.stat()
        place = os.fsencode(path.resolve()).decode(errors="backslashreplace")
        key = f"{place} {stat.st_size} {stat.st_ino} {stat.st_mtime_ns} {stat.st_ctime_ns}"
        if (hashed := known.get(key)) is None:
            hashed = sha256_of(path)
            if stat.st_size >= LARGE_FILE and time.time() - stat.st_ctime > CLOCK_SECONDS:
                new[key] = hashed
        hashes.append(hashed)
    if new:
        notes.parent.mkdir(parents=True, exist_ok=True)
        with hold_lock(notes.with_suffix(".json.lock")):
            write_json(notes, read_notes(notes) | new)
    return hashes


def read_notes(path: Path) -> dict[str, str]:
    try:
        notes = json.loads(path.read_bytes())
    except (FileNotFoundError, ValueError):
        return {}
    return notes if isinstance(notes, dict) else {}


def walk(folder: Path) -> Iterator[Path]:
    """Return all files below a folder in order of their relative paths, without dotfiles and compiled code."""
    found = [path for path in files_below(folder) if "__pycache__" not in path.relative_to(folder).parts]
    return iter(sorted(found, key=lambda path: path.relative_to(folder).as_posix()))


def fetch_from_hub(name: str, slug: str, id: str, revision: str, trust_remote_code: bool, pipeline: bool) -> Path:
    from huggingface_hub import constants, errors, snapshot_download

    patterns = ["model_index.json", *(f"*/{kind}" for kind in WANTED_FILES)] if pipeline else list(WANTED_FILES)
    patterns += ["*.py"] * trust_remote_code
    where = f"{name}: {id} at {revision}"
    network = errors.HTTPError  # type: ignore[attr-defined]  # of httpx or httpx2, whichever it speaks through
    instead = f"or name a local folder in run.toml, `[models.{slug}] weights`"
    try:
        return Path(
            snapshot_download(id, revision=revision, allow_patterns=patterns, ignore_patterns=list(UNWANTED_FILES))
        )
    except errors.GatedRepoError:
        raise UserError(f"{where}: access is restricted: ask on its page, then `hf auth login`") from None
    except errors.RepositoryNotFoundError:
        raise UserError(
            f"{where}: the Hub has no such model, or it is private: fix models.{slug}.id in params.yaml, or `hf auth "
            f"login`, {instead}"
        ) from None
    except errors.RevisionNotFoundError:
        raise UserError(f"{where}: this commit does not exist: fix models.{slug}.revision in params.yaml") from None
    except errors.LocalEntryNotFoundError:
        offline = "unset HF_HUB_OFFLINE" if constants.HF_HUB_OFFLINE else "check the network"
        raise UserError(
            f"{where}: not all of it is in the Hub's cache, and the Hub cannot be reached: {offline}, {instead}"
        ) from None
    except (network, OSError, ValueError) as error:
        if getattr(getattr(error, "response", None), "status_code", 0) == 401:
            raise UserError(f"{where}: the Hub does not accept your token: run `hf auth login`") from None
        cause = (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".")
        raise UserError(f"{where}: {cause}: check the network and models.{slug} in params.yaml, {instead}") from None
