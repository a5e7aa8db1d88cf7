"""What DVC's files say of the stages: which table each makes, what it declares, what is recorded; and dvc itself."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

from stages.errors import UserError, nearest
from stages.validation import read_yaml

PIPELINE = Path("dvc.yaml")
LOCK = Path("dvc.lock")


def stages() -> dict[str, Any]:
    """All stages of dvc.yaml by name."""
    found: dict[str, Any] = read_yaml(PIPELINE)["stages"]
    return found


def table_of(stage: str) -> Path:
    """The folder of the table that a stage makes; a UserError for an unknown stage."""
    known = stages()
    if stage not in known:
        raise UserError(f"there is no stage {stage!r} in {PIPELINE}{nearest(stage, known)}")
    table = main_output(known[stage])
    if table is None:
        raise UserError(f"{stage} makes no table: name a stage that does, such as annotate")
    return table


def main_output(stage: Any) -> Path | None:
    """A stage's first output where that is a table; a report's outputs are listed with `cache: false`."""
    first = stage["outs"][0]
    return Path(first) if isinstance(first, str) else None


def stage_of(table: Path) -> str:
    """The stage that makes a table; a UserError when none does."""
    made = {output: name for name, stage in stages().items() if (output := main_output(stage))}
    if table not in made:
        raise UserError(f"no stage in {PIPELINE} makes {table}{nearest(table, made)}")
    return made[table]


def is_recorded(stage: str) -> bool:
    """Whether dvc.lock records the stage's table as it lies here, by the number and size of its files."""
    folder = table_of(stage)
    recorded = read_yaml(LOCK).get("stages", {}).get(stage, {}).get("outs", []) if LOCK.exists() else []
    files = [path for path in folder.rglob("*") if path.is_file()]
    here = (str(folder), len(files), sum(path.stat().st_size for path in files))
    return any((out["path"], out.get("nfiles"), out.get("size")) == here for out in recorded)


def dvc(*arguments: str) -> int:
    """Run this environment's dvc, whose stages find this environment's python; return its exit code."""
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    return subprocess.run([sys.executable, "-m", "dvc", *arguments], env=os.environ | {"PATH": path}).returncode


def declared(stage: str, params: Any) -> tuple[list[str], dict[str, Any]]:
    """A stage's declared dependencies, and its declared parameters with their values in `params`."""
    entry = stages()[stage]
    keys = [
        re.sub(r"\$\{([^}]+)\}", lambda match: str(value_at(params, match.group(1))), key)
        for key in entry.get("params", [])
    ]
    return list(entry.get("deps", [])), {key: value_at(params, key) for key in keys}


def value_at(values: Any, path: str) -> Any:
    """The value at a dotted path, None where there is none."""
    for key in path.split("."):
        values = values.get(key) if isinstance(values, dict) else None
    return values
