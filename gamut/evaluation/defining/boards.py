"""Where the leaderboard finds the board of every benchmark, or why there is none."""

from __future__ import annotations

from pathlib import Path

BOARDS = Path("datasets/boards")
RELATIONS = Path("metrics/relations")
"""What some benchmark says of its board beside the others, a file a benchmark."""


def board_of(benchmark: str) -> Path:
    """Return where a benchmark's board lies: flat keys that begin with benchmark and edition. DVC keeps it."""
    return BOARDS / f"{benchmark}.json"


def reason_of(benchmark: str) -> Path:
    return BOARDS / f"{benchmark}.left_out.json"
