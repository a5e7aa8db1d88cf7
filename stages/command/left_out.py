"""Benchmarks that cannot be measured now are left out of the build, so that they keep no other from it.

The pipeline files of a benchmark's room name keys of its block in params.yaml, and the edition that this names. While
one of these is missing DVC would refuse everything, or stop half-way. A file `.dvcignore` in the room hides them from
DVC: without a block all, without a whole edition those that measure; one can still be proposed. It belongs into git:
the project is then the same for whoever clones it. In the place of its board the leaderboard has the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from stages.leaderboard.leaderboard import BOARDS
from stages.leaderboard.rooms import NAMES, room_of
from stages.project.errors import UserError
from stages.project.files import write_json, write_whole
from stages.project.pipeline import CONSTRUCTION, PARAMS, PIPELINE, ROOMS, hiding, value_at
from stages.project.validation import read_yaml

MARK = "# Written and removed by `gamut check`: this benchmark cannot be measured now"


def leave_out() -> Iterator[str]:
    """Hide what cannot be measured, show again what can, and yield what to tell, a line each.

    A `.dvcignore` that somebody else wrote is left alone.
    """
    values = read_yaml(PARAMS) if PARAMS.exists() else {}
    for name in NAMES:
        path, board = ROOMS / name / ".dvcignore", BOARDS / f"{name}.json"
        pipelines = [ROOMS / name / PIPELINE, ROOMS / name / CONSTRUCTION / PIPELINE]
        ours = not path.exists() or path.read_text(encoding="utf-8").startswith(MARK)
        if not ours or not pipelines[0].exists():
            continue
        if value_at(values, name) is None:
            hide(path, pipelines)
            board.unlink(missing_ok=True)
            yield f"{name} is left out of the build ({path}, to be committed): {PARAMS} has no block {name!r}"
        elif reason := without_edition(name, value_at(values, f"{name}.edition")):
            hide(path, pipelines[:1])
            write_json(board, {f"{name}.left_out": reason})
            yield f"LEFT OUT OF THE BUILD: {name} ({path}, to be committed): {reason}"
        elif path.exists():
            path.unlink()
            yield f"{name} is part of the build again ({path} is gone)"


def hide(path: Path, pipelines: Sequence[Path]) -> None:
    """Write a room's `.dvcignore` where it does not hide just these."""
    content = "".join(f"{line}\n" for line in (MARK, *map(hiding, pipelines)))
    if not path.exists() or path.read_text(encoding="utf-8") != content:
        write_whole(path, content.encode())


def without_edition(name: str, edition: Any) -> str | None:
    """Return why the edition of a benchmark cannot be measured on, and what mends it; None where it can.

    What is no name is for `gamut check` to refuse.
    """
    if not isinstance(edition, str):
        return None
    from stages.evaluation.defining.editions import path_of, read_edition

    try:
        read_edition(name, edition, room_of(name).benchmark.item)
    except UserError as error:
        makes = f". `gamut freeze {name} {edition}` or `gamut import {name} … {edition}` makes it"
        return str(error) + ("" if path_of(name, edition).exists() else makes)
    return None
