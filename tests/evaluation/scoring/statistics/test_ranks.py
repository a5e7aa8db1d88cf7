"""Ranks from differences that are real, and ties from those that are not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np
import pytest

from stages.evaluation.scoring.statistics.bootstrap import Freedom, Weights, item_weights, one_stratum, satterthwaite
from stages.evaluation.scoring.statistics.ranks import Gap, RankInterval, better, rank_intervals, tie_groups

NORMAL = np.random.default_rng(0).normal(size=1_000)
"""Draws of something that moves by a standard deviation of 1."""


def gap(difference: float, spread: float, freedom: Freedom | None = None) -> Gap:
    return Gap(difference, spread * NORMAL, freedom or one_stratum(1_000))


def all_gaps(scores: np.ndarray, weights: Weights, strata: np.ndarray) -> Iterator[Gap]:
    """Of mean scores, shape (items, contestants); strata have as many items each."""
    for first, second in combinations(range(scores.shape[1]), 2):
        apart = scores[:, first] - scores[:, second]
        means = np.bincount(strata, apart) / np.bincount(strata)
        moved = (apart - means[strata]) / len(apart)
        freedom = satterthwaite(np.bincount(strata, moved**2), np.bincount(strata).astype(float))
        yield Gap(float(apart.mean()), weights @ moved.astype(np.float32), freedom)


def test_ranks_by_hand() -> None:
    """A is better than C and D, B than D: A may be 1 or 2, B 1 to 3, C 2 to 4, D 3 or 4."""
    is_better = np.zeros((4, 4), bool)
    is_better[0, 2] = is_better[0, 3] = is_better[1, 3] = True
    assert rank_intervals(is_better) == [(1, 2), (1, 3), (2, 4), (3, 4)]
    # the group of the best, A, holds B; C begins the next, whose best it is not better than D by
    assert tie_groups(np.array([9.0, 8.0, 7.0, 6.0]), is_better) == [1, 1, 2, 2]
    assert tie_groups(np.array([6.0, 7.0, 8.0, 9.0]), is_better[::-1, ::-1]) == [2, 2, 1, 1]


def test_who_is_better_stands_above_a_higher_value_of_other_items() -> None:
    """The second has the higher value of its own, and loses to the first on the items of both."""
    is_better = np.array([[False, True], [False, False]])
    assert rank_intervals(is_better) == [(1, 1), (2, 2)]
    assert tie_groups(np.array([5.0, 6.0]), is_better) == [1, 2]


def test_a_ring_ends() -> None:
    """Over unlike items A may be better than B, B than C and C than A: the highest begins, none is a tie."""
    is_better = np.zeros((3, 3), bool)
    is_better[0, 1] = is_better[1, 2] = is_better[2, 0] = True
    assert rank_intervals(is_better) == [(2, 2)] * 3
    assert tie_groups(np.array([9.0, 8.0, 7.0]), is_better) == [1, 2, 3]


def test_who_is_better_than_the_best_of_a_group_is_not_of_it() -> None:
    """The last is better than the first, but in a ring with the two between, who cannot be told from the first."""
    is_better = np.zeros((4, 4), bool)
    is_better[3, 0] = is_better[3, 2] = is_better[2, 1] = is_better[1, 3] = True
    assert tie_groups(np.array([9.0, 8.0, 7.0, 6.0]), is_better) == [1, 1, 3, 2]


def test_one_contestant_is_first() -> None:
    is_better = better(1, [])
    assert rank_intervals(is_better) == [RankInterval(1, 1)] and tie_groups(np.array([5.0]), is_better) == [1]


def test_the_same_scores_are_a_tie_and_a_constant_difference_is_real() -> None:
    found = better(3, [gap(0, 0), gap(-1, 0), gap(-1, 0)])  # the third is better than both
    assert found.tolist() == [[False] * 3, [False] * 3, [True, True, False]]


def test_a_pair_with_too_few_items_is_a_tie_and_leaves_the_others_alone() -> None:
    found = better(3, [None, gap(5, 1), gap(5, 1)])
    assert found.tolist() == [[False, False, True], [False, False, True], [False] * 3]


def test_few_items_have_to_be_further_apart() -> None:
    """Alone a pair has to be 1.96 standard deviations apart, of 3 items Student's 4.30 · √(3/2) = 5.27."""
    assert better(2, [gap(2.2, 1)])[0, 1] and not better(2, [gap(1.8, 1)]).any()
    assert better(2, [gap(5.6, 1, one_stratum(3))])[0, 1] and not better(2, [gap(4.9, 1, one_stratum(3))]).any()


def test_few_items_of_one_pair_do_not_matter_to_another() -> None:
    """All three move alike, so that the furthest of them is as far off as each."""
    found = better(3, [gap(2.2, 1), gap(2.2, 1, one_stratum(3)), gap(0, 1)])
    assert found.tolist() == [[False, True, False], [False] * 3, [False] * 3]


def test_all_intervals_hold_together_as_often_as_they_say() -> None:
    """300 boards of four, two of equal skill: all rank intervals hold in at least 95 % of them, within chance
    (300 · 0.95 = 285, less two standard deviations of 3.8: 277)."""
    chance, truth = np.random.default_rng(5), [(1, 1), (2, 3), (2, 3), (4, 4)]
    strata = np.zeros(100, np.int64)
    weights = item_weights(np.arange(100), strata, 1000, seed=6)
    held = 0
    for _ in range(300):
        item = chance.normal(0, 10, (100, 1))
        scores = item + np.array([65.0, 50.0, 50.0, 35.0]) + chance.normal(0, 20, (100, 4))
        found = rank_intervals(better(4, all_gaps(scores, weights, strata)))
        # two contestants of equal skill may stand in either order
        held += all(low <= best and worst <= high for (low, high), (best, worst) in zip(found, truth, strict=True))
    assert held >= 277


@pytest.mark.parametrize(("tracks", "each"), [(1, 10), (1, 20), (7, 4), (7, 8), (7, 14)])
def test_few_items_make_nobody_better_by_luck(tracks: int, each: int) -> None:
    """300 boards of four of equal skill: in at most 5 % of them, within chance (15 + 2 · 3.8), is anybody better.

    Of 5 items in all it is more, 8 % (1,000 boards); so it is with many contestants: of twelve over 20 items 8 %, over
    10 items 11 %.
    """
    chance, items = np.random.default_rng(8), tracks * each
    strata = np.repeat(np.arange(tracks), each)
    weights = item_weights(np.arange(items), strata, 1000, seed=6)
    wrong = 0
    for _ in range(300):
        scores = chance.normal(0, 10, (items, 1)) + chance.normal(50, 20, (items, 4))
        wrong += better(4, all_gaps(scores, weights, strata)).any()
    assert wrong <= 22
