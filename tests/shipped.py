"""What the shipped profiles give."""

from __future__ import annotations

from contextlib import chdir
from typing import Any

from gamut.command.profiles import composed_text
from gamut.project.validation import parse_yaml
from tests.paths import ROOT


def profile(*names: str) -> Any:
    """Return the values that `gamut use NAME...` puts in place."""
    with chdir(ROOT):
        return parse_yaml(composed_text(names))
