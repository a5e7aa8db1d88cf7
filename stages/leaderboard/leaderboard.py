"""All benchmarks' boards in one metric file, for `dvc metrics diff`."""

from __future__ import annotations

import json
from pathlib import Path

from stages.leaderboard.rooms import edition_of, load_rooms
from stages.project.errors import UserError
from stages.project.files import write_json
from stages.project.parameters import Shared
from stages.project.stage import main

METRICS = Path("metrics")


def leaderboard(_: Shared) -> None:
    """Write metrics/leaderboard.json: the boards' flat keys, each after its benchmark and edition."""
    found: dict[str, float] = {}
    rooms = load_rooms()
    for benchmark, params in rooms.items():
        edition = edition_of(benchmark, params)
        path = METRICS / benchmark / edition / "board.json"
        if not path.exists():
            raise UserError(f"{path}: there is no board here: run `dvc repro`")
        board = json.loads(path.read_text(encoding="utf-8"))
        found |= {f"{benchmark}.{edition}.{key}": value for key, value in board.items()}
    write_json(METRICS / "leaderboard.json", found)
    print(f"leaderboard: {len(found):,} values of {', '.join(rooms)}")


if __name__ == "__main__":
    main("leaderboard", leaderboard, Shared)
