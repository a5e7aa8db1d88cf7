"""The diffs of CONTRIBUTING.md, applied to a copy of the project."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

from ruamel.yaml import YAML

from tests.paths import ROOT

DIFFS = ROOT / "docs/diffs"
FILTER = "wholeness"
"""The filter that filter.diff adds."""


def apply_diff(name: str, project: Path, *but: str) -> None:
    """Apply one of the diffs, but for some files."""
    exclude = [f"--exclude={file}" for file in but]
    subprocess.run(["git", "apply", *exclude, str(DIFFS / f"{name}.diff")], cwd=project, check=True)


def added(name: str, file: str) -> str:
    """The lines that a diff adds to a file."""
    [part] = re.findall(
        rf"^\+\+\+ b/{re.escape(file)}\n(.*?)(?=^diff |\Z)", (DIFFS / f"{name}.diff").read_text(), re.M | re.S
    )
    return "".join(line[1:] for line in part.splitlines(keepends=True) if line.startswith("+"))


def add_block(params: dict[str, object]) -> None:
    """Add the block of the benchmark to parameters that the diff does not fit."""
    params.update(YAML().load(added("benchmark", "params.yaml")))
