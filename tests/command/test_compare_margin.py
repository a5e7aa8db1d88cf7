"""`gamut compare --margin`: a gate that nobody passes by answering less; the items that move most; one judge alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from gamut.command.comparison_shown import LEGEND, margin_ruling
from gamut.evaluation.defining.measures import ends_of
from gamut.evaluation.scoring.board import Layout, differences_over_base
from gamut.evaluation.scoring.comparison import Difference
from gamut.evaluation.scoring.pairwise import Comparison
from gamut.evaluation.scoring.statistics.inference import Inferred, StandardError
from gamut.tables.columns import Row
from gamut.tables.reading import read_rows
from stages.prism.shared.benchmark import PRISM
from stages.prism.shared.items import TRACKS
from tests.command.test_compare import BOTH, ITEMS, METRICS, call, compared, params, scored, write

EN = {("en", "world"): BOTH["en", "world"]}
MORE = EN | {("en", "gpt"): "question=dd seed=0"}


@pytest.fixture
def contestants(project: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two contestants in English by two judges, the second half a point of ten worse in each score."""
    monkeypatch.setenv("COLUMNS", "80")
    params("careful", "hasty", languages=["en"], judges=["world", "gpt"])
    scored("careful", 0.5, MORE)
    scored("hasty", 0, MORE)
    return project


def rewrite(contestant: str, change: Callable[[int, Row], Any]) -> None:
    """Change the rows of a contestant's scores by their number."""
    rows = list(read_rows(PRISM.scores / contestant))
    for number, row in enumerate(rows):
        change(number, row)
    write(contestant, rows)


@pytest.mark.usefixtures("contestants")
def test_the_gate_is_the_worst_end_of_the_interval() -> None:
    # All 14 items differ by -5. Of what none of them shows a share u may be otherwise, 1 - u = .025 ** (1/14) = .76837,
    # and could lie at -15 or 5: -5 - .23163 * 10 = -7.316.
    code, said = call("careful", "hasty", "--margin", "7.31")
    assert code == 4 and said.splitlines()[0] == (
        "FAILED: hasty is within 7.31 of careful on 0 of 2 boards; "
        "farthest off: PRISM-Bench, en, judged by world: overall -5.0 [-7.3, -2.7]"
    )
    code, said = call("careful", "hasty", "--margin", "7.32")
    assert code == 0 and said.splitlines()[0] == (
        "passed: hasty is within 7.32 of careful on 2 of 2 boards; "
        "closest: PRISM-Bench, en, judged by world: overall -5.0 [-7.3, -2.7]"
    )
    # Each of 14 items adds -5/14, and ten of them stand below the verdict.
    assert said.splitlines()[1] == "Items that change overall most: PRISM-Bench, en, judged by world"
    assert sum("-0.357" in line for line in said.splitlines()) == 10


@pytest.mark.usefixtures("contestants")
def test_the_interval_is_that_of_variants_on_boards() -> None:
    """Items differ by -8..+5 in tens: what is told of a table together is wider than of what ranks alone."""
    rewrite(
        "hasty",
        lambda n, row: row.update(dict.fromkeys(("value", "low", "high"), row["low"] + (n * 5 % 14) / 10 - 0.8)),
    )
    tables = {name: list(read_rows(PRISM.scores / name)) for name in ("careful", "hasty")}
    rows = {name: [row for row in own if row["judge"] == "world"] for name, own in tables.items()}
    strata = np.array([TRACKS.index(track) for _, track in ITEMS], np.int64)
    layout = Layout([item for item, _ in ITEMS], strata, METRICS[0], ends_of(METRICS[0], PRISM.measures), 0)
    board = differences_over_base({"hasty": "careful"}, rows, layout)["hasty"][0]
    told = compared("careful", "hasty", "--judge", "world", "--margin", "99")
    [own] = told["margin"]["boards"]
    assert (own["name"], own["low"], own["high"]) == ("overall", round(board.low or 0, 3), round(board.high or 0, 3))
    assert own["worst"] == own["low"] and told["margin"]["passed"]
    whole = told["compared"][0]["differences"][0]
    assert whole["low"] < own["low"] < own["high"] < whole["high"]


