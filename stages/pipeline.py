"""What dvc.yaml says of the stages: which folder a stage makes, which values and files it declares."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from stages.errors import UserError, nearest
from stages.params import read_yaml

PIPELINE = Path("dvc.yaml")


def stages() -> dict[str, Any]:
    """All stages of dvc.yaml by name."""
    found: dict[str, Any] = read_yaml(PIPELINE)["stages"]
    return found


def table_of(stage: str) -> Path:
    """The folder of the table that a stage makes; a UserError for an unknown stage."""
    known = stages()
    if stage not in known:
        raise UserError(f"there is no stage {stage!r} in {PIPELINE}{nearest(stage, known)}")
    return Path(known[stage]["outs"][0])


def stage_of(table: Path) -> str:
    """The stage that makes a table; a UserError when none does."""
    made = {Path(stage["outs"][0]): name for name, stage in stages().items()}
    if table not in made:
        raise UserError(f"no stage in {PIPELINE} makes {table}{nearest(table, made)}")
    return made[table]


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
