"""The paired permutation test: by hand, against whole numbers and scipy, with Darwin's plants, in bounded memory."""

from __future__ import annotations

import tracemalloc
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from scipy.stats import permutation_test

from stages.evaluation.scoring.statistics.permutation import (
    MOST_ENUMERATED,
    paired_permutation,
    paired_permutation_of_sums,
)

DARWIN = [49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60, -48]
"""Heights of fifteen pairs of plants, crossed less self-fertilised, in eighths of an inch (Fisher 1935, section 17)."""
TENTHS = st.integers(0, 10)


def array(*scores: float) -> NDArray[np.float64]:
    return np.array(scores, np.float64)


def exact_share(differences: list[int]) -> float:
    """The share of sign vectors whose sum is at least as far from 0, in whole numbers."""
    sums = [
        sum(s * d for s, d in zip(signs, differences, strict=True))
        for signs in product((1, -1), repeat=len(differences))
    ]
    return sum(abs(total) >= abs(sum(differences)) for total in sums) / len(sums)


def test_three_items() -> None:
    # Differences 1 2 -1, sum 2. Sums of all signs: 4 2 0 -2 2 0 -2 -4 (1 2 1 with signs): six of eight reach 2.
    assert paired_permutation(array(3, 5, 1), array(2, 3, 2)) == 6 / 8


def test_ties_are_ties_whatever_their_rounding() -> None:
    # Differences 0.1 0.1 0.1 as 0.1, 0.30000000000000004 - 0.2 and 0.7 - 0.6, none of them the same float.
    assert paired_permutation(array(0.1, 0.1 + 0.2, 0.7), array(0, 0.2, 0.6)) == 2 / 8


def test_no_difference_gives_one() -> None:
    assert paired_permutation(array(1, 2, 3), array(1, 2, 3)) == 1
    assert paired_permutation(np.ones(50), np.ones(50)) == 1
    assert paired_permutation(array(0.3), array(0.9)) == 1  # one item: either sign is as far from 0


def test_items_that_one_did_not_answer_are_left_out() -> None:
    nan = float("nan")
    first, second = array(3, nan, 5, 9, 1, nan), array(2, 7, 3, nan, 2, nan)
    assert paired_permutation(first, second) == 6 / 8
    assert paired_permutation(first, second, clusters=np.array([4, 0, 9, 0, 7, 1])) == 6 / 8


def test_a_cluster_flips_as_one() -> None:
    # Clusters sum to 1 + 2 = 3 and -1 + 0.5 = -0.5, sum 2.5; with signs 2.5 3.5 -3.5 -2.5: all four reach it.
    first, second = array(3, 5, 1, 0.5), array(2, 3, 2, 0)
    assert paired_permutation(first, second, clusters=np.array([7, 7, -2, -2])) == 1
    # Clusters sum to 3 and 0.5 with the last two the other way about: 3.5 2.5 -2.5 -3.5, two of four.
    first, second = array(3, 5, 2, 0), array(2, 3, 1, 0.5)
    assert paired_permutation(first, second, clusters=np.array([7, 7, -2, -2])) == 2 / 4


def test_clusters_are_enumerated_even_where_items_are_many() -> None:
    first, clusters = np.ones(1_000), np.arange(1_000) % 5
    assert paired_permutation(first, np.zeros(1_000), clusters) == 2 / 32


def test_drawn_clusters_flip_as_one_too() -> None:
    # Every item twice, as one cluster: all sums double, so as many draws are as far out. Free items would be surer.
    first, second = np.random.default_rng(6).normal(size=(2, 30))
    p = paired_permutation(first + 0.3, second)
    twice = [np.repeat(scores, 2) for scores in (first + 0.3, second)]
    assert paired_permutation(*twice, clusters=np.repeat(np.arange(30), 2)) == p
    assert paired_permutation(*twice) < p < 1


@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=1, max_size=9))
def test_up_to_rounding_it_counts_as_whole_numbers_do(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs).T / 10
    assert paired_permutation(first, second) == exact_share([one - other for one, other in pairs])


@settings(max_examples=40)
@given(st.lists(st.tuples(TENTHS, TENTHS, st.integers(0, 4)), min_size=1, max_size=20))
def test_clusters_are_as_items_with_their_sums(rows: list[tuple[int, int, int]]) -> None:
    one, other, clusters = np.array(rows).T
    sums = [int((one - other)[clusters == label].sum()) for label in np.unique(clusters)]
    assert paired_permutation(one / 10, other / 10, clusters) == exact_share(sums)


def test_it_is_scipys_where_all_are_counted() -> None:
    first, second = np.random.default_rng(5).normal(size=(2, 11))

    def statistic(x: NDArray[np.float64], y: NDArray[np.float64], axis: int) -> NDArray[np.float64]:
        return np.abs((x - y).mean(axis=axis))

    # Taking one side of |mean|: scipy's own two-sided p-value doubles the smaller tail.
    theirs = permutation_test(
        (first, second), statistic, permutation_type="samples", n_resamples=np.inf, alternative="greater"
    )
    assert paired_permutation(first, second) == pytest.approx(theirs.pvalue)


def test_fishers_count_for_darwins_plants() -> None:
    # 863 of 2^15 = 32,768 sums are at least 314 (Fisher 1935, section 21), as many at most -314: 0.05267.
    # Fifteen pairs are drawn: the standard error of the share is sqrt(0.0527 x 0.9473 / 200,000) = 0.0005.
    p = paired_permutation(array(*DARWIN), np.zeros(15), draws=200_000)
    assert p == pytest.approx(2 * 863 / 32_768, abs=0.002)


