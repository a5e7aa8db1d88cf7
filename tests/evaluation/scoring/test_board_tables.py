"""Tables for papers: the columns that a view names, in three forms; what is not there is no number."""

from __future__ import annotations

from pathlib import Path

from stages.evaluation.defining.measures import View
from stages.evaluation.defining.parameters import CONTROL
from stages.evaluation.scoring.board import Board, Standing
from stages.evaluation.scoring.estimates import Estimate
from stages.evaluation.scoring.statistics.ranks import RankInterval
from stages.evaluation.scoring.tables import write_tables

VIEW = View("both_sides", ("en",), (), {}, ("overall",), ("style", "gap_1"))
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


def written(folder: Path, view: View = VIEW) -> dict[str, list[str]]:
    write_tables(folder, "GapEval, edition v1", [Board(view, "gpt-5", ROWS, said=["the judge passes"])])
    return {path.name: path.read_text("utf-8").splitlines() for path in folder.iterdir()}


def test_a_board_is_written_in_three_forms(tmp_path: Path) -> None:
    found = written(tmp_path)
    assert found["both_sides.gpt-5.csv"] == [
        "contestant,rank_best,rank_worst,overall,overall_lo,overall_hi,style,style_lo,style_hi,gap_1,gap_1_lo,gap_1_hi,"
        "items,coverage",
        "careful_1,1,2,80.046,78.0,82.0,70.0,,,-3.21,-5.0,1.0,40,1.0",
        "a&b,,,10.0,,,,,,,,,40,0.5",
    ]
    assert found["both_sides.gpt-5.md"] == [
        "# GapEval, edition v1, both_sides, judged by gpt-5",
        "",
        "| rank | contestant | overall | style | gap_1 |",
        "| --- | --- | --- | --- | --- |",
        "| 1-2 | careful_1 | 80.0 78.0–82.0 | 70.0 | -3.2 -5.0 to 1.0 |",
        "|  | a&b* | 10.0 | – | – |",
        "",
        "the judge passes",
        "",
        "a&b: no rank: 50 % unjudged",
    ]
    assert found["both_sides.gpt-5.tex"] == [
        "% GapEval, edition v1, both_sides, judged by gpt-5",
        "% the judge passes",
        "% a&b: no rank: 50 % unjudged",
        r"\begin{tabular}{rlrrr}",
        r"\toprule",
        r"rank & contestant & overall & style & gap\_1 \\",
        r"\midrule",
        r"1-2 & careful\_1 & 80.0 78.0--82.0 & 70.0 & $-$3.2 $-$5.0 to 1.0 \\",
        r" & a\&b* & 10.0 & -- & -- \\",
        r"\bottomrule",
        r"\end{tabular}",
    ]


def test_a_view_names_its_columns(tmp_path: Path) -> None:
    [head, *_] = written(tmp_path, VIEW._replace(columns_of_table=("style",)))["both_sides.gpt-5.md"][2:]
    assert head == "| rank | contestant | style |"
