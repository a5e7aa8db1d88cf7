"""The console script `gamut`: it runs in the project in whose folder it is called, with that project's code."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the code of the project in this folder; the installed code if there is no project or it is the same."""
    here = Path.cwd()
    is_project = all((here / file).is_file() for file in ("stages/dataset/pipeline.py", "gamut/command/cli.py"))
    if is_project and not Path(__file__).parent.samefile(here / "gamut/command"):
        os.execv(sys.executable, [sys.executable, "-m", "gamut.command.cli", *sys.argv[1:]])
    from gamut.command.cli import app  # importing it searches for benchmarks

    app()