def test_draws_count_the_observed_one() -> None:
    # All 40 differences alike: no draw of 99 (of 2^40 sign vectors) reaches their sum, so (1 + 0) / (1 + 99).
    assert paired_permutation(np.ones(40), np.zeros(40), draws=99) == 0.01


def test_thirteen_are_enumerated_and_fourteen_are_drawn() -> None:
    assert paired_permutation(np.ones(MOST_ENUMERATED), np.zeros(MOST_ENUMERATED), draws=9) == 2 / 2**13
    assert paired_permutation(np.ones(MOST_ENUMERATED + 1), np.zeros(MOST_ENUMERATED + 1), draws=9) == 0.1


def test_a_seed_gives_the_same_every_time() -> None:
    first, second = np.random.default_rng(1).random((2, 60))
    again = [paired_permutation(first, second, seed=seed) for seed in (0, 0, 1, 2)]
    assert again[0] == again[1] and len(set(again)) > 1


def test_sides_and_units_do_not_matter() -> None:
    first, second = np.random.default_rng(2).random((2, 60))
    p = paired_permutation(first, second)
    assert paired_permutation(second, first) == p
    assert paired_permutation(100 * first, 100 * second) == p


def test_under_the_null_it_rejects_as_often_as_it_says() -> None:
    # 400 samples of 30 pairs from one distribution: at 0.1, 40 rejections, give or take 3 x sqrt(400 x 0.1 x 0.9) = 18.
    samples = np.random.default_rng(3).normal(size=(400, 2, 30))
    rejections = sum(paired_permutation(*sample, draws=199, seed=n) <= 0.1 for n, sample in enumerate(samples))
    assert 22 <= rejections <= 58


def test_memory_stays_bounded() -> None:
    first, second = np.random.default_rng(4).random((2, 700))
    tracemalloc.start()
    paired_permutation(first, second, draws=10_000)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 16e6  # all signs at once would be 10,000 x 700 x 8 bytes = 56 MB


@pytest.mark.parametrize(
    ("first", "second", "clusters", "draws", "words"),
    [
        ([], [], None, 10, "no item has a score of both"),
        ([1.0, np.nan], [np.nan, 1.0], None, 10, "no item has a score of both"),
        ([1.0, 2.0], [1.0], None, 10, "the same length"),
        ([[1.0]], [[1.0]], None, 10, "one axis"),
        ([1.0, 2.0], [1.0, 3.0], [1], 10, "2 items need as many integer labels"),
        ([1.0, 2.0], [1.0, 3.0], [1.0, 2.0], 10, "of float64"),
        ([1.0, np.inf], [1.0, 3.0], None, 10, "infinite"),
        ([1.0, 2.0], [1.0, 3.0], None, 0, "at least one draw, not 0"),
    ],
)
def test_what_cannot_be_tested_is_refused(first: list, second: list, clusters: list, draws: int, words: str) -> None:
    labels = None if clusters is None else np.array(clusters)
    with pytest.raises(ValueError, match=words):
        paired_permutation(np.array(first, float), np.array(second, float), labels, draws)


# Functions of sums


def ratio(sums: NDArray[np.float64]) -> NDArray[np.float64]:
    with np.errstate(all="ignore"):
        return np.asarray(sums[..., 0] / sums[..., 1])


def test_a_ratio_of_two_items_by_hand() -> None:
    # The first has 1/2 and 3/4: 4/6. The second 5/2 and 3/2: 8/4. Apart 2 - 2/3 = 4/3. With one item on the other side
    # (5 + 3) / (2 + 4) and (1 + 3) / (2 + 2), apart 1/3. Two of four are as far apart.
    first, second = np.array([[1.0, 2], [3, 4]]), np.array([[5.0, 2], [3, 2]])
    assert paired_permutation_of_sums(first, second, ratio) == 2 / 4
    assert paired_permutation_of_sums(first, first, ratio) == 1


@given(st.lists(st.tuples(TENTHS, TENTHS), min_size=1, max_size=20))
@settings(max_examples=20)
def test_a_sum_as_a_function_of_sums(pairs: list[tuple[int, int]]) -> None:
    first, second = np.array(pairs, np.float64).T
    total = paired_permutation_of_sums(first[:, None], second[:, None], lambda sums: sums[..., 0], draws=200)
    assert total == paired_permutation(first, second, draws=200)


def test_a_permutation_without_a_value_counts_as_far_off() -> None:
    # Both on one side have no value: 0/0. So all four are as far off as the two observed.
    first, second = np.array([[1.0, 1], [0, 0]]), np.array([[0.0, 0], [2, 1]])
    assert paired_permutation_of_sums(first, second, ratio) == 1


def test_what_cannot_be_compared_is_refused() -> None:
    terms = np.ones((3, 2))
    for first, second, said in [
        (terms, terms[:2], "the same shape"),
        (terms[:0], terms[:0], "need items"),
        (terms * np.inf, terms, "not finite"),
        (terms * [1, 0], terms, "undefined"),
    ]:
        with pytest.raises(ValueError, match=said):
            paired_permutation_of_sums(first, second, lambda sums: np.where(sums[..., 1] > 0, ratio(sums), np.nan))
