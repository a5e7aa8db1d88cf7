"""Values that are resampled: known draws come back, and comparisons rest on them."""

from __future__ import annotations

from collections.abc import Callable
from statistics import NormalDist
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.defining.measures import Column, Linear, Metric, Resampled, Scale, ends_of
from gamut.evaluation.scoring.board import Layout, no_difference_notes, rank_contestants
from gamut.evaluation.scoring.comparison import Difference, adjust_together, differences
from gamut.evaluation.scoring.estimates import Estimate, estimates, flat_estimates
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.statistics.inference import (
    Draws,
    detectable,
    draws_of_difference,
    interval,
    normal_deviates,
    p_value,
)
from gamut.evaluation.scoring.statistics.ranks import DRAWS, adjust_p_values, joint_level
from gamut.tables.columns import Row

ITEMS = [f"i{n}" for n in range(40)]
STRATA = np.zeros(40, np.int64)
ENDS = Scale(0, 100)
NORMAL = NormalDist()
GRID = np.array([NORMAL.inv_cdf((n + 0.5) / DRAWS) for n in range(DRAWS)])
"""Draws of a standard normal value without any chance."""


def known(middle: float, spread: float, order: np.ndarray | None = None) -> Draws:
    draws = middle + spread * (GRID if order is None else GRID[order])
    return Draws(middle, draws, draws, ENDS)


def test_normal_draws_have_normal_quantiles_and_the_p_of_their_sign() -> None:
    """50 with a spread of 2: 50 ± 1.96·2. Of a difference of 3 with a spread of 2 p is that of 1.5 spreads."""
    low, high = interval(known(50, 2)) or (0, 0)
    assert (low, high) == pytest.approx((50 - 1.96 * 2, 50 + 1.96 * 2), abs=0.01)
    assert interval(known(50, 2), 0.8) == pytest.approx((50 - 1.2816 * 2, 50 + 1.2816 * 2), abs=0.01)
    for middle in (3, -3):
        assert p_value(known(middle, 2)) == pytest.approx(2 * NORMAL.cdf(-1.5), abs=2e-4)
    assert p_value(known(90, 1)) == 2 / (1 + DRAWS), "no finite number of draws makes it 0"
    assert p_value(known(0, 0)) == 1 == p_value(known(0, 1))
    assert detectable(known(3, 2)) == pytest.approx((1.96 + 0.8416) * 2, abs=0.01)
    assert detectable(known(3, 40)) is None is detectable(known(0, 0)), "none as large can be; nothing varies"


def test_what_may_be_none_may_differ_from_another_by_as_much_as_either_allows() -> None:
    """One is 0 or 10 ± 1, the other 15 ± 1: they are 15 or 5 apart, 3 to 17 with 1.4 · 1.96 on either side."""
    order = np.random.default_rng(0).permutation(DRAWS)
    one = Draws(10, 0 * GRID, 10 + GRID, ENDS)
    other = known(15, 1, order)
    apart = draws_of_difference(one, other)
    assert apart.value == 5 and apart.ends == (-100, 100)
    assert interval(apart) == pytest.approx((5 - 1.96 * 2**0.5, 15 + 1.96), abs=0.1)
    assert p_value(draws_of_difference(one, known(11, 1, order))) > 0.3, (
        "11 less 10 may be nothing, 11 less 0 is something"
    )


@given(st.floats(-3, 3), st.sampled_from([np.exp, np.tanh, lambda draws: draws**3, lambda draws: draws]))
def test_skewed_draws_are_tested_as_normal_ones(middle: float, skewed: Callable[[np.ndarray], np.ndarray]) -> None:
    """The p of a single test stays its own, and the level at which one interval holds 95 %."""
    draws = skewed(middle + GRID) - skewed(np.zeros(1))
    told = Draws(0, draws, draws)
    moves = normal_deviates(told)[None]
    assert adjust_p_values([p_value(told)], moves) == pytest.approx(p_value(told)) and joint_level(moves) == 0.95
    assert np.array_equal(np.argsort(moves[0], kind="stable"), np.argsort(draws, kind="stable"))
    assert moves.std() == pytest.approx(1, abs=0.01) and not normal_deviates(known(5, 0)).any()


def test_two_tests_of_independent_draws_hold_together() -> None:
    """Each of two at a level of √.95 = .9747."""
    order = np.random.default_rng(0).permutation(DRAWS)
    moves = np.stack([normal_deviates(known(0, 1)), normal_deviates(known(0, 5, order))])
    assert joint_level(moves) == pytest.approx(0.95**0.5, abs=0.002)


def mean_of(scores: np.ndarray) -> float:
    return float(np.nanmean(scores))


def resampled_mean(scores: np.ndarray, weights: np.ndarray, chance: np.random.Generator) -> np.ndarray:
    """The mean of items, each weighed as often as it is drawn."""
    there = ~np.isnan(scores[:, 0])
    draws = scores[there, 0] @ weights[there] / weights[there].sum(axis=0)
    return np.stack([draws, draws])


def metric_of(draws: Callable[..., Any] = resampled_mean, value: Callable[..., float] = mean_of) -> Metric:
    columns = [Column("all", "en", "apart"), Column("none", "en", "apart")]
    reported = {"mean": Linear(np.array([1.0, 0])), "gap": Resampled(np.array([True, False]), value, draws, ENDS)}
    return Metric("en", ("en",), columns, reported, ("mean", "gap"))


