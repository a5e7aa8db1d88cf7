"""The console script `gamut`: it works on the project in whose folder it is called, with the code of that project."""

from __future__ import annotations

import os
import sys
from pathlib import Path


def main() -> None:
    """Run the command of the project that lies here; the installed one where there is none, or it is that one's own."""
    here = Path.cwd()
    is_project = all((here / file).is_file() for file in ("stages/dataset/pipeline.py", "gamut/command/cli.py"))
    if is_project and not Path(__file__).parent.samefile(here / "gamut/command"):
        os.execv(sys.executable, [sys.executable, "-m", "gamut.command.cli", *sys.argv[1:]])
    from gamut.command.cli import app  # benchmarks are looked for when it is imported

    app()
