"""Locks for writers: a stage's table is in one working tree, its replies in a store that several trees may share.

A second writer in the same tree is refused: DVC starts none, so it is an orphan of a killed run, or a person's command.
Experiments, clones and machines that share a store are all valid writers, so they take turns.
"""

from __future__ import annotations

import fcntl
import json
import math
import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gamut.project.errors import UserError
from gamut.project.places import TREE_FOLDER, store_root

SECONDS_UNSAID = 1.0
"""A shorter wait is not reported."""
SECONDS_BETWEEN_LINES = 600.0
SECONDS_BETWEEN_TRIES = 0.2


@contextmanager
def only_writer(name: str) -> Iterator[None]:
    """Be the only writer of this name in this working tree. A UserError names the other one, and if it is an orphan."""
    lock = lock_in(TREE_FOLDER / "writers", name)
    with hold_lock(lock, 0) as is_held:
        if not is_held:
            raise UserError(refusal_message(holder_of(lock)))
        with note_holder(lock):
            yield


@contextmanager
def writer_in_turn(name: str) -> Iterator[None]:
    """Wait for the lock, and report its holder on stderr. Data read from the store before may have changed."""
    lock = lock_in(store_root() / "locks", name)
    started, patience = time.monotonic(), SECONDS_UNSAID
    while True:
        with hold_lock(lock, patience) as is_held:
            if is_held:
                with note_holder(lock):
                    yield
                return
        again = "" if patience == SECONDS_UNSAID else f", for {(time.monotonic() - started) / 60:,.0f} min by now"
        print(f"{name}: {waiting_message(holder_of(lock))}{again}", file=sys.stderr, flush=True)
        patience = SECONDS_BETWEEN_LINES


def lock_in(folder: Path, name: str) -> Path:
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return folder / f"{name}.lock"


@contextmanager
def hold_lock(lock: Path, seconds: float = math.inf) -> Iterator[bool]:
    """Yield whether the lock was free within so many seconds. The system frees it when its holder ends in any way."""
    file, end = os.open(lock, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o666), time.monotonic() + seconds
    try:
        while not (is_held := try_lock(file)) and time.monotonic() < end:
            time.sleep(SECONDS_BETWEEN_TRIES)
        yield is_held
    finally:
        fcntl.flock(file, fcntl.LOCK_UN)  # processes that were forked meanwhile hold the file as well
        os.close(file)


def try_lock(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        return False
    return True


@contextmanager
def note_holder(lock: Path) -> Iterator[None]:
    try:
        found = {"process": os.getpid(), "parent": os.getppid(), "machine": machine_name(), "folder": os.getcwd()}
        note_of(lock).write_text(json.dumps(found))
        yield
    finally:
        note_of(lock).unlink(missing_ok=True)


def note_of(lock: Path) -> Path:
    return lock.with_suffix(".json")


def holder_of(lock: Path) -> dict[str, Any]:
    try:
        return dict(json.loads(note_of(lock).read_text()))
    except (OSError, ValueError):
        return {}


def refusal_message(note: dict[str, Any]) -> str:
    if is_orphan(note):
        end = f"end it with `kill {note['process']}`"
        return f"process {note['process']}, left over from a killed run, still runs this: {end}"
    return f"{process_label(note)} already runs this: wait for it to end"


def waiting_message(note: dict[str, Any]) -> str:
    place = f" in {note['folder']}" if note else ""
    left = f", left over from a killed run (`kill {note['process']}` ends it)," if is_orphan(note) else ""
    return f"{process_label(note)}{place}{left} is working on this: waiting for it"


def process_label(note: dict[str, Any]) -> str:
    if not note:
        return "another process"
    return f"process {note['process']}" + (f" of {note['machine']}" if is_elsewhere(note) else "")


def is_orphan(note: dict[str, Any]) -> bool:
    """Return whether the process that started the holder is gone; False if that cannot be known here."""
    import psutil  # takes as long to import as a lock to get

    return bool(note) and not is_elsewhere(note) and not psutil.pid_exists(note["parent"])


def is_elsewhere(note: dict[str, Any]) -> bool:
    return bool(note["machine"] != machine_name())


def machine_name() -> str:
    return os.uname().nodename
