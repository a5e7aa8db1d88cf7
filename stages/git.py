"""What git knows."""

from __future__ import annotations

import subprocess
from pathlib import Path


def is_committed(path: Path) -> bool:
    """Whether the last commit holds this file with the content that it has now."""
    try:
        committed = subprocess.run(["git", "show", f"HEAD:./{path}"], capture_output=True, check=True).stdout
        return committed == path.read_bytes()
    except (subprocess.CalledProcessError, FileNotFoundError):
        return False
