"""Boards: order, ranks that may be, ties, controls; whoever lacks a column stands last without a rank."""

from __future__ import annotations

import numpy as np
import pytest

from stages.evaluation.board import (
    Layout,
    flat_standings,
    over_base,
    rank_in_words,
    ranked,
    standing,
    table,
    with_interval,
)
from stages.evaluation.estimates import Estimate, shared_weights
from stages.tables import Row

ITEMS = [f"style/{n}" for n in range(60)]
COLUMNS = (("style", "alignment"),)
STRATA = np.zeros(60, np.int64)
LAYOUT = Layout(ITEMS, STRATA, COLUMNS, {"overall": np.array([10.0])}, shared_weights(STRATA, 0))


def scored(level: float, missing: int = 0, spread: float = 1.0, seed: int = 0) -> list[Row]:
    """Scores around a level, all or all but the first `missing`; the same luck for everybody."""
    luck = np.random.default_rng(seed).uniform(-spread, spread, len(ITEMS))
    return [
        {
            "item": item,
            "stratum": "style",
            "measure": "alignment",
            "answered": "ok" if number >= missing else "refused_generation",
            "judged": "ok" if number >= missing else None,
            "value": level + luck[number] if number >= missing else None,
        }
        for number, item in enumerate(ITEMS)
    ]


def test_the_best_comes_first_and_sure_ranks_are_single() -> None:
    rows = ranked({"poor": scored(3), "good": scored(8), "fair": scored(5)}, LAYOUT, by="overall")
    assert [row.name for row in rows] == ["good", "fair", "poor"]
    assert [rank_in_words(row) for row in rows] == ["1", "2", "3"]
    assert [row.tie_group for row in rows] == [1, 2, 3]


def test_who_cannot_be_told_apart_shares_ranks_and_group() -> None:
    rows = ranked({"a": scored(5, seed=1), "b": scored(5.01, seed=2), "c": scored(9)}, LAYOUT, by="overall")
    assert rows[0].name == "c" and rank_in_words(rows[0]) == "1"
    assert {rank_in_words(row) for row in rows[1:]} == {"2-3"} and {row.tie_group for row in rows[1:]} == {2}


def test_equal_contestants_stand_in_the_order_of_their_names() -> None:
    rows = ranked({"b": scored(5), "a": scored(5)}, LAYOUT, by="overall")
    assert [row.name for row in rows] == ["a", "b"] and rows[0].rank == rows[1].rank


def test_without_any_score_there_is_no_rank_and_nobody_elses_changes() -> None:
    rows = ranked({"mute": scored(5, missing=60), "good": scored(8)}, LAYOUT, by="overall")
    assert [(row.name, rank_in_words(row), row.coverage) for row in rows] == [("good", "1", 1.0), ("mute", "", 0.0)]
    assert ranked({"mute": scored(5, missing=60)}, LAYOUT, by="overall")[0].rank is None
    assert ranked({}, LAYOUT, by="overall") == []


def test_refusals_show_in_the_coverage() -> None:
    [row] = ranked({"shy": scored(8, missing=15)}, LAYOUT, by="overall")
    assert row.coverage == 0.75 and row.estimates["overall"].n == 45


def test_a_variant_is_compared_with_its_base_on_the_items_of_both() -> None:
    scores = {"bagel": scored(5), "bagel_thinking": scored(6, missing=20)}
    found = over_base({"bagel_thinking": "bagel", "other": "bagel"}, scores, LAYOUT, "overall", seed=0)
    one = found["bagel_thinking"]
    # the same luck for both: every one of the 40 common items is 1 better, ten times that is 10
    assert list(found) == ["bagel_thinking"] and one.n == 40
    assert [one.difference, one.low, one.high] == pytest.approx([10, 10, 10], abs=1e-4)


def test_flat_keys() -> None:
    rows = ranked({"good": scored(8), "poor": scored(3)}, LAYOUT, by="overall")
    control = standing("control_blank", scored(0, spread=0), LAYOUT)
    found = flat_standings("en.gpt.", [*rows, control], ["overall"])
    assert found["en.gpt.good.rank_best"] == found["en.gpt.good.rank_worst"] == 1
    assert found["en.gpt.poor.tie_group"] == 2 and found["en.gpt.poor.coverage"] == 1
    assert found["en.gpt.control_blank.overall"] == found["en.gpt.control_blank.overall_hi"] == 0
    assert "en.gpt.control_blank.rank_best" not in found
    assert all(isinstance(value, int | float) and value == value for value in found.values())


@pytest.mark.parametrize(
    ("estimate", "words"),
    [(None, "-"), (Estimate(81.26, 79.0, 83.0, 9), "81.3 79.0–83.0"), (Estimate(80.0, None, None, 1), "80.0")],
)
def test_values_in_words(estimate: Estimate | None, words: str) -> None:
    assert with_interval(estimate) == words


def test_a_table_for_a_person() -> None:
    shown = table("a board", ranked({"good": scored(8, spread=0)}, LAYOUT, by="overall"), ["overall"])
    assert [list(column.cells) for column in shown.columns] == [["1"], ["good"], ["80.0 80.0–80.0"], ["100.0%"]]
