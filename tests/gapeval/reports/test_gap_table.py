"""Table 2: groups, order and columns; what is not there is empty in a file, a dash for people, and never 0."""

from __future__ import annotations

import csv
import io

import numpy as np
import pytest
from rich.console import Console

from stages.gapeval.reports.standings import gaps, sides_of, values_of
from stages.gapeval.reports.table import (
    COLUMNS,
    FAILED,
    HEAD,
    LONG,
    PLACE,
    RELEASED,
    as_markdown,
    as_rich,
    lines,
    long,
    wide,
)
from stages.gapeval.shared.fitting.released import released
from tests.gapeval.reports.gap_boards import contestant, of_gap, one_sided, unified

CONTESTANTS = {
    "far": contestant(),
    "near": contestant(),
    "unjudged": contestant(),
    "writer": contestant("understanding"),
    "painter": contestant("generation"),
    "editor": contestant("editing"),
    "half": contestant(benchmarks={"gapeval": ["und"]}),
    "reader": contestant(tasks=["understanding"]),
    "elsewhere": contestant(benchmarks={"prism": ["en"]}),
}
WHOLE = [(50, 60, 70, 20), (0, 20, 10, 80), (40, 50, 60, 30), (10, 30, 20, 70)]
BOARD = {
    **unified("far", *WHOLE, gap=50),
    **unified("near", (90, 95, 92, 12.34), gap=12.34),
    **one_sided("und", "writer", 55, world_knowledge=80, reasoning=30),
    **one_sided("gen", "painter", 25, world_knowledge=25),
    **one_sided("und", "half", 5, world_knowledge=5),
    **one_sided("und", "reader", 4, world_knowledge=4),
    **one_sided("und", "far", 99, world_knowledge=99),  # its own view; the table has what both sides say together
    "both_sides.gpt.far.fail": 33.0,
    "both_sides.gpt.far.delta_theta": 0.4,
    "both_sides.gpt.control_reference.gap": 1.0,
}


def test_groups_and_order() -> None:
    table = lines(BOARD, "gpt", CONTESTANTS, "gapeval")
    assert [(line.models, line.contestant) for line in table] == [
        ("Unified models", "near"),
        ("Unified models", "far"),
        ("Understanding alone", "writer"),
        ("Understanding alone", "half"),
        ("Understanding alone", "reader"),
        ("Generation alone", "painter"),
    ]
    assert sides_of("elsewhere", CONTESTANTS, "gapeval") == () and sides_of("editor", CONTESTANTS, "gapeval") == (
        "gen",
    )
    assert lines(BOARD, "another", CONTESTANTS, "gapeval") == []


def test_the_wide_file_has_the_columns_of_table_2() -> None:
    rows = {row[2]: row for row in wide(lines(BOARD, "gpt", CONTESTANTS, "gapeval"))}
    assert HEAD[:7] == (
        "judge",
        "models",
        "contestant",
        *(f"world_knowledge.{one}" for one in ("succ", "und", "gen", "gap")),
    )
    assert len(HEAD) == 3 + 4 * 4 + 5
    assert HEAD[-5:] == ("succ", "gap", "delta_theta", "released_gap", "place_by_released_gap")
    assert [*rows["far"][3:-2]] == [value for values in WHOLE for value in values] + [50, 50, 0.4]
    assert [*rows["near"][3:]] == [90, 95, 92, 12.34, *[""] * 12, 90, 12.34, *[""] * 3]
    assert [*rows["writer"][3:]] == ["", 80, *[""] * 11, 30, *[""] * 7]
    assert [*rows["painter"][3:]] == ["", "", 25, *[""] * 18]


def test_the_paper_s_order_stands_beside_ours() -> None:
    """Who is right more often ranks first; by the released gap, the lowest first, the other one does."""
    good, poor = [(60, 90, 65, 40)] * 4, [(25, 50, 50, 10)] * 4
    board = unified("poor", *poor, gap=10) | unified("good", *good, gap=40)
    table = lines(board, "gpt", {"poor": contestant(), "good": contestant()}, "gapeval")
    places = {line.contestant: line.values["overall", PLACE].value for line in table}
    assert [*places] == ["good", "poor"] and places == {"good": 2, "poor": 1}
    shares = np.array([[[0.6, 0.3, 0.05, 0.05]] * 4])  # of good: both right, text alone, picture alone, neither
    assert table[0].values["overall", RELEASED].value == pytest.approx(100 * released(shares).mean(), abs=1e-3)
    page = as_markdown("GapEval", {"gpt": table}, {}).splitlines()
    assert next(line for line in page if line.startswith("| good")).endswith("| 2 |")


def test_the_long_file_has_every_value_with_its_interval() -> None:
    rows = [dict(zip(LONG, row, strict=True)) for row in long(lines(BOARD, "gpt", CONTESTANTS, "gapeval"))]
    whole = next(row for row in rows if (row["contestant"], row["category"], row["score"]) == ("far", "overall", "gap"))
    assert (whole["value"], whole["low"], whole["high"], whole["items"]) == (50, 48, 52, 40)
    assert [row["value"] for row in rows if row["score"] == "fail"] == [33]
    assert [row["value"] for row in rows if row["contestant"] == "writer"] == [80, 30, 55]  # and no gap
    assert [row["low"] for row in rows if row["contestant"] == "writer"] == [""] * 3


def test_what_is_not_there_is_a_dash_for_people() -> None:
    table = lines(BOARD, "gpt", CONTESTANTS, "gapeval")
    page = as_markdown("GapEval", {"gpt": table, "other": []}, {"gpt": f"gpt {FAILED}"}).splitlines()
    of_writer = next(line for line in page if line.startswith("| writer"))
    assert of_writer.split(" | ")[1:4] == ["–", "80.0", "–"] and of_writer.count("–") == len(COLUMNS) - 2
    assert next(line for line in page if line.startswith("| near")).endswith("| 12.3 10.3–14.3 | – | – | – |")
    assert "| **Understanding alone** |" in "\n".join(page) and f"gpt {FAILED}" in page
    assert page[-1] == "Nobody is judged yet."
    file = io.StringIO()
    Console(file=file, width=240).print(as_rich("GapEval", table, f"gpt {FAILED}"))
    shown = file.getvalue()
    assert "50.0 48.0–52.0" in shown and "Generation alone" in shown and FAILED in shown


def test_a_file_with_names_of_others_stays_a_file() -> None:
    file = io.StringIO()
    csv.writer(file).writerows([HEAD, *wide(lines(BOARD, "gpt", CONTESTANTS, "gapeval"))])
    assert {len(row) for row in csv.reader(file.getvalue().splitlines())} == {len(HEAD)}


def test_who_counts_where_contestants_are_the_units() -> None:
    contestants = {"a": contestant(), "b": contestant(variant_of="a"), "c": contestant(), "d": contestant()}
    board = of_gap("gpt", {"a": 10, "b": 20, "control_blank": 90}) | {"both_sides.gpt.c.gap": 30.0}
    assert gaps(board, "gpt", contestants) == {"a": 10}  # of c too little was judged, of d nothing
    assert values_of(board, "gpt", "d", ("und", "gen")) == {}
