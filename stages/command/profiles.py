"""Profiles: complete params files, put in place by `gamut use`."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from ruamel.yaml.error import YAMLError

from stages.evaluation.curating.review import AnyRoom
from stages.project.errors import UserError, nearest
from stages.project.files import write_whole
from stages.project.git import is_committed
from stages.project.inputs import regular
from stages.project.pipeline import PARAMS, PIPELINE, ROOMS, value_at
from stages.project.validation import parsed, read_yaml
from stages.publish.parameters import check_everything, load_everything

PROFILES = Path("profiles")


def names() -> list[str]:
    return sorted(path.stem for path in PROFILES.glob("*.yaml"))


def use(name: str) -> None:
    profile = PROFILES / f"{name}.yaml"
    if not profile.exists():
        raise UserError(f"there is no profile {name!r}{nearest(name, names())}")
    load_everything(profile)
    if PARAMS.exists():
        require_safe()
    write_whole(PARAMS, profile.read_bytes())


def require_safe() -> None:
    """Raise UserError unless what params.yaml holds can be had again: it is some profile, or committed."""
    content = regular(PARAMS).read_bytes()
    others = (path for path in PROFILES.glob("*.yaml") if not path.samefile(PARAMS))  # params.yaml may be a link to one
    if not any(path.read_bytes() == content for path in others) and not is_committed(PARAMS):
        raise UserError(
            f"{PARAMS} has edits that are in no commit: commit them or `git checkout {PARAMS}` first, or keep them as "
            f"{PROFILES}/NAME.yaml"
        )


def put_block(room: AnyRoom, version: str) -> Iterator[str]:
    """Put the block of a benchmark that has none at the end of params.yaml, for this edition, and yield what to tell.
    UserError where params.yaml would be wrong with it: then it stays as it is.
    """
    if room.block is None or not PARAMS.exists() or value_at(values := read_yaml(PARAMS), room.name) is not None:
        return
    check_everything(values, PARAMS)
    block, before = room.block(version, values), PARAMS.read_bytes()
    whole = before + (b"" if before.endswith(b"\n") else b"\n") + block.encode()
    try:
        found = parsed(whole.decode())
    except (YAMLError, ValueError):
        found = None
    if found != values | parsed(block):
        raise UserError(f"{PARAMS}: nothing could be put at its end, put this into it:\n{block}")
    check_everything(found, PARAMS)
    write_whole(PARAMS, whole)
    yield f"{PARAMS}: its block {room.name!r} with this edition is written at the end: look through it and `git add` it"
    stages = ROOMS / room.name / PIPELINE
    yield f"`dvc repro {stages}:board` puts contestants to it: board in metrics/{room.name}, pages in report/benchmarks"
