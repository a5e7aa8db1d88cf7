"""What git knows."""

from __future__ import annotations

import subprocess
from pathlib import Path


def is_committed(path: Path) -> bool:
    """Whether the last commit holds this file with the content that it has now."""
    committed = subprocess.run(["git", "show", f"HEAD:./{path}"], capture_output=True, check=False)
    return committed.returncode == 0 and committed.stdout == path.read_bytes()
