"""McNemar's exact test, by hand, against scipy, and for more pairs than floats can count."""

from __future__ import annotations

from fractions import Fraction
from math import comb

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import binomtest

from stages.evaluation.statistics.mcnemar import mcnemar_exact

Answers = NDArray[np.bool_]


def answers(both: int, only_first: int, only_second: int, neither: int) -> tuple[Answers, Answers]:
    counts = [both, only_first, only_second, neither]
    return np.repeat([True, True, False, False], counts), np.repeat([True, False, True, False], counts)


def test_two_against_eight() -> None:
    # 2 x (1 + 10 + 45) / 2^10 = 112 / 1024
    assert mcnemar_exact(*answers(5, 2, 8, 3)) == 0.109375


def test_one_alone() -> None:
    # 2 / 2^6
    assert mcnemar_exact(*answers(0, 6, 0, 0)) == 0.03125
    # 2 / 2, for one pair says nothing
    assert mcnemar_exact(*answers(0, 1, 0, 0)) == 1.0


def test_equal_counts_give_one() -> None:
    # 2 x (1 + 4 + 6) / 2^4 = 22 / 16, at most 1
    assert mcnemar_exact(*answers(0, 2, 2, 0)) == 1.0


def test_without_a_discordant_pair_it_is_one() -> None:
    assert mcnemar_exact(*answers(7, 0, 0, 4)) == 1.0
    assert mcnemar_exact(*answers(0, 0, 0, 0)) == 1.0


@given(*[st.integers(0, 60)] * 4)
def test_it_is_scipys_binomial_test(both: int, only_first: int, only_second: int, neither: int) -> None:
    p = mcnemar_exact(*answers(both, only_first, only_second, neither))
    pairs = only_first + only_second
    assert p == pytest.approx(binomtest(only_first, pairs).pvalue if pairs else 1.0, rel=1e-9)
    assert p == mcnemar_exact(*answers(neither, only_second, only_first, both))


@pytest.mark.parametrize(("only_first", "only_second"), [(999, 1_001), (4_900, 5_100), (900, 300)])
def test_thousands_of_pairs_are_exact(only_first: int, only_second: int) -> None:
    pairs = only_first + only_second
    # Summed from the other end: 1 - P(fewer < X < more) is P of both tails.
    between = sum(comb(pairs, k) for k in range(min(only_first, only_second) + 1, max(only_first, only_second)))
    assert mcnemar_exact(*answers(0, only_first, only_second, 0)) == float(1 - Fraction(between, 2**pairs))


def test_the_smallest_float_is_reached_before_nothing_is() -> None:
    # 2 / 2^1075 = 2^-1074, the smallest float; half of it is rounded to 0.
    assert mcnemar_exact(*answers(0, 1_075, 0, 0)) == 2.0**-1074
    assert mcnemar_exact(*answers(0, 1_076, 0, 0)) == 0.0


def test_unlike_lengths_are_refused() -> None:
    with pytest.raises(ValueError, match=r"the same length, not \(3,\) and \(2,\)"):
        mcnemar_exact(np.ones(3, bool), np.ones(2, bool))
    with pytest.raises(ValueError, match="one axis"):
        mcnemar_exact(np.ones((2, 2), bool), np.ones((2, 2), bool))


def test_scores_are_refused_for_a_missing_one_would_count_as_solved() -> None:
    with pytest.raises(ValueError, match="solved or not"):
        mcnemar_exact(np.array([1.0, np.nan]), np.array([True, False]))  # type: ignore[arg-type]
