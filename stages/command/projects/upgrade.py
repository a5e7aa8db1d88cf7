"""`gamut upgrade`: the installed version's pipeline files in a project, what people edited there left as it is."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from stages.command.projects.contents import DISPENSABLE, LAPTOP, OWN, contents, digest, pointers, read_lock, write_lock
from stages.project.files import require_inside, write_whole
from stages.project.installed_code import LOCK, recorded_version, version
from stages.project.pipeline import PARAMS, value_at
from stages.project.validation import parsed, read_yaml, shown

BESIDE = "{}.new"
"""Where a new version of a file lies that was edited here."""
MOST_NAMED = 8


class Change(NamedTuple):
    """What an upgrade does with one file: what is written where, None to delete it, and what to tell."""

    path: Path
    content: bytes | None
    told: str


def upgrade() -> Iterator[str]:
    """Bring this project's files up to the installed version, and yield what to tell, a line each.

    What nobody edited is replaced; of what somebody did, a new version is put beside it. params.yaml is only compared.
    Killed, the same call goes on: gamut.lock is written last.
    """
    recorded, before, files = recorded_version(), read_lock(), contents()
    yield f"gamut {recorded} → {version()}" if recorded != version() else f"gamut {version()}, as {LOCK} says"
    yield from new_keys(files)
    done: dict[str, list[str]] = {}
    names = [name for name in {**files, **before} if name not in OWN]
    require_inside([LOCK, *(Path(place) for name in names for place in (name, BESIDE.format(name)))])
    for change in changes(before, files):
        if change.content is None:
            change.path.unlink(missing_ok=True)
        else:
            write_whole(change.path, change.content)
        done.setdefault(change.told, []).append(str(change.path))
    write_lock(Path(), files)
    for told, names in done.items():
        yield f"{told}: {named(names)}"
    if not done:
        yield "every file is as this version has it, or as you edited it"


def changes(before: Mapping[str, str], files: Mapping[str, bytes]) -> Iterator[Change]:
    """Yield what is to be done in this folder, where `before` are digests of what an earlier version wrote."""
    code = pointers().keys()
    for name, content in files.items():
        path = Path(name)
        if name in OWN:
            continue
        here = path.read_bytes() if path.exists() else None
        if here == content:
            continue
        if here is None and name not in before:
            yield Change(path, content, "written")
        elif here is None:
            if not name.startswith(DISPENSABLE):
                yield Change(path, content, "missing, written again")
        elif digest(here) == before.get(name) or name in code:
            yield Change(path, content, "brought up to date")
        elif before.get(name) != digest(content):
            told = "edited by you, and new in this version, which lies beside it to be merged"
            yield Change(Path(BESIDE.format(name)), content, told)
    for name, noted in before.items():
        path = Path(name)
        if name not in files and path.exists():
            if digest(path.read_bytes()) == noted:
                yield Change(path, None, "no part of this version, deleted")
            else:
                yield Change(path, path.read_bytes(), "no part of this version, but edited by you, left here")


def new_keys(files: Mapping[str, bytes]) -> Iterator[str]:
    """Yield the keys of params.yaml that came and went between the profile `laptop` that lies here and this version's.

    Where none lies here, all that this version's has and params.yaml has not.
    """
    if not PARAMS.exists():
        return
    own, new = read_yaml(PARAMS), parsed(files[LAPTOP].decode())
    old = read_yaml(Path(LAPTOP)) if Path(LAPTOP).exists() else {}
    for key in keys(new):
        if not is_in(own, key) and not is_in(old, key):
            yield f"{PARAMS} lacks a new key: {key}: {shown(value_at(new, key))}"
    for key in keys(old):
        if not is_in(new, key) and is_in(own, key):
            yield f"{PARAMS} has a key that this version's profile `laptop` has no more: {key}"


def keys(values: Any, above: str = "") -> Iterator[str]:
    """Yield the dotted paths of all values that are no mappings; none of what is no mapping itself."""
    for key, value in values.items() if isinstance(values, dict) else ():
        if isinstance(value, dict) and value:
            yield from keys(value, f"{above}{key}.")
        else:
            yield f"{above}{key}"


def is_in(values: Any, path: str) -> bool:
    """Return whether there is a value at a dotted path, be it null."""
    for key in path.split("."):
        if not isinstance(values, dict) or key not in values:
            return False
        values = values[key]
    return True


def named(names: Sequence[str]) -> str:
    """Return the first few names, and how many more there are."""
    more = len(names) - MOST_NAMED
    return ", ".join(names[:MOST_NAMED]) + (f" and {more} more" if more > 0 else "")


def runs_again() -> str:
    """Return which stages `dvc repro` will run because something that they declare has changed."""
    done = subprocess.run([sys.executable, "-m", "dvc", "status", "--json"], capture_output=True, text=True)
    if done.returncode:
        last = (done.stderr.strip().splitlines() or ["it does not say why"])[-1]
        return f"what will run again is not known yet, `dvc status` fails: {last}"
    stages = [name for name in json.loads(done.stdout) if not name.endswith(".dvc")]
    if not stages:
        return "nothing will run again"
    return (
        "`dvc repro` will run again, with what follows from them where their results change (`dvc status` says why): "
        f"{named(stages)}"
    )
