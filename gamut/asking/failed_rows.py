"""The rows that failed in a stage's last run in this working tree, for `gamut retry` and `gamut show`."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TypedDict

from gamut.project.files import write_json
from gamut.project.places import TREE_FOLDER


class Failure(TypedDict):
    """A failed row: its id, why it failed, and the fingerprints of its requests."""

    id: str
    status: str
    reason: str | None
    fingerprints: list[str]


def note_failed(stage: str, failures: Iterable[Failure]) -> None:
    write_json(note_path(stage), sorted(failures, key=lambda one: (one["id"], one["fingerprints"])))


def failed_rows(stage: str) -> list[Failure]:
    path = note_path(stage)
    return list(json.loads(path.read_text(encoding="utf-8"))) if path.exists() else []


def note_path(stage: str) -> Path:
    return TREE_FOLDER / "failed" / f"{stage}.json"
