"""Where this project lies, and the real data that the tests read."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
DATA = ROOT / "tests" / "data"
PARTI = DATA / "parti" / "PartiPrompts.tsv"
