"""All benchmarks' boards in one metric file, for `dvc metrics diff`."""

from __future__ import annotations

import json
from pathlib import Path

from stages.project.errors import UserError
from stages.project.files import write_json
from stages.project.parameters import Shared
from stages.project.pipeline import PIPELINE, ROOMS
from stages.project.stage import main

BOARDS = Path("datasets/boards")
METRICS = Path("metrics/leaderboard.json")


def forget_others(_: Shared) -> None:
    """Delete the boards of benchmarks that are not there any more."""
    for path in sorted(BOARDS.glob("*.json")):
        if not (ROOMS / path.stem / PIPELINE).is_file():
            path.unlink()
            print(f"{path}: deleted, there is no benchmark {path.stem!r} any more")


def leaderboard(_: Shared) -> None:
    """Write the boards' flat keys, which begin with their benchmark and edition, into one file.

    Of a benchmark that is left out of the build (`gamut check` says it) there is `<benchmark>.left_out`, the reason.
    """
    found: dict[str, float | str] = {}
    boards = sorted(BOARDS.glob("*.json"))
    for path in boards:
        try:
            found |= json.loads(path.read_text(encoding="utf-8"))
        except ValueError:
            again = f"`dvc repro --force --single-item stages/{path.stem}/dvc.yaml:board`"
            raise UserError(f"{path}: not JSON: {again} writes it anew") from None
    write_json(METRICS, found)
    for name, reason in found.items():
        if name.endswith(".left_out"):
            print(f"leaderboard: {name.partition('.')[0]} is left out: {reason}")
    print(f"leaderboard: {len(found):,} values of {', '.join(path.stem for path in boards) or 'no benchmark'}")


if __name__ == "__main__":
    main("leaderboard", leaderboard, Shared, before=forget_others)
