"""The command `gamut`: it works on the project in whose folder it is called."""

from __future__ import annotations

import sys
from pathlib import Path

STEPS = Path("dataset", "pipeline.py")
"""In `stages`, where a project lists the steps of its dataset."""


def main() -> None:
    """Run the command with the `stages` of the current folder, wherever gamut is installed. From a folder that is no
    project nothing is imported.
    """
    if Path("stages", STEPS).is_file():
        sys.path.insert(0, str(Path.cwd()))
    from gamut.command.cli import app  # benchmarks are looked for when it is imported

    app()
