"""Packages that only some kinds of model need: each comes with an extra of this project."""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from stages.project.errors import UserError


def install(extra: str) -> str:
    """Return the command that installs an extra; what is pinned for it is installed as pinned."""
    pinned = "-c constraints.txt " if extra in ("models", "grammar", "ray") else ""
    return f"pip install {pinned}-e '.[{extra}]'"


def require(name: str, package: str, extra: str) -> None:
    """Raise UserError when a package is not installed; `name` is whose it is, "judge (qwen_vl)"."""
    if importlib.util.find_spec(package) is None:
        raise UserError(f"{name}: the package {package} is missing: {install(extra)}")


def find_program(name: str) -> str | None:
    """Return where a program is: on PATH, else beside this Python, whose environment need not be activated."""
    beside = str(Path(sys.executable).parent)
    return shutil.which(name, path=os.pathsep.join([os.environ.get("PATH", os.defpath), beside]))
