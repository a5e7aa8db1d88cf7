"""Locks on units of work among a cluster's workers, including workers that outlive their killed run."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from gamut.project.errors import UserError
from gamut.project.locks import hold_lock

LOCK_SECONDS = 120.0
"""Ray ends a worker that outlives its killed run within seconds; until then the worker holds its unit."""


def locks_folder(store: Path, stage: str) -> Path:
    return store / "locks" / stage


@contextmanager
def unit_lock(store: Path, stage: str, name: str) -> Iterator[None]:
    with hold_lock(locks_folder(store, stage) / f"{name}.lock", LOCK_SECONDS) as is_held:
        if not is_held:
            raise UserError(f"another process works on {name}: wait for it if this stage also runs elsewhere")
        yield


def wait_for_workers(store: Path, stage: str) -> None:
    """Wait until no worker of a killed run holds a unit of the stage, and remove the notes of such runs."""
    for lock in locks_folder(store, stage).glob("*.lock"):
        with hold_lock(lock, LOCK_SECONDS) as is_held:
            if not is_held:
                raise UserError(f"a Ray worker of an earlier run still works on {lock.stem}: end it, then run again")
    shutil.rmtree(locks_folder(store, stage), ignore_errors=True)
