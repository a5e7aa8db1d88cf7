"""The console script `gamut`: it works on the project in whose folder it is called, wherever gamut is installed."""

from __future__ import annotations

import sys
from pathlib import Path


def main() -> None:
    """Run the command with the `stages` of the current folder; from a folder that is no project nothing is imported."""
    if Path("stages/dataset/pipeline.py").is_file():
        sys.path.insert(0, str(Path.cwd()))
    from gamut.command.cli import app  # benchmarks are looked for when it is imported

    app()
