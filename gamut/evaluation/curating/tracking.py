"""Pictures of an edition kept for the project: in git while they are few, else by DVC."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from gamut.evaluation.defining import picture_shards
from gamut.project import pipeline
from gamut.project.errors import UserError

MOST_IN_GIT = 1_500_000
"""Bytes of an edition's pictures that git is given."""


def track(folder: Path) -> Iterator[str]:
    """Let DVC track pictures too large for git; yield what to add to git. Repeated, it changes nothing."""
    shards = picture_shards.shards(folder)
    size = sum(path.stat().st_size for path in shards)
    if not shards:
        return
    tracked = folder.with_name(f"{folder.name}.dvc")
    if size <= MOST_IN_GIT and not tracked.exists():
        yield f"{folder}: {size:,} bytes of pictures: `git add` them too"
        return
    if pipeline.dvc("add", "--quiet", str(folder)):
        raise UserError(f"{folder}: the edition stands, but `dvc add {folder}` failed: mend that and run it again")
    yield (
        f"{folder}: {size:,} bytes of pictures, too many for git: DVC tracks them. "
        f"`git add {tracked} {folder.parent / '.gitignore'}`, and `dvc push` brings them to others"
    )
