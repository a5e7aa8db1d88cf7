"""Ranks from differences that are real, and ties from those that are not."""

from __future__ import annotations

import numpy as np
import pytest

from stages.evaluation.statistics.bootstrap import item_weights, weighted_means
from stages.evaluation.statistics.ranks import RankInterval, better, rank_intervals, tie_groups

NAN = float("nan")


def test_ranks_by_hand() -> None:
    """A is better than C and D, B than D: A may be 1 or 2, B 1 to 3, C 2 to 4, D 3 or 4."""
    is_better = np.zeros((4, 4), bool)
    is_better[0, 2] = is_better[0, 3] = is_better[1, 3] = True
    assert rank_intervals(is_better) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    # the group of the best, A, holds B; C begins the next, whose best it is not better than D by
    assert tie_groups(np.array([9.0, 8.0, 7.0, 6.0]), is_better) == [1, 1, 2, 2]
    assert tie_groups(np.array([6.0, 7.0, 8.0, 9.0]), is_better[::-1, ::-1]) == [2, 2, 1, 1]


def test_one_contestant_is_first() -> None:
    is_better = better(np.array([5.0]), np.array([[5.0], [6.0]]), 100)
    assert rank_intervals(is_better) == [RankInterval(1, 1)] and tie_groups(np.array([5.0]), is_better) == [1]


def test_the_same_scores_are_a_tie_and_a_constant_difference_is_real() -> None:
    drawn = np.random.default_rng(0).normal(size=(500, 1)) + np.array([[0.0, 0.0, 1.0]])
    assert better(np.array([0.0, 0.0, 1.0]), drawn, 100).tolist() == [[False] * 3, [False] * 3, [True, True, False]]


def test_draws_in_which_somebody_has_no_value_do_not_count() -> None:
    drawn = np.array([[1.0, 2.0], [NAN, 2.0]])
    assert better(np.array([1.0, 2.0]), drawn, 100).tolist() == [[False, False], [True, False]]
    with pytest.raises(ValueError, match="no draw has a value of every contestant"):
        better(np.array([1.0, 2.0]), drawn[1:], 100)


def test_all_intervals_hold_together_as_often_as_they_say() -> None:
    """300 boards of four, two of equal skill: all rank intervals hold in at least 95 % of them, within chance
    (300 · 0.95 = 285, less two standard deviations of 3.8: 277)."""
    chance, truth = np.random.default_rng(5), [(1, 1), (2, 3), (2, 3), (4, 4)]
    weights = item_weights(np.arange(100), np.zeros(100, int), 1000, seed=6)
    held = 0
    for _ in range(300):
        item = chance.normal(0, 10, (100, 1))
        scores = item + np.array([65.0, 50.0, 50.0, 35.0]) + chance.normal(0, 20, (100, 4))
        found = rank_intervals(better(scores.mean(axis=0), weighted_means(scores, weights), 100))
        # two contestants of equal skill may stand in either order
        held += all(low <= best and worst <= high for (low, high), (best, worst) in zip(found, truth, strict=True))
    assert held >= 277


@pytest.mark.parametrize(("strata", "each"), [(1, 20), (7, 4), (7, 8)])
def test_few_items_make_nobody_better_by_luck(strata: int, each: int) -> None:
    """300 boards of four of equal skill: in at most 5 % of them, within chance (15 + 2 · 3.8), is anybody better.

    Of fewer items in all it is more: .12 of 5 and .08 of 10 (1,000 boards).
    """
    chance, items = np.random.default_rng(8), strata * each
    weights = item_weights(np.arange(items), np.repeat(np.arange(strata), each), 1000, seed=6)
    wrong = 0
    for _ in range(300):
        scores = chance.normal(0, 10, (items, 1)) + chance.normal(50, 20, (items, 4))
        wrong += better(scores.mean(axis=0), weighted_means(scores, weights), each).any()
    assert wrong <= 22


def test_of_a_single_item_nobody_is_better() -> None:
    assert not better(np.array([1.0, 9.0]), np.tile([[1.0, 9.0]], (10, 1)), 1).any()
