"""Boards: order, ranks that may be, ties, controls; whoever lacks a column stands last without a rank."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from gamut.evaluation.defining.measures import Column, Linear, Metric, OfSums, Scale, ends_of
from gamut.evaluation.scoring.board import (
    Layout,
    differences_over_base,
    flat_standings,
    marked_name,
    no_rank_notes,
    rank_contestants,
    rank_in_words,
    standing,
)
from gamut.tables.columns import Row
from tests.evaluation.scoring.boards_of_equals import WAYS, hiding

ITEMS = [f"style/{n}" for n in range(60)]
METRIC = Metric(
    "en", ("en",), (Column("style", "en", "alignment"),), {"overall": Linear(np.array([10.0]))}, ("overall",)
)
STRATA = np.zeros(60, np.int64)
SCALES = {"alignment": Scale(0, 10)}
LAYOUT = Layout(ITEMS, STRATA, METRIC, ends_of(METRIC, SCALES), seed=0)
REFUSED, UNJUDGED, NOT_ASKED = "answered.refused_generation", "judged.refused_judge", "not_asked.invalid_input"
BOUNDS = {REFUSED: (0, 0), UNJUDGED: (0, 10), NOT_ASKED: (None, None)}
"""Of what has no score for that reason, on a scale of 0..10."""


def scored(level: float, missing: int = 0, spread: float = 1.0, seed: int = 0, why: str = REFUSED) -> list[Row]:
    """Scores around a level, all or all but the first `missing`; the same luck for everybody."""
    luck = np.random.default_rng(seed).uniform(-spread, spread, len(ITEMS))
    rows: list[Row] = []
    for number, item in enumerate(ITEMS):
        there, value = number >= missing, level + luck[number]
        low, high = (value, value) if there else BOUNDS[why]
        row = {"item": item, "groups": ["style"], "setting": "en", "measure": "alignment", "low": low, "high": high}
        left_out = [] if there else [why]
        rows.append(row | {"value": value if there else None, "scored": int(there), "left_out": left_out})
    return rows


def test_the_best_comes_first_and_sure_ranks_are_single() -> None:
    rows = rank_contestants({"poor": scored(3), "good": scored(8), "fair": scored(5)}, LAYOUT)
    assert [row.name for row in rows] == ["good", "fair", "poor"]
    assert [rank_in_words(row) for row in rows] == ["1", "2", "3"]
    assert [row.tie_group for row in rows] == [1, 2, 3]


def test_who_cannot_be_told_apart_shares_ranks_and_group() -> None:
    rows = rank_contestants({"a": scored(5, seed=1), "b": scored(5.01, seed=2), "c": scored(9)}, LAYOUT)
    assert rows[0].name == "c" and rank_in_words(rows[0]) == "1"
    assert {rank_in_words(row) for row in rows[1:]} == {"2-3"} and {row.tie_group for row in rows[1:]} == {2}


def test_without_any_score_there_is_no_rank_and_nobody_elses_changes() -> None:
    mute = scored(5, missing=60, why=NOT_ASKED)
    rows = rank_contestants({"mute": mute, "good": scored(8)}, LAYOUT)
    assert [(row.name, rank_in_words(row), row.coverage) for row in rows] == [("good", "1", 1.0), ("mute", "", 0.0)]
    assert rank_contestants({"mute": mute}, LAYOUT)[0].rank is None
    assert rank_contestants({}, LAYOUT) == []


def test_who_refuses_everything_stands_last_at_the_lowest() -> None:
    rows = rank_contestants({"mute": scored(9, missing=60), "poor": scored(3)}, LAYOUT)
    assert [(row.name, rank_in_words(row), row.coverage) for row in rows] == [("poor", "1", 1), ("mute", "2", 0)]
    # of 60 all at the lowest: 1 - 0.05^(1 / 60) = 4.870 %
    assert rows[1].estimates["overall"] == pytest.approx((0, 0, 4.870, 60), abs=1e-3) and rows[1].scored is None


def test_what_the_judge_did_not_score_counts_as_what_was_refused() -> None:
    """Three of sixty are 5 %, the most that may be: value and both ends are as if they had been refused."""
    [row] = rank_contestants({"some": scored(5, missing=3, spread=0, why=UNJUDGED)}, LAYOUT)
    [refused] = rank_contestants({"some": scored(5, missing=3, spread=0)}, LAYOUT)
    found, whole = row.estimates["overall"], 50 * 57 / 60
    assert row.too_little is None and row.rank is not None and row.scored == pytest.approx(50)
    assert found.value == pytest.approx(whole) and found.low is not None and found.high is not None
    assert found.low < whole < found.high and row == refused


def test_who_is_judged_too_little_has_no_rank() -> None:
    rows = rank_contestants(
        {"good": scored(8), "hidden": scored(9, missing=4, why=UNJUDGED), "poor": scored(3)}, LAYOUT
    )
    assert [(row.name, rank_in_words(row), row.tie_group) for row in rows] == [
        ("good", "1", 1),
        ("poor", "2", 2),
        ("hidden", "", None),
    ]
    assert rows[2].too_little == "6.7 % unjudged: 4 refused_judge"
    # of 9 of 10 in 56 of 60 nobody knows how high it could be: a lower bound without an interval
    assert rows[2].estimates["overall"][1:] == (None, None, 60)
    assert no_rank_notes(rows) == ["hidden: no rank: 6.7 % unjudged: 4 refused_judge"]
    lenient = replace(LAYOUT, max_unjudged=0.067)
    assert rank_contestants({"hidden": scored(9, missing=4, why=UNJUDGED)}, lenient)[0].rank is not None
    variants = {"hidden": "good"}
    assert (
        differences_over_base(variants, {"good": scored(8), "hidden": scored(9, missing=4, why=UNJUDGED)}, LAYOUT) == {}
    )


@pytest.mark.parametrize(
    "lacking",
    [
        OfSums(lambda s: np.hstack([s[:, :1] > 9, s[:, :1] > 5]), lambda sums: sums[..., 0] / sums[..., 1]),
        Linear(np.array([5.0, 5.0])),
    ],
    ids=["a ratio of nothing to nothing", "an average that counts a track that one was not asked"],
)
def test_who_has_no_value_has_no_rank(lacking: OfSums | Linear) -> None:
    columns = (*METRIC.columns, Column("charts", "en", "alignment"))
    metric = METRIC._replace(columns=columns, reported={"overall": lacking})
    both = [row | {"groups": ["style", "charts"]} for row in scored(9)]
    rows = rank_contestants({"some": scored(3), "all": both}, Layout(ITEMS, STRATA, metric, {}, seed=0))
    assert [(row.name, rank_in_words(row)) for row in rows] == [("all", "1"), ("some", "")]


def test_pairs_without_a_common_item_are_ties() -> None:
    first, second = scored(8), scored(3, missing=30, why=NOT_ASKED)
    for row in first[30:]:
        row |= {"value": None, "low": None, "high": None, "scored": 0, "left_out": [NOT_ASKED]}
    rows = rank_contestants({"first": first, "second": second}, LAYOUT)
    assert [(row.name, rank_in_words(row), row.tie_group) for row in rows] == [
        ("first", "1-2", 1),
        ("second", "1-2", 1),
    ]


def test_a_variant_is_compared_with_its_base_on_the_items_of_both() -> None:
    scores = {"bagel": scored(5), "bagel_thinking": scored(6, missing=20, why=NOT_ASKED)}
    found = differences_over_base({"bagel_thinking": "bagel", "other": "bagel"}, scores, LAYOUT)
    [one] = found["bagel_thinking"]
    # the same luck for both: every one of the 40 common items is 1 better, ten times that is 10
    assert list(found) == ["bagel_thinking"] and (one.name, one.n) == ("overall", 40)
    assert one.difference == pytest.approx(10) and one.low is not None and one.high is not None
    assert 8 < one.low < 10 < one.high < 12


def test_checkpoints_of_a_series_are_tested_together() -> None:
    """Of thirty as good as their base some stand surely above it by themselves; one that is much better still does."""
    names = [f"step_{n}" for n in range(30)]
    luck = np.random.default_rng(7)
    scores = {"base": shaken(6, luck)} | {name: shaken(6, luck) for name in names} | {"best": shaken(8, luck)}
    alone = [differences_over_base({name: "base"}, scores, LAYOUT)[name][0] for name in names]
    family = differences_over_base(dict.fromkeys((*names, "best"), "base"), scores, LAYOUT)
    together = [family[name][0] for name in names]
    assert any(one.low > 0 or one.high < 0 for one in alone)  # type: ignore[operator]
    assert all(one.low < 0 < one.high for one in together)  # type: ignore[operator]
    assert all(one.low < single.low for one, single in zip(together, alone, strict=True))  # type: ignore[operator]
    assert family["best"][0].low > 0  # type: ignore[operator]


def shaken(quality: float, chance: np.random.Generator) -> list[Row]:
    """Scores with luck of their own."""
    rows = scored(quality)
    for row in rows:
        row["value"] = row["low"] = row["high"] = float(quality + chance.normal(0, 1.5))
    return rows


def test_flat_keys() -> None:
    rows = rank_contestants({"good": scored(8), "poor": scored(3)}, LAYOUT)
    control = standing("control_blank", scored(0, spread=0), LAYOUT)
    found = flat_standings("en.gpt.", [*rows, control], ["overall"])
    assert found["en.gpt.good.rank_best"] == found["en.gpt.good.rank_worst"] == 1
    assert found["en.gpt.poor.tie_group"] == 2 and found["en.gpt.poor.coverage"] == 1
    assert found["en.gpt.control_blank.overall"] == 0 and found["en.gpt.control_blank.overall_hi"] == 4.87
    assert found["en.gpt.poor.overall_scored"] == found["en.gpt.poor.overall"]
    assert "en.gpt.control_blank.rank_best" not in found
    assert all(isinstance(value, int | float) and value == value for value in found.values())


def test_who_was_not_scored_in_full_is_marked() -> None:
    rows = rank_contestants({"good": scored(8), "shy": scored(3, missing=15)}, LAYOUT)
    assert [marked_name(row, row.name) for row in rows] == ["good", "shy*"]
    assert rows[1].scored and rows[1].estimates["overall"].value == pytest.approx(0.75 * rows[1].scored)


@pytest.mark.parametrize("way", WAYS)
def test_to_hide_the_worst_answers_gains_nothing_among_equals(way: str) -> None:
    """Of five equals, on two boards; bench/hiding.py has twenty on 25."""
    found = hiding(way, range(2), contestants=5, items=40)
    assert found.gained == 0 and found.first_of_scored == 2  # were refusals left out it would stand first
    assert found.unranked == (2 if way == "unjudged" else 0)
