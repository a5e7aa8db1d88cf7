"""Ranks from differences that are real, and ties from those that are not."""

from __future__ import annotations

import numpy as np

from gamut.evaluation.scoring.statistics.inference import Inferred, StandardError
from gamut.evaluation.scoring.statistics.ranks import (
    RankInterval,
    better_pairs,
    multipliers,
    rank_intervals,
    studentize,
    tie_groups,
)
from tests.evaluation.scoring.statistics.known_boards import joint_ranks_held

KNOWN = np.full(3, np.inf)
ALIKE = studentize(np.ones((3, 1)), multipliers(1, 0), KNOWN, 0)
"""Three gaps that move alike, so that the furthest of them is as far off as each."""


def gap(difference: float, error: float, degrees: float = 999, n: int = 1_000) -> Inferred:
    return Inferred(difference, StandardError(error, degrees), n, None)


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


def test_one_contestant_is_first() -> None:
    is_better = better_pairs(1, [], ALIKE[:0])
    assert rank_intervals(is_better) == [RankInterval(1, 1)] and tie_groups(np.array([5.0]), is_better) == [1]


def test_the_same_scores_are_a_tie_and_a_constant_difference_is_real() -> None:
    found = better_pairs(3, [gap(0, 0), gap(-1, 0), gap(-1, 0)], 0 * ALIKE)  # the third is better than both
    assert found.tolist() == [[False] * 3, [False] * 3, [True, True, False]]


def test_a_pair_with_too_few_items_is_a_tie_and_leaves_the_others_alone() -> None:
    found = better_pairs(3, [None, gap(5, 1), gap(5, 1)], ALIKE)
    assert found.tolist() == [[False, False, True], [False, False, True], [False] * 3]


def test_few_items_have_to_be_further_apart() -> None:
    """Alone a pair has to be 1.96 standard errors apart, of 3 items Student's 4.30."""
    assert better_pairs(2, [gap(2.0, 1)], ALIKE[:1])[0, 1] and not better_pairs(2, [gap(1.9, 1)], ALIKE[:1]).any()
    assert better_pairs(2, [gap(4.4, 1, 2)], ALIKE[:1])[0, 1] and not better_pairs(2, [gap(4.2, 1, 2)], ALIKE[:1]).any()


def test_few_items_of_one_pair_do_not_matter_to_another() -> None:
    found = better_pairs(3, [gap(2.2, 1), gap(2.2, 1, 2), gap(0, 1)], ALIKE)
    assert found.tolist() == [[False, True, False], [False] * 3, [False] * 3]


def test_what_is_found_makes_the_rest_easier() -> None:
    """Three that move apart: of three the furthest lies 2.39 off in 5 %, of two 2.24. Once the first is found, 2.3 is
    enough for the second; without it, for none."""
    apart = studentize(np.eye(3), multipliers(3, 0), KNOWN, 0)
    assert better_pairs(3, [gap(9, 1), gap(2.3, 1), gap(0, 1)], apart)[0].tolist() == [False, True, True]
    assert not better_pairs(3, [gap(1, 1), gap(2.3, 1), gap(0, 1)], apart).any()


def test_few_items_make_nobody_better_by_luck() -> None:
    """Boards of equals: all rank intervals hold in 95 % of them, within chance, 95 - 3 · √(.95 · .05 / 100) = 88.5 of
    100; bench/coverage.py has more."""
    assert joint_ranks_held("graded", [40, 25, 15, 10, 6, 4, 3], 4, 0.0, 100, seed=8) >= 0.885
