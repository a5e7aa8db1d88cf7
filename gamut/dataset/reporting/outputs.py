"""The files in which a build reports on itself."""

from __future__ import annotations

from pathlib import Path

METRICS = Path("metrics/dataset.json")
SUMMARY = Path("metrics/summary.json")
PLOTS = Path("metrics/plots")
CONTACT_SHEET = Path("metrics/contact_sheet.webp")
CARD = Path("datasets/card.md")
