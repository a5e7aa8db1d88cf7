"""Fix DVC's own files that it left half-written when it was killed; nothing that it recorded is lost.

DVC rewrites dvc.lock after every stage and .dvc/tmp/rwlock around each, both in place, and notes a run in several
steps. Killed in between, it refuses to start. But the last commit has an older lock, and DVC looks up a stage that is
missing in it among the noted runs.
"""

from __future__ import annotations

import json
import re
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from gamut.project import git, pipeline
from gamut.project.errors import UserError
from gamut.project.files import write_whole

ENTRY = re.compile(r"^  (?=\S)", re.MULTILINE)
CONFLICT = re.compile(r"^(<<<<<<<|=======|>>>>>>>)", re.MULTILINE)
RUN = re.compile(r"[0-9a-f]{64}")


def recover() -> list[str]:
    """Fix what a killed dvc left here, and return a line for each file. While a dvc runs, nothing is touched: a file
    that looks torn may be being written. UserError if a person has to decide.
    """
    if not Path(".dvc").is_dir():
        return []
    from dvc.exceptions import DvcException

    try:
        rwlock, runs = Path(".dvc/tmp/rwlock"), pipeline.cache_folder() / "runs"
        if not (torn := broken_files(rwlock, runs)):
            return []
        if (other := dvc_at_work()) is not None:
            return [f"{torn[0]} may be damaged, but dvc runs here (process {other}): check again afterwards"]
        from dvc.repo import Repo  # takes as long to import as most checks take together

        with Repo() as repo, repo.lock:  # no other dvc starts meanwhile
            return list(mend_files(rwlock, runs))
    except DvcException as error:
        return [f"dvc: {str(error).splitlines()[0]}"]


def broken_files(rwlock: Path, runs: Path) -> list[Path]:
    locks = [path for path in lock_files() if is_torn(path.read_bytes())]
    return [*locks, *([rwlock] if is_left_behind(rwlock) else []), *half_written_runs(runs)]


def mend_files(rwlock: Path, runs: Path) -> Iterator[str]:
    for path in lock_files():
        if not is_whole(data := path.read_bytes()):
            yield mend_lock(path, data)
    if is_left_behind(rwlock):
        rwlock.unlink()
        yield f"{rwlock}: left by a killed run: removed"
    if left := half_written_runs(runs):
        for path in left:
            path.rmdir() if path.is_dir() else path.unlink()
        yield f"{runs}: {len(left)} left half-written by a killed run: removed"


def lock_files() -> list[Path]:
    return [path for file in pipeline.pipeline_files() if (path := file.with_suffix(".lock")).is_file()]


def is_torn(data: bytes) -> bool:
    """Whether a lock file is damaged: DVC writes it from its beginning, so the last entry shows it."""
    text = data.decode(errors="replace")
    head, *entries = ENTRY.split(text)
    return CONFLICT.search(text) is not None or not is_whole((head + "".join(f"  {e}" for e in entries[-1:])).encode())


def is_whole(data: bytes) -> bool:
    """Whether DVC would read these bytes, and they do not end in the middle of a line."""
    from dvc.schema import COMPILED_LOCKFILE_SCHEMA
    from voluptuous import Invalid

    try:
        COMPILED_LOCKFILE_SCHEMA(YAML(typ="safe", pure=True).load(data.decode()))
    except (YAMLError, ValueError, Invalid):
        return False
    return data.endswith(b"\n")


def mend_lock(path: Path, data: bytes) -> str:
    if CONFLICT.search(data.decode(errors="replace")):
        raise UserError(f"{path} has conflicts of a merge: run `git checkout --ours {path}`, then `dvc repro`")
    before = git.committed_content(path)
    if is_whole(before):
        write_whole(path, before)
    else:
        path.unlink()
    how = "restored from the last commit" if path.exists() else "removed"
    return f"{path}: damaged by a killed run: {how}; `dvc repro` finds what it recorded in DVC's cache"


def is_left_behind(rwlock: Path) -> bool:
    try:
        held = json.loads(rwlock.read_bytes())
    except FileNotFoundError:
        return False
    except ValueError:
        return True
    return not isinstance(held, dict) or any(held.values())


def half_written_runs(runs: Path) -> list[Path]:
    """Return what DVC left half-written of notes of runs: temporary files, then folders without a note. In a cache that
    others share, only what is older than a minute: newer files may be being written.
    """
    latest = time.time() - (0 if runs.resolve().is_relative_to(Path.cwd().resolve()) else 60.0)
    files: list[Path] = []
    for folder in runs.glob("*/*"):
        if folder.stat().st_mtime > latest:
            continue
        notes = list(folder.iterdir())
        left = [note for note in notes if not RUN.fullmatch(note.name)]
        files += [*left, folder] if len(left) == len(notes) else left
    return files


def dvc_at_work() -> int | None:
    import psutil

    here = Path.cwd().resolve()
    for process in psutil.process_iter():
        with suppress(psutil.Error, OSError):
            words = [Path(word).name for word in process.cmdline()]
            if "dvc" in words[:3] and "daemon" not in words and Path(process.cwd()).is_relative_to(here):
                return process.pid
    return None
