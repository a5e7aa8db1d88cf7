"""Boards as tables for `dvc plots`: what is drawn is what is reported."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from stages.evaluation.defining.measures import View
from stages.evaluation.defining.parameters import CONTROL
from stages.evaluation.scoring.board import Board, Standing
from stages.evaluation.scoring.estimates import Estimate
from stages.evaluation.scoring.statistics.ranks import RankInterval
from stages.evaluation.scoring.tables import write_plots
from tests.paths import ROOT


def standing(name: str, overall: float | None, group: int | None, **profile: float) -> Standing:
    """A row whose interval reaches 2 to either side, without one at 0."""
    found = {stratum: Estimate(value, None, None, 3) for stratum, value in profile.items()}
    if overall is not None:
        bounds = (overall - 2, overall + 2) if overall else (None, None)
        found["overall"] = Estimate(overall, *bounds, 6)
    rank = None if group is None else RankInterval(1, 2)
    return Standing(name, found, coverage=1.0, rank=rank, tie_group=group)


BOARD = [
    standing("careful", 80, 1, style=70.12345, entity=90),
    standing("average", 79, 1, style=75),
    standing("hasty", 40, 2, style=30, entity=50),
    standing("mute", None, None, style=20),
    standing(f"{CONTROL}blank", 0, None, style=1, entity=0),
]


def board(side: str, rows: list[Standing], *profile: str) -> Board:
    """A view of one side, ranked by overall."""
    return Board(View(side, (side,), (), {}, ("overall",), profile), "world", rows)


BOARDS = [board("en", BOARD, "style", "entity"), board("zh", BOARD[:1], "style", "entity")]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_intervals_have_a_row_for_everybody_with_a_value(tmp_path: Path) -> None:
    write_plots(tmp_path, BOARDS)
    assert lines(tmp_path / "intervals.csv") == [
        "contestant,side,judge,value,low,high,tie_group",
        "careful,en,world,80.0,78.0,82.0,1",
        "average,en,world,79.0,77.0,81.0,1",
        "hasty,en,world,40.0,38.0,42.0,2",
        "control_blank,en,world,0.0,,,",
        "careful,zh,world,80.0,78.0,82.0,1",
    ]


def test_profiles_have_a_row_for_every_value_of_contestants(tmp_path: Path) -> None:
    write_plots(tmp_path, BOARDS[:1])
    assert lines(tmp_path / "profiles.csv") == [
        "contestant,side,judge,stratum,value",
        "careful,en,world,style,70.123",
        "careful,en,world,entity,90.0",
        "average,en,world,style,75.0",
        "hasty,en,world,style,30.0",
        "hasty,en,world,entity,50.0",
        "mute,en,world,style,20.0",
    ]


@pytest.mark.parametrize("name", ["intervals", "profiles"])
def test_templates_read_columns_that_are_written(tmp_path: Path, name: str) -> None:
    write_plots(tmp_path, BOARDS)
    columns = set(lines(tmp_path / f"{name}.csv")[0].split(","))
    template = (ROOT / f".dvc/plots/{name}.json").read_text(encoding="utf-8")
    assert "<DVC_METRIC_DATA>" in json.loads(template)["data"]["values"]
    made = set(re.findall(r'"as": "(\w+)"', template)) | {"rev"}
    read = set(re.findall(r"datum\.(\w+)", template)) | set(re.findall(r'"field": "(\w+)"', template))
    assert read <= columns | made
