"""Tables for papers: the columns that a metric names, in two forms; what is not there is no number."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from gamut.evaluation.defining.measures import Metric, Scale
from gamut.evaluation.defining.parameters import CONTROL
from gamut.evaluation.scoring.board import Board, Standing
from gamut.evaluation.scoring.estimates import Estimate
from gamut.evaluation.scoring.statistics.ranks import RankInterval
from gamut.evaluation.scoring.tables import TIDY, tidy_rows, write_plots, write_tables
from tests.paths import ROOT

METRIC = Metric("both_settings", ("en",), (), {}, ("overall",), ("style", "gap_1"))
WHOLE = {
    "overall": Estimate(80.04567, 78, 82, 40),
    "style": Estimate(70, None, None, 40),
    "gap_1": Estimate(-3.21, -5, 1, 40),
}
ROWS = [
    Standing("careful_1", WHOLE, 1, rank=RankInterval(1, 2)),
    Standing("a&b", {"overall": Estimate(10, None, None, 40)}, 0.5, too_little="50 % unjudged"),
    Standing(f"{CONTROL}blank", WHOLE, 1),
]


def written(folder: Path, metric: Metric = METRIC) -> dict[str, list[str]]:
    write_tables(folder, "GapEval, edition v1", [Board(metric, "gpt-5", ROWS, remarks=["the judge passes"])])
    return {path.name: path.read_text("utf-8").splitlines() for path in folder.iterdir()}


def test_a_board_is_written_in_two_forms(tmp_path: Path) -> None:
    found = written(tmp_path)
    assert found["both_settings.gpt-5.md"] == [
        "# GapEval, edition v1, both_settings, judged by gpt-5",
        "",
        "| rank | contestant | overall | style | gap_1 |",
        "| --- | --- | --- | --- | --- |",
        "| 1-2 | careful_1 | 80.0 78.0–82.0 | 70.0 | -3.2 -5.0 to 1.0 |",
        r"|  | a&b\* | 10.0 | – | – |",
        "",
        "the judge passes",
        "",
        "a&b: no rank: 50 % unjudged",
    ]
    assert found["both_settings.gpt-5.tex"] == [
        "% GapEval, edition v1, both_settings, judged by gpt-5",
        r"\begin{tabular}{rlrrr}",
        r"\toprule",
        r"rank & contestant & overall & style & gap\_1 \\",
        r"\midrule",
        r"1-2 & careful\_1 & 80.0 78.0--82.0 & 70.0 & $-$3.2 $-$5.0 to 1.0 \\",
        r" & a\&b* & 10.0 & -- & -- \\",
        r"\bottomrule",
        r"\multicolumn{5}{p{\linewidth}}{\footnotesize the judge passes} \\",
        r"\multicolumn{5}{p{\linewidth}}{\footnotesize a\&b: no rank: 50 \% unjudged} \\",
        r"\end{tabular}",
    ]


def test_a_tidy_table_has_a_line_a_value_and_ranks_in_that_of_what_ranks() -> None:
    ends = {"both_settings": {"overall": Scale(0, 100)}}
    found = [dict(zip(TIDY, row, strict=True)) for row in tidy_rows([Board(METRIC, "gpt-5", ROWS, False)], ends)]
    assert [(row["contestant"], row["name"]) for row in found] == [
        *(("careful_1", name) for name in WHOLE),
        ("a&b", "overall"),
        *((f"{CONTROL}blank", name) for name in WHOLE),
    ]
    assert [*found[0].values()][4:] == [80.046, 78.0, 82.0, 40, 0, 100, 1, 2, None, 1.0, 0]
    assert [*found[2].values()][4:] == [-3.21, -5.0, 1.0, 40, "", "", "", "", "", "", 0]


def standing(name: str, overall: float | None, group: int | None, **profile: float) -> Standing:
    """A row whose interval reaches 2 to either setting, without one at 0."""
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


def board(setting: str, rows: list[Standing], *profile: str) -> Board:
    """A metric of one setting, ranked by overall."""
    return Board(Metric(setting, (setting,), (), {}, ("overall",), profile), "world", rows)


BOARDS = [board("en", BOARD, "style", "entity"), board("zh", BOARD[:1], "style", "entity")]


def lines(path: Path) -> list[str]:
    return path.read_text(encoding="utf-8").splitlines()


def test_intervals_have_a_row_for_everybody_with_a_value(tmp_path: Path) -> None:
    write_plots(tmp_path, BOARDS)
    assert lines(tmp_path / "intervals.csv") == [
        "contestant,setting,judge,value,low,high,tie_group",
        "careful,en,world,80.0,78.0,82.0,1",
        "average,en,world,79.0,77.0,81.0,1",
        "hasty,en,world,40.0,38.0,42.0,2",
        "control_blank,en,world,0.0,,,",
        "careful,zh,world,80.0,78.0,82.0,1",
    ]


def test_profiles_have_a_row_for_every_value_of_contestants(tmp_path: Path) -> None:
    write_plots(tmp_path, BOARDS[:1])
    assert lines(tmp_path / "profiles.csv") == [
        "contestant,setting,judge,stratum,value",
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
