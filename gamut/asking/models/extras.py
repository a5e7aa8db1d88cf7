"""Packages that only some kinds of model need, each from an extra of this project.

vLLM needs other versions of transformers and numpy, so it has its own environment, `.venv-vllm`, or is found on PATH.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import sys
from pathlib import Path

from gamut.project.errors import UserError
from gamut.project.places import project_root

INSTALL_VLLM = "python3 -m venv .venv-vllm && .venv-vllm/bin/pip install 'vllm>=0.14'"
"""The first version that fits a model's context into memory by itself."""


def install_command(extra: str) -> str:
    pinned = "" if extra == "paddle" else "-c constraints.txt "
    return f"pip install {pinned}-e '.[{extra}]'"


def require_package(name: str, package: str, extra: str) -> None:
    if importlib.util.find_spec(package) is None:
        raise UserError(f"{name}: the package {package} is missing: {install_command(extra)}")


def first_line(error: BaseException) -> str:
    """Return the first line of a library's error, at most 300 characters."""
    return (str(error).strip() or type(error).__name__).splitlines()[0].rstrip(".:")[:300]


def find_program(name: str) -> str | None:
    """Return the path of a program: in `.venv-NAME` of the project, else on PATH, else next to this Python."""
    its_own = str(project_root() / f".venv-{name}" / "bin")
    beside = str(Path(sys.executable).parent)
    return shutil.which(name, path=os.pathsep.join([its_own, os.environ.get("PATH", os.defpath), beside]))
