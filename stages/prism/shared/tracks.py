"""The tracks of PRISM-Bench and the axes on which it is judged (FLUX-Reason-6M and PRISM-Bench, section 3)."""

from __future__ import annotations

TRACKS = ("imagination", "entity", "text_rendering", "style", "affection", "composition", "long_text")
AXES = ("alignment", "aesthetic")
