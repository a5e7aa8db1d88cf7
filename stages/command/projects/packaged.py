"""The files beside its code that a project begins with. The wheel carries them; in a clone they lie at their places.

hatch_build.py runs this module where nothing is installed: it imports Python's own modules alone.
"""

from __future__ import annotations

from pathlib import Path

NAMES = (
    ".dvc/.gitignore",
    ".dvc/config",
    ".dvc/page/*",
    ".dvc/plots/*",
    ".dvcignore",
    ".gitattributes",
    ".github/workflows/metrics.yml",
    ".gitignore",
    "constraints.txt",
    "dvc.yaml",
    "datasets/.gitignore",
    "datasets/**/.gitkeep",
    "datasets/*/README.md",
    "datasets/editions/*/sandbox.jsonl",
    "datasets/edition_images/*/sandbox/*",
    "docs/*.md",
    "metrics/.gitkeep",
    "profiles/*.yaml",
    "report/.gamut-report",
    "report/**/.gitkeep",
)
CLONE = Path(__file__).resolve().parents[3]
WHEEL = Path(__file__).resolve().with_name("files")
"""Where they lie in an installed wheel."""


def packaged() -> dict[str, Path]:
    """Return where each of these files lies, by its path in a project."""
    return listed(WHEEL if WHEEL.is_dir() else CLONE)


def listed(root: Path) -> dict[str, Path]:
    """Return the files of these names below a folder, by their paths in it."""
    found = {path for name in NAMES for path in root.glob(name) if path.is_file()}
    return {path.relative_to(root).as_posix(): path for path in sorted(found)}