def layout_of(metric: Metric) -> Layout:
    return Layout(ITEMS, STRATA, metric, ends_of(metric, {"apart": ENDS}), seed=0)


LAYOUT = layout_of(metric_of())
LUCK = np.random.default_rng(1).permutation(np.linspace(-8, 8, 40))


def scored(level: float, luck: np.ndarray = LUCK, missing: int = 0) -> list[Row]:
    """Scores around a level; of the first ones nothing is known."""
    kind = {"groups": ["all"], "setting": "en", "measure": "apart", "stratum": "all", "judge": "j"}
    values = [None if n < missing else float(level + luck[n]) for n in range(40)]
    return [
        kind
        | {"item": item, "value": value, "low": 0.0 if value is None else value}
        | {"high": 100.0 if value is None else value, "scored": int(value is not None)}
        | {"left_out": ["answered.truncated"] if value is None else []}
        for item, value in zip(ITEMS, values, strict=True)
    ]


def test_a_value_its_interval_and_what_is_missing() -> None:
    """Items have a spread s of ±8 evenly around 30: interval 30 ± 1.96·s/√40; ten that are hidden count as 0."""
    found = LAYOUT.estimates(scored(30))["gap"]
    half = 1.96 * LUCK.std() / 40**0.5
    assert found.value == pytest.approx(30) and found.n == 40
    assert (found.low, found.high) == pytest.approx((30 - half, 30 + half), abs=0.15)
    assert LAYOUT.estimates(scored(30, missing=10))["gap"].value == pytest.approx(sum(30 + LUCK[10:]) / 40)
    nothing = Bounds(*[np.full((40, 2), np.nan)] * 2)
    assert estimates(nothing, STRATA, LAYOUT.metric.reported, LAYOUT.ends) == {}


def test_a_value_lies_in_its_interval_and_is_of_its_own_items() -> None:
    """A formula may lie where no draw does; items of other columns do not count."""
    metric = metric_of(value=lambda scores: 99.0)
    rows = [*scored(30), scored(30)[0] | {"groups": ["none"], "item": "i39"}]
    found = layout_of(metric).estimates(rows)["gap"]
    assert found.value == found.high == pytest.approx(31.5, abs=0.3) and found.n == 40
    other = Resampled(np.array([False, True]), mean_of, lambda *_: np.zeros((2, DRAWS)))
    only = metric._replace(reported=metric.reported | {"gap": other})
    assert layout_of(only).estimates(rows)["gap"].n == 1


def test_of_whom_a_gap_may_be_none_the_board_says_so() -> None:
    def draws(scores: np.ndarray, weights: np.ndarray, chance: np.random.Generator) -> np.ndarray:
        own = resampled_mean(scores, weights, chance)
        return own * np.array([[np.nanmean(scores) > 20], [True]])

    layout = layout_of(metric_of(draws))
    rows = rank_contestants({"a": scored(10), "b": scored(30), "control_blank": scored(10)}, layout)
    assert no_difference_notes(layout.metric, rows) == ["gap: not different from zero: a (10.0, up to 11.5)"]
    assert no_difference_notes(layout.metric, rows[:1]) == []


def undefined(scores: np.ndarray) -> float:
    return np.nan if np.nanmean(scores) > 50 else 1.0


def test_what_is_undefined_has_no_value_and_no_difference() -> None:
    layout = layout_of(metric_of(value=undefined))
    found = layout.estimates(scored(60))
    assert "gap" not in found and not any(np.isnan(value) for value in flat_estimates("", found).values())
    pair = layout.bounds(scored(60)), layout.bounds(scored(40))
    apart = differences(*pair, STRATA, layout.metric.reported, layout.ends)
    assert [one.name for one in apart] == ["mean"]


def test_differences_are_over_what_both_were_asked_and_tested_with_all_others() -> None:
    """The resampled mean and the plain one are the same of items: the same difference, p and intervals nearly so."""
    half = scored(31, LUCK * 0.5)
    first, second = LAYOUT.bounds(scored(30)), LAYOUT.bounds(half[10:])
    linear, drawn = differences(first, second, STRATA, LAYOUT.metric.reported, LAYOUT.ends)
    assert drawn.n == linear.n == 30
    assert (drawn.first, drawn.second) == pytest.approx((linear.first, linear.second))
    assert drawn.difference == pytest.approx(linear.difference)

    def told(one: Difference) -> list[float]:
        return [one.low or 0, one.high or 0, one.p, one.p_adjusted, one.detectable or 0]

    assert told(drawn) == pytest.approx(told(linear), abs=0.15), "with 29 degrees of freedom"
    assert not drawn.added.any() and not drawn.moved.any()
    both = {one.name: one for one in adjust_together([linear, drawn], seed=0)}
    assert drawn.p <= both["gap"].p_adjusted < 2.5 * drawn.p


def test_the_same_scores_give_the_same_bytes() -> None:
    rows = [rank_contestants({"a": scored(30), "b": scored(30.5)}, layout_of(metric_of())) for _ in range(2)]
    assert repr(rows[0]) == repr(rows[1])
    assert LAYOUT.estimates(scored(30)) == LAYOUT.estimates(scored(30)[::-1])
    assert isinstance(LAYOUT.estimates(scored(30))["gap"], Estimate)
