"""Values that are drawn from a posterior: known ones come back, and ranks and comparisons rest on their draws."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.defining.measures import Column, Drawn, Linear, Scale, View, ends_of
from stages.evaluation.scoring.board import RULE_OF_LOWER, Layout, flat_standings, over_base, ranked, rule_of, table
from stages.evaluation.scoring.comparison import Difference, differences, together
from stages.evaluation.scoring.estimates import Estimate, estimates, flat
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.inference import detectable, interval, p_value
from stages.evaluation.scoring.statistics.posterior import Posterior, deviates, of_draws
from stages.evaluation.scoring.statistics.stepdown import DRAWS, adjusted, joint_level
from stages.tables.columns import Row

ITEMS = [f"i{n}" for n in range(40)]
STRATA = np.zeros(40, np.int64)
ENDS = Scale(0, 100)
NORMAL = NormalDist()
GRID = np.array([NORMAL.inv_cdf((n + 0.5) / DRAWS) for n in range(DRAWS)])
"""Draws of a standard normal posterior without any chance."""


def known(middle: float, spread: float, order: np.ndarray | None = None) -> Posterior:
    draws = middle + spread * (GRID if order is None else GRID[order])
    found = of_draws(draws, ENDS)
    assert found is not None
    return found


def test_a_normal_posterior_has_normal_quantiles_and_the_p_of_its_sign() -> None:
    """50 with a spread of 2: 50 ± 1.96·2. Of a difference of 3 with a spread of 2 p is that of 1.5 spreads."""
    low, high = interval(known(50, 2)) or (0, 0)
    assert (low, high) == pytest.approx((50 - 1.96 * 2, 50 + 1.96 * 2), abs=0.01) and known(50, 2).value == 50
    assert interval(known(50, 2), 0.8) == pytest.approx((50 - 1.2816 * 2, 50 + 1.2816 * 2), abs=0.01)
    for middle in (3, -3):
        assert p_value(known(middle, 2)) == pytest.approx(2 * NORMAL.cdf(-1.5), abs=2e-4)
    assert p_value(known(90, 1)) == 2 / (1 + DRAWS), "no finite number of draws makes it 0"
    assert p_value(known(0, 0)) == 1 == p_value(known(0, 1))
    assert detectable(known(3, 2)) == pytest.approx((1.96 + 0.8416) * 2, abs=0.01)
    assert detectable(known(3, 40)) is None is detectable(known(0, 0)), "none as large can be; nothing varies"


@given(st.floats(-3, 3), st.sampled_from([np.exp, np.tanh, lambda draws: draws**3, lambda draws: draws]))
def test_skewed_draws_are_tested_as_normal_ones(middle: float, skewed: Callable[[np.ndarray], np.ndarray]) -> None:
    """The p of a single test stays its own, and the level at which one interval holds 95 %."""
    told = of_draws(skewed(middle + GRID) - skewed(np.zeros(1)), None)
    assert told is not None
    moves = deviates(told)[None]
    assert adjusted([p_value(told)], moves) == pytest.approx(p_value(told)) and joint_level(moves) == 0.95
    assert np.array_equal(np.argsort(moves[0], kind="stable"), np.argsort(told.draws, kind="stable"))
    assert moves.std() == pytest.approx(1, abs=0.01) and not deviates(known(5, 0)).any()


def test_two_tests_of_independent_draws_hold_together() -> None:
    """Each of two at a level of √.95 = .9747."""
    order = np.random.default_rng(0).permutation(DRAWS)
    moves = np.stack([deviates(known(0, 1)), deviates(known(0, 5, order))])
    assert joint_level(moves) == pytest.approx(0.95**0.5, abs=0.002)


def spread_by_items(low: np.ndarray, high: np.ndarray, normal: np.ndarray) -> np.ndarray:
    """Draws around the mean of what is worst, the highest: as items of a normal model move it."""
    worst = high[~np.isnan(high[:, 0]), 0]
    own = normal[~np.isnan(high[:, 0])]
    return worst.mean() + (worst - worst.mean()) @ own / len(worst)


def view_of(draws: Callable[..., Any] = spread_by_items, **changes: Any) -> View:
    reported = {"gap": Drawn(draws, ENDS), "mean": Linear(np.ones(1))}
    return View("gap", ("en",), [Column("all", "en", "apart")], reported, ("gap", "mean"), **changes)


def layout_of(view: View) -> Layout:
    return Layout(ITEMS, STRATA, view, ends_of(view, {"apart": ENDS}), seed=0)


LOWEST = layout_of(view_of(lower_is_better=True))
LUCK = np.random.default_rng(1).permutation(np.linspace(-8, 8, 40))


def scored(level: float, luck: np.ndarray = LUCK, missing: int = 0) -> list[Row]:
    """Scores around a level; of the first ones nothing is known."""
    kind = {"groups": ["all"], "side": "en", "measure": "apart", "stratum": "all", "judge": "j"}
    values = [None if n < missing else float(level + luck[n]) for n in range(40)]
    return [
        kind
        | {"item": item, "value": value, "low": 0.0 if value is None else value}
        | {"high": 100.0 if value is None else value, "scored": int(value is not None)}
        | {"left_out": ["answered.truncated"] if value is None else []}
        for item, value in zip(ITEMS, values, strict=True)
    ]


def test_a_value_its_interval_and_what_is_missing() -> None:
    """Items have a spread s of ±8 evenly around 30: interval 30 ± 1.96·s/√40; ten that are hidden count as 100."""
    found = LOWEST.estimates(scored(30))["gap"]
    half = 1.96 * LUCK.std() / 40**0.5
    assert found.value == pytest.approx(30, abs=0.05) and found.n == 40
    assert (found.low, found.high) == pytest.approx((30 - half, 30 + half), abs=0.1)
    hidden = scored(30, missing=10)
    assert LOWEST.estimates(hidden)["gap"].value == pytest.approx((1000 + sum(30 + LUCK[10:])) / 40, abs=0.5)
    assert ranked({"a": hidden}, LOWEST)[0].scored == pytest.approx(30 + LUCK[10:].mean(), abs=0.1)
    assert estimates(Bounds(*[np.full((40, 1), np.nan)] * 2), STRATA, LOWEST.view.reported, LOWEST.ends) == {}


def test_the_lowest_is_first_and_the_same_scores_turn_round_where_the_highest_is() -> None:
    """Two that the same items make alike within a tenth are told apart, and by luck of their own they are not."""
    other = np.random.default_rng(2).permutation(LUCK)
    scores = {"a": scored(30), "b": scored(30.5, other), "c": scored(20), "d": scored(60, missing=1)}
    rows = ranked(scores, LOWEST)
    assert [row.name for row in rows] == ["c", "a", "b", "d"]
    assert [row.rank for row in rows] == [(1, 1), (2, 3), (2, 3), (4, 4)]
    assert [row.tie_group for row in rows] == [1, 2, 2, 3]
    turned = ranked(scores, layout_of(view_of()))
    assert [(row.name, row.rank, row.tie_group) for row in turned] == [
        ("d", (1, 1), 1),
        ("b", (2, 3), 2),
        ("a", (2, 3), 2),
        ("c", (4, 4), 3),
    ]
    paired = ranked({"a": scored(30), "b": scored(30.1, LUCK * 1.001)}, LOWEST)
    assert [row.rank for row in paired] == [(1, 1), (2, 2)]


def test_ranks_of_three_with_known_posteriors() -> None:
    """10, 20 and 21, spread 1 each, drawn apart: 10 surely first, and between the others 1/√2 spreads, no order."""

    def of_level(low: np.ndarray, high: np.ndarray, normal: np.ndarray) -> np.ndarray:
        level = int(low[0, 0])
        return level + normal[level]

    layout = layout_of(view_of(of_level, lower_is_better=True))
    scores = {name: scored(level, 0 * LUCK) for name, level in (("b", 20), ("a", 21), ("c", 10))}
    rows = ranked(scores, layout)
    assert [(row.name, row.rank, row.tie_group) for row in rows] == [
        ("c", (1, 1), 1),
        ("b", (2, 3), 2),
        ("a", (2, 3), 2),
    ]
    told = over_base({"c": "b"}, scores, layout)["c"]
    assert [one.name for one in told] == ["gap", "mean"]
    assert told[0].difference == pytest.approx(-10, abs=0.05) and told[0].p == 2 / (1 + DRAWS)
    assert (told[0].low, told[0].high) == pytest.approx((-10 - 1.96 * 2**0.5, -10 + 1.96 * 2**0.5), abs=0.1)


def test_the_board_says_that_lower_is_better() -> None:
    rows = ranked({"a": scored(30), "b": scored(40)}, LOWEST)
    assert table("board", rows, ["gap"], rule=rule_of(LOWEST.view)).caption == f"gap: {RULE_OF_LOWER}"
    rows = ranked({"a": scored(30), "b": scored(40, missing=1)}, LOWEST)
    caption = str(table("board", rows, ["gap"], rule=rule_of(LOWEST.view)).caption)
    assert caption.startswith(f"* not all scored: {RULE_OF_LOWER}. scored: gap of what was")
    keys = flat_standings("gap.j.", rows, ("gap", "mean"))
    assert keys["gap.j.a.rank_best"] == 1 and keys["gap.j.b.gap_scored"] < keys["gap.j.b.gap"]


def undefined(low: np.ndarray, high: np.ndarray, normal: np.ndarray) -> np.ndarray:
    return np.where(np.nanmean(low) > 50, np.nan, normal[0])


def test_what_is_undefined_has_no_value_no_rank_and_no_difference() -> None:
    layout = layout_of(view_of(undefined, lower_is_better=True))
    rows = ranked({"a": scored(60), "b": scored(40), "c": scored(40)}, layout)
    assert [(row.name, row.rank) for row in rows] == [("b", (1, 2)), ("c", (1, 2)), ("a", None)]
    keys = flat("", rows[2].estimates) | flat_standings("", rows, ("gap", "mean"))
    assert "gap" not in keys and "a.gap" not in keys and not any(np.isnan(value) for value in keys.values())
    pair = layout.bounds(scored(60)), layout.bounds(scored(40))
    found = differences(*pair, STRATA, layout.view.reported, layout.ends)
    assert [one.name for one in found] == ["mean"]
    assert ranked({}, layout) == []


def test_draws_are_asked_for_once_a_contestant() -> None:
    asked = list[int]()

    def counting(low: np.ndarray, high: np.ndarray, normal: np.ndarray) -> np.ndarray:
        asked.append(len(low))
        return spread_by_items(low, high, normal)

    layout = layout_of(view_of(counting, lower_is_better=True))
    scores = {name: scored(level) for level, name in enumerate("abcde", 30)}
    ranked(scores, layout)
    together(over_base({"b": "a"}, scores, layout)["b"], seed=0)
    assert asked == [40] * 5
    ranked(scores | {"f": scored(50, missing=1)}, layout)
    assert len(asked) == 5 + 2, "over what was scored alone it is another value"


def test_the_shape_of_draws_is_checked() -> None:
    with pytest.raises(ValueError, match=r"a drawn value has draws of shape \(3,\), not \(10000,\)"):
        layout_of(view_of(lambda low, high, normal: np.zeros(3))).estimates(scored(1))


def test_differences_are_over_what_both_were_asked_and_tested_with_all_others() -> None:
    """The drawn mean and the plain one are the same of items: the same difference, and p and intervals nearly so."""
    half = scored(31, LUCK * 0.5)
    first, second = LOWEST.bounds(scored(30)), LOWEST.bounds(half[10:])
    drawn, linear = differences(first, second, STRATA, LOWEST.view.reported, LOWEST.ends)
    assert drawn.n == linear.n == 30
    assert (drawn.first, drawn.second) == pytest.approx((linear.first, linear.second), abs=0.05)
    assert drawn.difference == pytest.approx(linear.difference, abs=0.05)

    def told(one: Difference) -> list[float]:
        return [one.low or 0, one.high or 0, one.p, one.p_adjusted, one.detectable or 0]

    assert told(drawn) == pytest.approx(told(linear), abs=0.12), "with 29 degrees of freedom"
    assert not drawn.added.any() and not drawn.moved.any()
    both = {one.name: one for one in together([drawn, linear], seed=0)}
    assert both["gap"].p_adjusted < 2 * drawn.p and both["gap"].p_adjusted >= drawn.p, "they move together"


def test_the_same_scores_give_the_same_bytes() -> None:
    rows = [ranked({"a": scored(30), "b": scored(30.5)}, layout_of(view_of(lower_is_better=True))) for _ in range(2)]
    assert repr(rows[0]) == repr(rows[1])
    assert LOWEST.estimates(scored(30)) == LOWEST.estimates(scored(30)[::-1])
    assert isinstance(LOWEST.estimates(scored(30))["gap"], Estimate)
