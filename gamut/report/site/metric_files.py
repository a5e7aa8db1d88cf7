"""Metric files as pages read them: nothing but words and numbers that can be shown, in sections or without."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from gamut.project.errors import UserError

MOST = 10**15
"""No metric is as large; what is no number is not below it either."""


def read_metric_file(path: Path) -> dict[str, Any]:
    """Read a metric file; nothing where it was not made yet. UserError for a damaged one."""
    if not path.exists():
        return {}
    try:
        found = json.loads(path.read_text(encoding="utf-8"))
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, dict) or not can_be_shown(found):
        raise UserError(f"{path}: no metrics: delete it, and `dvc repro` writes it anew")
    return found


def can_be_shown(value: Any) -> bool:
    """Return whether a value is words, a number that is one, or a section of such values."""
    if isinstance(value, dict):
        return all(map(can_be_shown, value.values()))
    return isinstance(value, str) or (isinstance(value, int | float) and abs(value) < MOST)
