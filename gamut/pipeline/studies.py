"""Folders of the project whose stages are no part of every build: without their block in params.yaml they are hidden.

Each has a `stages.py`, which calls its record by the folder's name in capitals.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any

from gamut.pipeline.entries import Entry
from gamut.project.code import PROJECT, ROOT
from gamut.project.pipeline import BENCHMARKS, PIPELINE
from gamut.project.roles import RoleModel
from gamut.project.validation import Strict


@dataclass(frozen=True)
class Study:
    """`params`: its block, `name`, and what else its stages are given of params.yaml. `introduction`: of its dvc.yaml.
    `players`: who is asked beside roles, by the parameters; `builds`: the folders of weights that it writes; `bill`:
    lines of what it takes, for `gamut estimate`.
    """

    name: str
    params: type[Strict]
    introduction: str
    entries: Sequence[Entry]
    plots: Sequence[Mapping[str, Any]] = ()
    players: Callable[[Any], Sequence[RoleModel]] = lambda params: ()
    builds: Callable[[Any], Sequence[str]] = lambda params: ()
    bill: Callable[[Any], Iterable[str]] = lambda params: ()

    @property
    def file(self) -> Path:
        return BENCHMARKS / self.name / PIPELINE

    def record(self, entry: Entry) -> dict[str, Any]:
        """Return what a stage's entry says in dvc.yaml."""
        return entry.values(self.file)


@cache
def studies() -> Mapping[str, Study]:
    names = sorted(file.parent.name for file in (ROOT / PROJECT).glob("*/stages.py"))
    return {name: getattr(import_module(f"{PROJECT}.{name}.stages"), name.upper()) for name in names}
