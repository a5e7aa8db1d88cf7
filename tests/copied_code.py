"""Code that lies elsewhere than what is tested."""

from __future__ import annotations

from inspect import unwrap
from pathlib import Path

import pytest

from gamut.asking.models.world import sandbox
from gamut.project import code


def code_at(folder: Path, patch: pytest.MonkeyPatch) -> None:
    """Have digests of code be of what lies in a folder, and read it each time."""
    for module in (code, sandbox):
        patch.setattr(module, "ROOT", folder)
    for name in ("imported_by", "is_module", "require_no_code"):
        patch.setattr(code, name, unwrap(getattr(code, name)))
    patch.setattr(sandbox, "revision", unwrap(sandbox.revision))
