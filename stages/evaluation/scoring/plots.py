"""The tables behind `dvc plots`: what is ranked by with its interval, and each contestant's profile over strata.

The templates `intervals` and `profiles` in .dvc/plots draw them, a panel a side and judge.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from stages.evaluation.defining.parameters import CONTROL
from stages.evaluation.scoring.board import Standing
from stages.evaluation.scoring.estimates import rounded
from stages.project.files import write_csv

Boards = Mapping[tuple[str, str], Sequence[Standing]]
"""A benchmark's boards by side and judge: contestants in order, then controls."""


def write_plots(folder: Path, boards: Boards, by: str, profile: Sequence[str]) -> None:
    """Write intervals.csv, of the reported value that is ranked `by`, and profiles.csv, of the values in `profile`.

    Rows in the boards' order; whoever lacks a value has no row for it, and controls have no profile. A value without an
    interval has empty cells.
    """
    intervals = (
        (row.name, *board, *map(cell, row.estimates[by][:3]), "" if row.tie_group is None else row.tie_group)
        for board, rows in boards.items()
        for row in rows
        if by in row.estimates
    )
    profiles = (
        (row.name, *board, name, cell(row.estimates[name].value))
        for board, rows in boards.items()
        for row in rows
        for name in profile
        if name in row.estimates and not is_control(row)
    )
    start = ("contestant", "side", "judge")
    write_csv(folder / "intervals.csv", (*start, "value", "low", "high", "tie_group"), intervals)
    write_csv(folder / "profiles.csv", (*start, "stratum", "value"), profiles)


def is_control(row: Standing) -> bool:
    """Return whether a row shows what a judge makes of pictures whose worth is known."""
    return row.name.startswith(CONTROL)


def cell(value: float | None) -> float | str:
    """Return a value as it is written, empty for none."""
    return "" if value is None else rounded(value)
