"""The progress of a build over all its cells. `dvc repro` does not report it, and learns what to run while it runs.

Each stage counts itself. Cells that never ran here are expected to run, as are all that read, directly or through
others, what a cell of this run writes. Times are those of a cell's last run, or else the mean. Without readable notes
nothing is printed.
"""

from __future__ import annotations

import json
import re
import time
from collections import defaultdict
from contextlib import suppress
from pathlib import Path
from typing import Any

from gamut.project import pipeline
from gamut.project.errors import UserError
from gamut.project.files import write_json

PLACE = Path(".dvc/tmp/progress.json")
RUNNING = Path(".dvc/tmp/rwlock")
"""The file in which dvc notes what it reads and writes, with its process."""
QUIET = (OSError, ValueError, LookupError, TypeError, AttributeError, UserError)


def note_start(cell: str) -> str | None:
    """Note that a cell starts. Return its number, their total and the time left; None outside of a `dvc repro`."""
    with suppress(*QUIET):
        if (run := running_dvc()) is None:
            return None
        state = read_progress()
        if state.get("run") != run:
            state = {"run": run, "began": time.time(), "started": [], "seconds": state.get("seconds", {})}
            state |= plan_cells()
        state["started"] = [*(one for one in state["started"] if one != cell), cell]
        state["expected"] = sorted({*state["expected"], *downstream(cell, state["followers"])})
        write_json(PLACE, state)
        return progress_words(state)
    return None


def note_end(cell: str, seconds: float) -> None:
    with suppress(*QUIET):
        state = read_progress()
        if cell in state.get("started", ()):
            write_json(PLACE, state | {"seconds": state["seconds"] | {cell: round(seconds, 1)}})


def progress_words(state: dict[str, Any]) -> str:
    """Return "cell 3 of 128, about 4 min left", where the time includes the cell that has just started."""
    started, known = state["started"], state["seconds"]
    left = [*({*state["expected"]} - {*started}), started[-1]]
    said = f"cell {len(started)} of {len({*state['expected'], *started})}"
    if not known:
        return said
    mean = sum(known.values()) / len(known)
    minutes = sum(known.get(cell, mean) for cell in left) / 60
    return f"{said}, about {minutes:,.0f} min left" if minutes >= 1 else f"{said}, less than a minute left"


def read_progress() -> dict[str, Any]:
    """Return the notes, {} if there are none."""
    with suppress(OSError, ValueError):
        state = json.loads(PLACE.read_bytes())
        return state if isinstance(state, dict) else {}
    return {}


def running_dvc() -> int | None:
    """Return the process id of dvc."""
    noted = json.loads(RUNNING.read_bytes())
    readers = [info for of_path in noted["read"].values() for info in of_path]
    return next((info["pid"] for info in [*noted["write"].values(), *readers]), None)


def plan_cells() -> dict[str, Any]:
    """Return all cells that no lock file records, and for each cell those that read its outputs."""
    known, params = pipeline.stages(), pipeline.all_variables()
    makers = defaultdict[Path, set[str]](set)
    within = defaultdict[Path, set[str]](set)
    for cell, entry in known.items():
        for path in outputs(entry):
            makers[path].add(cell)
            for folder in path.parents:
                within[folder].add(cell)
    followers = defaultdict[str, set[str]](set)
    for cell, entry in known.items():
        for dep in (Path(pipeline.fill_variables(one, params)) for one in entry.get("deps", ())):
            for maker in within[dep].union(*(makers[place] for place in (dep, *dep.parents))):
                followers[maker].add(cell)
    recorded = {lock: names_in(lock) for lock in {*map(pipeline.lock_of, known)}}
    expected = [cell for cell in known if (cell.partition(".")[2] or cell) not in recorded[pipeline.lock_of(cell)]]
    return {"expected": expected, "followers": {maker: sorted(cells) for maker, cells in followers.items()}}


def names_in(lock: Path) -> set[str]:
    """Return the names in a lock file, found by their lines, because to parse all of its YAML takes seconds."""
    return {*re.findall(r"^  ([^\s:]+):$", lock.read_text(), re.MULTILINE)} if lock.exists() else set()


def outputs(entry: Any) -> list[Path]:
    listed = [out for kind in ("outs", "metrics", "plots") for out in entry.get(kind, ())]
    return [Path(out if isinstance(out, str) else next(iter(out))) for out in listed]


def downstream(cell: str, followers: dict[str, list[str]]) -> set[str]:
    found, queue = set[str](), [cell]
    while queue:
        if (one := queue.pop()) not in found:
            found.add(one)
            queue += followers.get(one, ())
    return found