@pytest.mark.usefixtures("contestants")
def test_better_on_one_board_makes_good_nothing_on_another() -> None:
    scored("hasty", 2, MORE)
    rewrite(
        "hasty",
        lambda n, row: row["judge"] == "gpt" and row.update(dict.fromkeys(("value", "low", "high"), row["low"] - 2.5)),
    )
    code, said = call("careful", "hasty", "--margin", "2")
    assert code == 4 and "on 1 of 2 boards; farthest off: PRISM-Bench, en, judged by gpt" in said
    assert call("careful", "hasty", "--margin", "2", "--judge", "world")[0] == 0


def hide(setting_of: str, how_many: int) -> None:
    """Leave the worst answers of hasty unanswered, or unjudged."""

    def change(number: int, row: Row) -> None:
        if number < how_many:
            row.update(value=None, low=0.0, high=10.0, scored=0, left_out=[setting_of])

    rewrite("hasty", change)


@pytest.mark.usefixtures("contestants")
def test_who_does_not_answer_counts_as_the_lowest() -> None:
    scored("hasty", 0.5, EN)
    scored("careful", 0.5, EN)
    # Of 14 equal items a share of 1 - .025 ** (1/14) may be otherwise, by 100 points: 23.16.
    assert call("careful", "hasty", "--margin", "23.17")[0] == 0
    hide("answered.refused_generation", 12)  # six items, three of 55 and three of 65: 360 / 14 points less
    code, said = call("careful", "hasty", "--margin", "23.17")
    assert code == 4 and "overall -25.7 [" in said


@pytest.mark.usefixtures("contestants")
def test_what_is_not_compared_does_not_pass() -> None:
    scored("hasty", 0.5, MORE)
    hide("judged.refused_judge", 3)  # of 28: 10.7 %
    code, said = call("careful", "hasty", "--margin", "50")
    assert code == 4 and said.splitlines()[:2] == [
        "FAILED: hasty is within 50 of careful on 1 of 1 board, with 1 not compared; "
        "closest: PRISM-Bench, en, judged by gpt: overall 0.0 [-23.2, +23.2]",
        "PRISM-Bench, en, judged by world: not compared: hasty has 10.7 % unjudged: 3 refused_judge",
    ]
    scored("hasty", 0.5, EN)
    code, said = call("careful", "hasty", "--margin", "50")
    assert code == 4 and "judged by gpt: not compared: careful is the only one with scores there" in said
    assert call("careful", "hasty", "--margin", "50", "--judge", "world")[0] == 0


@pytest.mark.usefixtures("contestants")
def test_what_is_unjudged_of_the_first_does_not_help_the_second() -> None:
    scored("careful", 0.5, EN)
    scored("hasty", 0.5, EN)

    def unjudged(number: int, row: Row) -> None:
        if number == 0:  # of two axes one of 5.5; of 28 scores one, 3.6 %
            row.update(value=None, low=0.0, high=10.0, scored=0, left_out=["judged.refused_judge"])

    rewrite("careful", unjudged)
    # The board counts it as 0, in tens: hasty is better by 55 / 2 / 14. It may be 10: worse by 45 / 2 / 14.
    assert compared("careful", "hasty")["compared"][0]["differences"][0]["difference"] == pytest.approx(1.964)
    [board] = compared("careful", "hasty", "--margin", "99")["margin"]["boards"]
    assert board["difference"] == pytest.approx(-1.607)


@pytest.mark.usefixtures("contestants")
def test_by_a_judge_that_failed_its_validation_nothing_is_known() -> None:
    Path("metrics/prism/v1").mkdir(parents=True)
    Path("metrics/prism/v1/board.json").write_text('{"en.world.validation.passed": 0}')
    code, said = call("careful", "hasty", "--margin", "50")
    assert code == 4 and "on 1 of 2 boards" in said and "but world failed its validation as a judge" in said
    assert call("careful", "hasty", "--margin", "50", "--judge", "gpt")[0] == 0


