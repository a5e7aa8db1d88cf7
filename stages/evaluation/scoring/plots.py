"""The tables behind `dvc plots`: what is ranked by with its interval, and each contestant's profile over strata.

The templates `intervals` and `profiles` in .dvc/plots draw them, a panel a view and judge. Beside them stands what a
reader of the boards has to know, for the pages of `gamut report`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from stages.evaluation.defining.parameters import CONTROL
from stages.evaluation.scoring.board import Board, Standing, without_rank
from stages.evaluation.scoring.estimates import rounded
from stages.project.files import write_csv

REMARKS = "remarks.csv"
"""What is to be said of each board, a line a remark: the verdict on the judge, and why somebody has no rank."""


def write_plots(folder: Path, boards: Sequence[Board]) -> None:
    """Write intervals.csv, of the reported value that ranks, profiles.csv, of the values in the views' profiles, and
    remarks.csv.

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
    remarks = (
        (board.view.name, board.judge, one) for board in boards for one in (*board.said, *without_rank(board.rows))
    )
    start = ("contestant", "side", "judge")
    write_csv(folder / "intervals.csv", (*start, "value", "low", "high", "tie_group"), intervals)
    write_csv(folder / "profiles.csv", (*start, "stratum", "value"), profiles)
    write_csv(folder / REMARKS, ("side", "judge", "remark"), remarks)


def is_control(row: Standing) -> bool:
    return row.name.startswith(CONTROL)


def cell(value: float | None) -> float | str:
    return "" if value is None else rounded(value)
