"""What the installed version puts into a project, file by file."""

from __future__ import annotations

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

from stages.command.projects.packaged import WHEEL, packaged
from stages.project.errors import UserError
from stages.project.files import write_json
from stages.project.installed_code import CODE, LOCK, is_code, standing_for, version
from stages.project.pipeline import PARAMS, PIPELINE
from stages.project.validation import read_yaml

LAPTOP = "profiles/laptop.yaml"
README = "README.md"
DISPENSABLE = ("docs/", "profiles/")
"""What may be deleted: an upgrade does not put it back."""
OWN = (str(PARAMS), README)
"""What belongs to a project's owner from the beginning: written once, and never again."""


def contents() -> dict[str, bytes]:
    """Return all files of a new project, by their paths in it: pipeline files and what else people may edit, and
    pointers in the place of code.
    """
    beside = {name: path.read_bytes() for name, path in packaged().items()}
    yaml = {str(path.relative_to(CODE.parent)): path.read_bytes() for path in yaml_files()}
    readme = Path(__file__).with_name("readme.md").read_bytes()
    return {**beside, **yaml, **pointers(), str(PARAMS): beside[LAPTOP], README: readme}


def yaml_files() -> list[Path]:
    """Return the pipeline files of rooms, and the pools that params.yaml may name."""
    return sorted(path for path in CODE.rglob("*.yaml") if not path.is_relative_to(WHEEL))


def pointers() -> dict[str, bytes]:
    """Return the files that stand for code that some stage declares, by their paths; YAML stands for itself."""
    places = (standing_for(dependency) for dependency in declared_code() if not dependency.endswith(".yaml"))
    return {str(place): content for place, content in places}


def declared_code() -> set[str]:
    """Return what the stages of this version declare of the code, the world's and the rooms' alike."""
    files = [packaged()[str(PIPELINE)], *(path for path in yaml_files() if path.name == PIPELINE.name)]
    stages = (stage for file in files for stage in read_yaml(file)["stages"].values())
    return {dependency for stage in stages for dependency in stage.get("deps", ()) if is_code(dependency)}


def digest(content: bytes) -> str:
    """Return the digest by which an edited file is known."""
    return sha256(content).hexdigest()


def write_lock(folder: Path, files: Mapping[str, bytes]) -> None:
    """Note in a project which version wrote which contents, but for what is its owner's."""
    noted = {name: digest(content) for name, content in sorted(files.items()) if name not in OWN}
    write_json(folder / LOCK, {"version": version(), "files": noted})


def read_lock() -> dict[str, str]:
    """Return the digests of what was written here, by path; UserError where this is no project of `gamut init`."""
    try:
        files = json.loads(LOCK.read_text(encoding="utf-8"))["files"]
        if any(Path(name).is_absolute() or {"..", ".git"} & {*Path(name).parts} or "\0" in name for name in files):
            raise UserError(f"{LOCK}: names files outside this project: `git checkout {LOCK}`")
        return {str(name): str(noted) for name, noted in files.items()}
    except FileNotFoundError:
        raise UserError(
            f"there is no {LOCK} here: run this in the top folder of a project that `gamut init` made (in a clone `git "
            "pull` upgrades)"
        ) from None
    except (ValueError, LookupError, TypeError, AttributeError):
        raise UserError(f"{LOCK}: cannot be read, after a merge perhaps: `git checkout --ours {LOCK}`") from None