def difference(**values: Any) -> Difference:
    """A difference of which nothing is known but what is said."""
    wanted = {"name": "overall", "first": 1.0, "second": 1.0, "difference": 0.0, "low": None, "high": None, "p": 1.0}
    wanted |= {"p_adjusted": 1.0, "n": 1, "detectable": None, "inferred": None}
    return Difference(**wanted | values, moved=np.zeros(1), added=np.zeros(1))  # type: ignore[arg-type]


def test_the_lower_end_is_the_worst() -> None:
    # Student's t of 10 degrees of freedom: 5 - 2.228 = 2.772
    told = [difference(difference=5.0, inferred=Inferred(5.0, StandardError(1.0, 10), 20, None))]
    one = Comparison("prism", "a", "b", "en", "world", told)
    assert margin_ruling(METRICS[0], one, 0).worst == 2.772 and margin_ruling(METRICS[0], one, 0).passed


@pytest.mark.parametrize("told", [[], [difference()], [difference(name="style")]])
def test_without_an_interval_of_what_ranks_nothing_is_known(told: list[Difference]) -> None:
    one = Comparison("prism", "a", "b", "en", "world", told)
    assert not margin_ruling(METRICS[0], one, 100).passed


# Items


@pytest.mark.usefixtures("contestants")
def test_items_that_move_most() -> None:
    def change(number: int, row: Row) -> None:
        if row["item"] == "style/1":
            row.update(dict.fromkeys(("value", "low", "high"), 9.0))

    rewrite("hasty", change)
    # style/1 rises from 6.5 to 9 on both axes: 25 of the 14 items' mean. All others fall by 5 and stand in their order.
    told = compared("careful", "hasty", "--items", "3", "--judge", "world")["compared"]
    assert [(one["item"], one["added"]) for one in told[0]["items"]] == [
        ("style/1", pytest.approx(25 / 14)),
        ("imagination/0", pytest.approx(-5 / 14)),
        ("imagination/1", pytest.approx(-5 / 14)),
    ]
    assert told[0]["items"][0]["scores"] == {"alignment": [6.5, 9.0], "aesthetic": [6.5, 9.0]}
    code, said = call("careful", "hasty", "--items", "1", "--of", "prism", "--judge", "world")
    assert code == 0 and "style/1  +1.786  alignment 6.5 → 9, aesthetic 6.5 → 9" in said
    assert "items" not in compared("careful", "hasty")["compared"][0]


# One judge, and what is mistyped


@pytest.mark.usefixtures("contestants")
def test_one_judge_alone() -> None:
    assert {one["judge"] for one in compared("careful", "hasty")["compared"]} == {"world", "gpt"}
    scored("hasty", 0, EN)
    found = compared("careful", "hasty", "--judge", "world")
    assert [one["judge"] for one in found["compared"]] == ["world"] and found["not_compared"] == []


# Lines


@pytest.mark.usefixtures("contestants")
def test_80_columns_hold_all_of_it() -> None:
    """Long names stand above tables; within them names are broken at their words, numbers never."""
    params("careful_fp8_compiled", "hasty_with_a_long_name", languages=["en"], judges=["world"])
    for name, gain in (("careful_fp8_compiled", 0.5), ("hasty_with_a_long_name", 0)):
        scored(name, gain, EN)
    said = call("careful_fp8_compiled", "hasty_with_a_long_name", "--of", "prism", "--items", "2")[1]
    table = [line for line in said.splitlines()[3:] if line != LEGEND]
    assert max(map(len, table)) <= 80 and "…" not in said
    assert next(line for line in table if line.startswith("text_rendering")).split()[1:3] == ["60.0", "55.0"]
