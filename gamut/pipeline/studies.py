"""Folders of the project with optional stages: without their block in params.yaml, DVC ignores them.

Each has a `stages.py` with its record, a constant with the folder's name in capitals.
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
    """A study. Its `params` have its block, `name`, and the other parameters of its stages. The `introduction` begins
    its dvc.yaml. From the parameters, `players` returns the models that it asks besides roles. It writes weights into
    the folders `builds`. For `gamut estimate`, `bill` returns lines about its costs.
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
        """Return the values of a stage's entry in dvc.yaml."""
        return entry.values(self.file)


@cache
def studies() -> Mapping[str, Study]:
    names = sorted(file.parent.name for file in (ROOT / PROJECT).glob("*/stages.py"))
    return {name: getattr(import_module(f"{PROJECT}.{name}.stages"), name.upper()) for name in names}
