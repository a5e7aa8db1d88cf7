"""The place of a trial: what its stages read, brought from the project; what they wrote is kept for the next run.

It lies below `.dvc/tmp`, which neither git nor DVC looks at, and is a DVC repository of its own. What runs there shares
the project's reply store and run.toml, as a temporary experiment does (`settings.project_root`): a reply is known by
what was asked, not by where, so the whole build does not pay for it again.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Set
from contextlib import suppress
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from stages.command.trial.small import cut, spread
from stages.evaluation.defining.editions import EDITIONS
from stages.project import pipeline
from stages.project.errors import UserError
from stages.project.pipeline import PARAMS, PIPELINE, ROOMS
from stages.project.validation import read_yaml
from stages.report.site.folder import MARK, REPORT

PLACE = Path(".dvc/tmp/try")
CONFIG = "[core]\n    no_scm = true\n    analytics = false\n    check_update = false\n"
BROUGHT = (PIPELINE, Path(".dvcignore"), ROOMS, EDITIONS, Path("datasets/edition_images"), REPORT / MARK)
"""What no stage declares and every trial needs; the pictures of editions are no dependency of all that read them."""
OF_THE_BUILD = (Path("datasets/decisions"), Path("datasets/labels"), Path("datasets/paraphrases"))
"""What people said of rows and items that a trial does not have: nothing of it is brought."""
MADE = ("__pycache__",)
LARGE = 1_000_000
"""Bytes from which a file is not copied."""


def lay_out(most: int) -> Path:
    """Bring what a trial of so many records needs to its place, and return that; what ran there before stays.

    UserError where there is no project, or its pipeline cannot be read.
    """
    if not Path(".dvc").is_dir() or not PIPELINE.is_file():
        raise UserError(f"there is no project here ({PIPELINE} and .dvc are missing): go to its folder first")
    values = read_yaml(PARAMS)
    outs = set(declared(values, "outs", "metrics", "plots"))
    (PLACE / ".dvc").mkdir(parents=True, exist_ok=True)
    (PLACE / ".dvc" / "config").write_text(CONFIG)
    brought = set[Path]()
    for root in dict.fromkeys([*BROUGHT, *declared(values, "deps")]):
        if root.is_dir() and root not in outs and outs.isdisjoint(root.parents):
            (PLACE / root).mkdir(parents=True, exist_ok=True)  # whatever is in it: DVC wants it to be there
        for path in files_of(root, outs):
            bring(path, PLACE / path, most)
            brought.add(path)
    remove_others(brought, outs)
    with (PLACE / PARAMS).open("w", encoding="utf-8") as file:
        YAML(typ="safe", pure=True).dump(cut(values, most), file)
    return PLACE


def declared(values: Any, *kinds: str) -> Iterator[Path]:
    """Yield what all stages declare of these kinds: dependencies, or what they write."""
    for entry in pipeline.stages().values():
        for kind in kinds:
            for named in entry.get(kind, ()):
                path = named if isinstance(named, str) else next(iter(named))
                yield Path(pipeline.filled(path, values))


def files_of(root: Path, outs: Set[Path]) -> Iterator[Path]:
    """Yield the files below a path that no stage of the pipeline writes.

    Beside what stages write lie folders that nobody makes any more: of a folder with outputs in it only its files are
    brought.
    """
    if root in outs or not outs.isdisjoint(root.parents) or root in OF_THE_BUILD:
        return
    if root.is_file() and root.name != "dvc.lock":
        yield root
    if root.is_dir() and root.name not in MADE:
        holds_outs = any(out.parent == root for out in outs)
        for path in sorted(root.iterdir()):
            if not (path.is_dir() and holds_outs):
                yield from files_of(path, outs)


def bring(source: Path, target: Path, most: int) -> None:
    """Bring one file: an edition with few items; what is large by a second name, all else as a copy."""
    target.parent.mkdir(parents=True, exist_ok=True)
    if source.suffix == ".jsonl" and source.is_relative_to(EDITIONS):
        lines = [line for line in source.read_bytes().splitlines(keepends=True) if line.strip()]
        target.write_bytes(b"".join(spread(lines, most)))
    elif not is_same(source, target):
        target.unlink(missing_ok=True)
        if source.stat().st_size >= LARGE:
            with suppress(OSError):  # another disk
                os.link(source.resolve(), target)
                return
        shutil.copy2(source, target)


def is_same(source: Path, target: Path) -> bool:
    """Return whether a file was brought already, by its size and time of change."""
    if not target.exists():
        return False
    here, there = source.stat(), target.stat()
    return (here.st_size, here.st_mtime_ns) == (there.st_size, there.st_mtime_ns)


def remove_others(brought: Set[Path], outs: Set[Path]) -> None:
    """Remove what an earlier trial had and this one has not; locks and outputs stay, so that it goes on there."""
    for root in (ROOMS, Path("datasets")):
        for path in sorted((PLACE / root).rglob("*"), reverse=True):
            own = path.relative_to(PLACE)
            if path.is_dir() or own in brought or own.suffix == ".lock" or own in outs:
                continue
            if outs.isdisjoint(own.parents) and not set(MADE) & set(own.parts):
                path.unlink()
