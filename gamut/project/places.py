"""Where things lie that belong to a working tree, and to the repository that owns the reply store."""

from __future__ import annotations

import os
from pathlib import Path

TREE_FOLDER = Path(".dvc/tmp/gamut")
"""What is noted of one working tree alone, whoever shares its store."""


def project_root() -> Path:
    """Return who owns the store: of a temporary experiment, the project in whose `.dvc/tmp` it lies."""
    here = Path.cwd()
    parts = here.parts
    for position in range(len(parts) - 1):
        if parts[position : position + 2] == (".dvc", "tmp"):
            return Path(*parts[:position])
    return here


def path_on_disk(path: str) -> Path:
    """Return a path of params.yaml or run.toml: a relative one starts at the project, `~` is a home."""
    return project_root() / os.path.expanduser(path)  # Path's raises where nobody has such a home


def store_root() -> Path:
    """Return where the reply store lies: `GAMUT_STORE` (a relative path starts at the project), else `.store/`."""
    return project_root() / (os.environ.get("GAMUT_STORE") or ".store")


BOARDS = Path("datasets/boards")
RELATIONS = Path("metrics/relations")
"""What some benchmark says of its board beside the others, a file a benchmark."""


def board_of(benchmark: str) -> Path:
    """Return where a benchmark's board lies: flat keys that begin with benchmark and edition. DVC keeps it."""
    return BOARDS / f"{benchmark}.json"


def reason_of(benchmark: str) -> Path:
    return BOARDS / f"{benchmark}.left_out.json"
