"""What wheel and archive take along beside the code: the files that a project of one's own begins with."""

from __future__ import annotations

import runpy
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

MODULE = "stages/command/projects/packaged.py"


class ProjectFiles(BuildHookInterface[Any]):
    """Adds these files: to the wheel in the folder where that module looks for them, to the archive at their places."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Add them, but for an editable wheel: what is installed from a clone finds them there."""
        if version != "editable":
            root = Path(self.root)
            into = Path(MODULE).with_name("files") if self.target_name == "wheel" else Path()
            files = runpy.run_path(str(root / MODULE))["listed"](root)
            build_data["force_include"] |= {str(path): str(into / name) for name, path in files.items()}
