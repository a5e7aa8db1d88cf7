"""Benchmarks that cannot be measured now are left out of the build, so that they keep no other from it.

The dvc.yaml of a benchmark's room names keys of its block in params.yaml, and the edition that this names. While one of
these is missing DVC would refuse everything, or stop half-way. A file `.dvcignore` in the room hides its dvc.yaml from
DVC. It belongs into git: the project is then the same for whoever clones it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from stages.leaderboard.leaderboard import BOARDS
from stages.leaderboard.rooms import NAMES, room_of
from stages.project.errors import UserError
from stages.project.files import write_whole
from stages.project.pipeline import HIDING, PARAMS, is_hidden, value_at
from stages.project.validation import read_yaml

CONTENT = f"# Written and removed by `gamut check`: this benchmark cannot be measured now\n{HIDING}\n"


def leave_out() -> Iterator[str]:
    """Hide the benchmarks that cannot be measured, show again those that can, and yield what to tell, a line each.

    A hidden one's board leaves the leaderboard. A `.dvcignore` that somebody else wrote is left alone.
    """
    values = read_yaml(PARAMS) if PARAMS.exists() else {}
    for name in NAMES:
        room = Path("stages", name)
        path = room / ".dvcignore"
        ours = not path.exists() or path.read_text(encoding="utf-8") == CONTENT
        if not ours or not (room / "dvc.yaml").exists():
            continue
        if reason := why_not(name, values):
            if not is_hidden(room):
                write_whole(path, CONTENT.encode())
            (BOARDS / f"{name}.json").unlink(missing_ok=True)
            yield f"{name} is left out of the build ({path}, to be committed): {reason}"
        elif path.exists():
            path.unlink()
            yield f"{name} is part of the build again ({path} is gone)"


def why_not(name: str, values: Any) -> str | None:
    """Return why a benchmark cannot be measured, or None: its block or its edition is not there, or cannot be read.

    A block that is there but wrong is for `gamut check` to refuse.
    """
    if value_at(values, name) is None:
        return f"{PARAMS} has no block {name!r}"
    edition = value_at(values, f"{name}.edition")
    if not isinstance(edition, str):
        return None
    from stages.evaluation.defining.editions import path_of, read_edition

    try:
        read_edition(name, edition, room_of(name).benchmark.item)
    except UserError as error:
        makes = f": `gamut freeze {name} {edition}` or `gamut import {name} … {edition}` makes it"
        return str(error) + ("" if path_of(name, edition).exists() else makes)
    return None
