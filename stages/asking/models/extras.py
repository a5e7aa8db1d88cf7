"""Packages that only some kinds of model need: each comes with an extra of this project."""

from __future__ import annotations

import importlib.util

from stages.project.errors import UserError


def install(extra: str) -> str:
    """Return the command that installs an extra; what is pinned for it is installed as pinned."""
    pinned = "-c constraints.txt " if extra in ("models", "ray") else ""
    return f"pip install {pinned}-e '.[{extra}]'"


def require(name: str, package: str, extra: str) -> None:
    """Raise UserError when a package is not installed; `name` is whose it is, "judge (qwen_vl)"."""
    if importlib.util.find_spec(package) is None:
        raise UserError(f"{name}: the package {package} is missing: {install(extra)}")
