"""Benchmarks that cannot be measured now are left out of the build: DVC would refuse all for want of one.

A file `.dvcignore` in the room, which belongs into git, hides its pipeline without a block or a whole edition. Where
there is a block, the leaderboard has the reason in the place of its board.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.evaluation.defining.benchmark import Benchmark
from stages.evaluation.defining.boards import RELATIONS, board_of, reason_of
from stages.evaluation.defining.editions import PICTURES, Item, pictures_path, read_edition
from stages.evaluation.defining.parameters import Params
from stages.evaluation.defining.pictures import absent
from stages.leaderboard.rooms import NAMES, room_of
from stages.project.errors import UserError
from stages.project.files import write_json, write_whole
from stages.project.pipeline import HIDING, PARAMS, PIPELINE, ROOMS, value_at
from stages.project.validation import check, read_yaml

MARK = "# Written and removed by gamut (`gamut check`): this benchmark cannot be measured now"


def leave_out() -> Iterator[str]:
    values = read_yaml(PARAMS) if PARAMS.exists() else {}
    for name in NAMES:
        path, pipeline = ROOMS / name / ".dvcignore", ROOMS / name / PIPELINE
        if not pipeline.exists():
            continue
        without_block = value_at(values, name) is None
        reason = f"{PARAMS} has no block {name!r}" if without_block else why_not(name, values)
        if path.exists() and not path.read_text(encoding="utf-8", errors="replace").startswith(MARK):
            if reason:
                yield f"{name} cannot be measured, and {path} is not gamut's to hide it with: {reason}"
        elif without_block:
            keep_reason(name, None)
            if hide(path):
                yield f"{name} is left out of the build ({path}, to be committed): {reason}"
        elif reason:
            keep_reason(name, reason)
            hide(path)
            yield f"LEFT OUT OF THE BUILD: {name} ({path}, to be committed): {reason}"
        else:
            yield from keep_folder(name, values, pipeline)
            if path.exists() or reason_of(name).exists():
                path.unlink(missing_ok=True)
                reason_of(name).unlink(missing_ok=True)
                yield f"{name} is part of the build again ({path} is gone)"


def keep_reason(name: str, reason: str | None) -> None:
    for path in (board_of(name), RELATIONS / f"{name}.json"):
        path.unlink(missing_ok=True)
    if reason is None:
        reason_of(name).unlink(missing_ok=True)
    else:
        write_json(reason_of(name), {f"{name}.left_out": reason})


def hide(path: Path) -> bool:
    content = f"{MARK}\n{HIDING}\n"
    if path.exists() and path.read_text(encoding="utf-8") == content:
        return False
    write_whole(path, content.encode())
    return True


def keep_folder(name: str, values: Any, pipeline: Path) -> Iterator[str]:
    """Make the folder of an edition's pictures where it has none: DVC wants it, and git keeps no empty one."""
    edition = str(value_at(values, f"{name}.edition"))
    try:
        has_pictures = any(item.images for item in read_edition(name, edition, Item))
    except UserError:  # wrong values are for `gamut check` to refuse
        return
    kept = pictures_path(name, edition) / ".gitkeep"
    if not has_pictures and not kept.parent.exists() and f"{PICTURES}/{name}/" in pipeline.read_text(encoding="utf-8"):
        kept.parent.mkdir(parents=True)
        kept.touch()
        yield f"{kept}: {name}'s edition has no pictures, and DVC wants their folder: `git add` it"


def why_not(name: str, values: Any) -> str | None:
    benchmark = room_of(name).benchmark
    try:
        params = check(benchmark.params, values, PARAMS)
    except UserError:
        return None
    return without_edition(benchmark, params) or without_pictures(benchmark, params)


def without_edition(benchmark: Benchmark[Any, Any], params: Params) -> str | None:
    try:
        benchmark.require_watched(params)
    except UserError as error:
        name, edition = benchmark.name, benchmark.edition(params)
        if edition.exists():
            return str(error)
        reason = str(error) if str(error).endswith("?") else f"{error}."
        return f"{reason} `gamut freeze {name} {edition.stem}` or `gamut import {name} … {edition.stem}` makes it"
    return None


def without_pictures(benchmark: Benchmark[Any, Any], params: Params) -> str | None:
    return absent(benchmark.name, benchmark.block(params).edition, benchmark.items(params))
