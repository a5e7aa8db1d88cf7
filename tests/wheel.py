"""gamut's wheel, built from this project and installed where nothing of this project is found."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

from tests.end_to_end.project import Project, opened
from tests.paths import ROOT


def build(folder: Path) -> Path:
    """Build the wheel into a folder and return where it lies."""
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)
    [wheel] = folder.glob("*.whl")
    return wheel


def installed_apart(wheel: Path, site: Path, folder: Path) -> Project:
    """Install a wheel into a folder of its own, the packages that it needs being those of this environment; return a
    project, to be made in `folder`, whose commands find its code there.
    """
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--no-deps",
        "--no-compile",
        "--disable-pip-version-check",
    ]
    subprocess.run([*pip, "--target", str(site), str(wheel)], check=True, capture_output=True)
    environment = opened(folder).environment
    path = f"{site / 'bin'}{os.pathsep}{environment['PATH']}"
    return Project(folder, environment | {"PATH": path, "PYTHONPATH": str(site)})
