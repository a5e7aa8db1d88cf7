"""The places of files that belong to a working tree, or to the repository that owns the reply store."""

from __future__ import annotations

import os
from pathlib import Path

TREE_FOLDER = Path(".dvc/tmp/gamut")
"""Notes about one working tree, even if others share its store."""


def project_root() -> Path:
    """Return the project that owns the store; for a temporary experiment, the one whose `.dvc/tmp` contains it."""
    here = Path.cwd()
    parts = here.parts
    for position in range(len(parts) - 1):
        if parts[position : position + 2] == (".dvc", "tmp"):
            return Path(*parts[:position])
    return here


def path_on_disk(path: str) -> Path:
    """Return a path of params.yaml or run.toml: a relative one starts at the project, `~` is a home."""
    return project_root() / os.path.expanduser(path)  # Path.expanduser raises if there is no such home


def store_root() -> Path:
    """Return the reply store: `GAMUT_STORE` (a relative path starts at the project), otherwise `.store/`."""
    return project_root() / (os.environ.get("GAMUT_STORE") or ".store")


BOARDS = Path("datasets/boards")
RELATIONS = Path("metrics/relations")
"""Statements of some benchmarks about their board and others, one file for each benchmark."""


def board_of(benchmark: str) -> Path:
    """Return a benchmark's board, with flat keys that begin with benchmark and edition. DVC keeps it."""
    return BOARDS / f"{benchmark}.json"


def reason_of(benchmark: str) -> Path:
    return BOARDS / f"{benchmark}.left_out.json"
