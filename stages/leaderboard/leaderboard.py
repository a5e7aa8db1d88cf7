"""All benchmarks' boards in one metric file, for `dvc metrics diff`."""

from __future__ import annotations

import json
from pathlib import Path

from stages.project.files import write_json
from stages.project.parameters import Shared
from stages.project.pipeline import is_hidden
from stages.project.stage import main

BOARDS = Path("datasets/boards")
METRICS = Path("metrics/leaderboard.json")


def forget_others(_: Shared) -> None:
    """Delete the boards of benchmarks that are not there any more, or are left out of the build."""
    for path in sorted(BOARDS.glob("*.json")):
        room = Path("stages", path.stem)
        if not (room / "dvc.yaml").is_file() or is_hidden(room):
            path.unlink()
            print(f"{path}: deleted, {path.stem} is no part of the build")


def leaderboard(_: Shared) -> None:
    """Write the boards' flat keys, which begin with their benchmark and edition, into one file."""
    found: dict[str, float] = {}
    boards = sorted(BOARDS.glob("*.json"))
    for path in boards:
        found |= json.loads(path.read_text(encoding="utf-8"))
    write_json(METRICS, found)
    print(f"leaderboard: {len(found):,} values of {', '.join(path.stem for path in boards) or 'no benchmark'}")


if __name__ == "__main__":
    main("leaderboard", leaderboard, Shared, before=forget_others)
