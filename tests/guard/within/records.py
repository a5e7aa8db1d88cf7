"""What a process read, one line each in its own file; and how a module is changed once it has been imported."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib.machinery import ModuleSpec, PathFinder
from pathlib import Path
from threading import local
from typing import Any

ROOT = os.getcwd()
"""The project: where `dvc` starts stages."""
PARAMETERS = {"params.yaml": "", "stages/editions/params.yaml": "stages/editions/params.yaml: "}
"""Files of parameters, each with what stands before its keys where a read of them is written down."""
state = local()
seen: set[tuple[str, str]] = set()
file = -1


def begin(command: str) -> None:
    """Record from now on what this stage reads."""
    global file
    values = {path: Path(ROOT, path).read_text() for path in PARAMETERS if Path(ROOT, path).exists()}
    if file >= 0:
        os.close(file)
    seen.clear()
    place = os.path.join(os.environ["GAMUT_TEST_READS"], f"{os.getpid()}-{os.urandom(4).hex()}")
    file = os.open(place, os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    record("run", command)
    record("values", json.dumps(values))


def record(kind: str, value: str) -> None:
    kind = f"checked {kind}" if getattr(state, "checking", False) else kind
    if (kind, value) not in seen:
        seen.add((kind, value))
        os.write(file, (json.dumps([kind, value]) + "\n").encode())


@contextmanager
def mark_as_check() -> Iterator[None]:
    """What this thread reads meanwhile decides nothing: it is of a kind of its own."""
    before, state.checking = getattr(state, "checking", False), True
    try:
        yield
    finally:
        state.checking = before


class ModuleChanges:
    """A finder of the modules that are to be changed once they have been imported."""

    changes: dict[str, Callable[[Any], None]] = {}  # noqa: RUF012

    def find_spec(self, name: str, path: Any, target: Any = None) -> ModuleSpec | None:
        if name not in self.changes or (spec := PathFinder.find_spec(name, path, target)) is None:
            return None
        run = spec.loader.exec_module  # type: ignore[union-attr]

        def exec_module(module: Any) -> None:
            run(module)
            self.changes[name](module)

        spec.loader.exec_module = exec_module  # type: ignore[union-attr,method-assign]
        return spec


def change_module(name: str, how: Callable[[Any], None]) -> None:
    if not any(isinstance(finder, ModuleChanges) for finder in sys.meta_path):
        sys.meta_path.insert(0, ModuleChanges())  # type: ignore[arg-type]
    ModuleChanges.changes[name] = how
