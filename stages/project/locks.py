"""Who writes where: a stage's table lies in one working tree, its replies in a store that several trees may share.

A second writer in the same tree is refused: DVC starts none, so it is an orphan of a killed run, or a person's command.
In the store experiments, clones and machines meet that all have a right to be there: they take turns.
"""

from __future__ import annotations

import json
import os
import socket
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from filelock import FileLock, Timeout

from stages.project.errors import UserError
from stages.project.places import OF_THE_TREE, store_root

SECONDS_UNSAID = 1.0
"""A shorter wait is not worth a line."""
SECONDS_BETWEEN_LINES = 600.0
SECONDS_BETWEEN_TRIES = 0.2


@contextmanager
def only_writer(name: str) -> Iterator[None]:
    """Be the only writer of this name in this working tree; UserError says who else is, and if it is an orphan."""
    lock = lock_in(OF_THE_TREE / "writers", name)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        raise UserError(refusal(holder(lock))) from None
    with noted(lock):
        yield


@contextmanager
def in_turn(name: str) -> Iterator[None]:
    """Be the only writer of this name in the store; who is at it elsewhere is waited for, and named on stderr. What was
    read from the store before may have changed meanwhile.
    """
    lock = lock_in(store_root() / "locks", name)
    started, patience = time.monotonic(), SECONDS_UNSAID
    while True:
        try:
            lock.acquire(timeout=patience, poll_interval=SECONDS_BETWEEN_TRIES)
            break
        except Timeout:
            again = "" if patience == SECONDS_UNSAID else f", for {(time.monotonic() - started) / 60:,.0f} min by now"
            print(f"{name}: {waited_for(holder(lock))}{again}", file=sys.stderr, flush=True)
            patience = SECONDS_BETWEEN_LINES
    with noted(lock):
        yield


def lock_in(folder: Path, name: str) -> FileLock:
    """Return the lock of this name; the system frees it however its holder ends."""
    folder = folder.absolute()
    folder.mkdir(parents=True, exist_ok=True)
    return FileLock(folder / f"{name}.lock")


@contextmanager
def noted(lock: FileLock) -> Iterator[None]:
    """Say beside a lock that is held who holds it, and give it back in the end."""
    try:
        found = {"process": os.getpid(), "parent": os.getppid(), "machine": socket.gethostname(), "folder": os.getcwd()}
        note_of(lock).write_text(json.dumps(found))
        yield
    finally:
        note_of(lock).unlink(missing_ok=True)
        lock.release()


def note_of(lock: FileLock) -> Path:
    return Path(lock.lock_file).with_suffix(".json")


def holder(lock: FileLock) -> dict[str, Any]:
    try:
        return dict(json.loads(note_of(lock).read_text()))
    except (OSError, ValueError):
        return {}


def refusal(found: dict[str, Any]) -> str:
    if is_orphan(found):
        end = f"end it with `kill {found['process']}`"
        return f"process {found['process']}, left over from a killed run, still runs this: {end}"
    return f"{process(found)} already runs this: wait for it to end"


def waited_for(found: dict[str, Any]) -> str:
    place = f" in {found['folder']}" if found else ""
    left = f", left over from a killed run (`kill {found['process']}` ends it)," if is_orphan(found) else ""
    return f"{process(found)}{place}{left} is at this: waiting for it"


def process(found: dict[str, Any]) -> str:
    if not found:
        return "another process"
    return f"process {found['process']}" + (f" of {found['machine']}" if elsewhere(found) else "")


def is_orphan(found: dict[str, Any]) -> bool:
    """Return whether whoever started the holder is gone; False when that cannot be known here."""
    import psutil  # takes as long to import as a lock to get

    return bool(found) and not elsewhere(found) and not psutil.pid_exists(found["parent"])


def elsewhere(found: dict[str, Any]) -> bool:
    return bool(found["machine"] != socket.gethostname())
