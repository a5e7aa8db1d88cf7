"""The tables behind `dvc plots`: what is ranked by with its interval, and each contestant's profile over strata.

The templates `intervals` and `profiles` in .dvc/plots draw them, a panel a view and judge.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stages.evaluation.defining.parameters import CONTROL
from stages.evaluation.scoring.board import Board, Standing
from stages.evaluation.scoring.estimates import rounded
from stages.project.files import write_csv


def write_plots(folder: Path, boards: Sequence[Board]) -> None:
    """Write intervals.csv, of the reported value that ranks, and profiles.csv, of the values in the views' profiles.

    `side` is the view's name: of one side the side's. Rows in the boards' order; whoever lacks a value has no row for
    it, and controls have no profile. A value without an interval has empty cells.
    """
    intervals = (
        (row.name, view.name, judge, *map(cell, found[:3]), "" if row.tie_group is None else row.tie_group)
        for view, judge, rows, *_ in boards
        for row in rows
        if (found := row.estimates.get(view.shown[0]))
    )
    profiles = (
        (row.name, view.name, judge, name, cell(row.estimates[name].value))
        for view, judge, rows, *_ in boards
        for row in rows
        for name in view.profile
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
