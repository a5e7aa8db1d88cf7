"""Coefficients of agreement and the interval of a share: by hand, by definition, by scipy and scikit-learn."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from itertools import permutations
from math import sqrt

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray
from scipy.stats import binomtest, kendalltau, pearsonr, spearmanr
from sklearn.metrics import cohen_kappa_score
from sklearn.metrics import mean_absolute_error as theirs_mean_absolute_error

from gamut.evaluation.scoring.statistics.coefficients import (
    alpha_of_sums,
    alpha_terms,
    effective_answers,
    fisher_interval,
    kappa_of_sums,
    kendall,
    kendall_interval,
    krippendorff_alpha,
    mean_absolute_error,
    moments,
    pearson,
    spearman,
    spearman_interval,
    weighted_kappa,
    wilson_interval,
)

NAN = float("nan")
MEASURES = pytest.mark.parametrize("measure", [pearson, mean_absolute_error])
Measure = Callable[[NDArray[np.float64], NDArray[np.float64]], float]
PAIRS = st.lists(st.tuples(st.floats(-100, 100), st.floats(-100, 100)), min_size=3, max_size=30)


def array(*scores: float) -> NDArray[np.float64]:
    return np.array(scores, np.float64)


def test_four_pairs() -> None:
    # Means 1 and 1; deviations -1 0 0 1 and -1 -1 1 1: products add up to 2, squares to 2 and 4.
    judge, people = array(0, 1, 1, 2), array(0, 0, 2, 2)
    assert pearson(judge, people) == pytest.approx(2 / sqrt(2 * 4))
    # |differences| 0 1 1 0
    assert mean_absolute_error(judge, people) == 0.5


def test_pairs_with_a_missing_score_are_left_out() -> None:
    judge, people = array(0, 1, NAN, 1, 9, 2, NAN), array(0, 0, 5, 2, NAN, 2, NAN)
    assert pearson(judge, people) == pytest.approx(2 / sqrt(8))
    assert mean_absolute_error(judge, people) == 0.5


@given(PAIRS)
def test_they_are_scipys_and_scikit_learns(pairs: list[tuple[float, float]]) -> None:
    x, y = np.array(pairs).T
    assert mean_absolute_error(x, y) == pytest.approx(theirs_mean_absolute_error(x, y), rel=1e-12)
    assume(np.ptp(x) > 1e-3 and np.ptp(y) > 1e-3)
    assert pearson(x, y) == pytest.approx(pearsonr(x, y).statistic, abs=1e-9)


@pytest.mark.parametrize("same", [array(2, 2, 2), array(0, 0, 0), array(0.3, 0.1 + 0.2, 0.3)])
def test_without_variance_there_is_no_correlation(same: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="the 3 scores of one side are all the same"):
        pearson(array(0, 1, 2), same)
    with pytest.raises(ValueError, match="no variance"):
        pearson(same, array(0, 1, 2))


@MEASURES
def test_two_pairs_are_refused(measure: Measure) -> None:
    with pytest.raises(ValueError, match="at least 3 pairs of scores, not 2"):
        measure(array(1, 2, 3), array(1, NAN, 2))
    with pytest.raises(ValueError, match="not 0"):
        measure(array(), array())


def test_an_interval_is_fishers() -> None:
    # atanh(0.5) = ln(3) / 2 = 0.5493; 1.96 / sqrt(12 - 3) = 0.6533: tanh(-0.1040) and tanh(1.2026).
    assert fisher_interval(0.5, 12) == pytest.approx((-0.1036, 0.8345), abs=1e-4)
    theirs = pearsonr([1, 2, 3, 4, 6], [1, 3, 2, 5, 4])
    assert fisher_interval(theirs.statistic, 5) == pytest.approx(theirs.confidence_interval(), abs=1e-9)


@pytest.mark.parametrize(("r", "n"), [(0.5, 3), (-1.0, 9), (float("nan"), 9)])
def test_of_three_pairs_or_a_line_there_is_no_interval(r: float, n: int) -> None:
    with pytest.raises(ValueError, match="interval"):
        fisher_interval(r, n)


SCORES = st.lists(st.tuples(st.integers(0, 5), st.integers(0, 5)), min_size=3, max_size=20)


def test_spearman_by_hand() -> None:
    # Ranks 1 2 3 4 and 2 1 4 3: differences of 1 throughout, 1 - 6 * 4 / (4 * 15) = 0.6, however far the last is off.
    assert spearman(np.array([1.0, 2, 3, 1000]), np.array([5.0, 4, 7, 6])) == pytest.approx(0.6)
    assert spearman(np.array([1.0, 2, np.nan, 3]), np.array([1.0, 8, 3, 9])) == 1
    with pytest.raises(ValueError, match="all the same"):
        spearman(np.ones(4), np.arange(4.0))


@given(SCORES)
def test_as_scipy_has_it(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array(pairs, np.float64).T
    assume(len({*x}) > 1 and len({*y}) > 1)
    assert spearman(x, y) == pytest.approx(spearmanr(x, y).statistic, abs=1e-12)
    assert kendall(x, y) == pytest.approx(kendalltau(x, y).statistic, abs=1e-12)


def test_tau_by_hand() -> None:
    # Of six pairs 1-2 and 3-4 stand the other way round: (4 - 2) / 6; with a tie in x five differ there, six in y.
    assert kendall(np.array([1.0, 2, 3, 1000]), np.array([5.0, 4, 7, 6])) == pytest.approx(1 / 3)
    assert kendall(np.array([1.0, 1, 3, 4]), np.array([5.0, 4, 7, 8])) == pytest.approx(5 / 30**0.5)
    with pytest.raises(ValueError, match="have no order"):
        kendall(np.ones(4), np.arange(4.0))


def test_the_interval_of_tau() -> None:
    # tanh(0.549306 -+ 1.959964 sqrt(0.437 / 8)): of 0.091223 and 1.007390.
    assert kendall_interval(0.5, 12) == pytest.approx((0.090971, 0.764680), abs=1e-5)
    for tau, n, said in ((0.5, 4, "at least 5 pairs"), (1.0, 9, "no interval")):
        with pytest.raises(ValueError, match=said):
            kendall_interval(tau, n)


def test_its_interval_is_wider_than_that_of_scores_and_none_of_three() -> None:
    low, high = spearman_interval(0.6, 10)
    # tanh(0.693147 -+ 1.959964 sqrt(1.18 / 7)): of -0.111564 and 1.497858.
    assert (low, high) == pytest.approx((-0.111104, 0.904761), abs=1e-6)
    assert low < fisher_interval(0.6, 10)[0] and high > fisher_interval(0.6, 10)[1]
    with pytest.raises(ValueError, match="at least 4 pairs"):
        spearman_interval(0.6, 3)
    with pytest.raises(ValueError, match="no interval"):
        spearman_interval(1, 9)


def from_table(table: list[list[int]], values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Ratings with this table of how often the first rater (rows) and the second (columns) gave each pair of values."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return np.array([values[i] for i, _ in cells]), np.array([values[j] for _, j in cells])


THREE = [[3, 1, 0], [1, 2, 0], [1, 0, 2]]


def test_two_raters_and_two_values_by_hand() -> None:
    # 50 items. Observed agreement (20 + 15) / 50 = 0.7. The raters say 1 of 25 and of 30 items: by chance they agree
    # on 0.5 · 0.6 + 0.5 · 0.4 = 0.5. Kappa (0.7 - 0.5) / (1 - 0.5) = 0.4.
    assert weighted_kappa(*from_table([[15, 10], [5, 20]], [0, 1])) == pytest.approx(0.4)


def test_a_gap_in_the_scale_counts() -> None:
    # The same table with values 1, 2, 4. Observed (1 + 1 + 9) / 10 = 1.1; expected
    #   1·4·3 + 9·4·2 + 1·3·5 + 4·3·2 + 9·3·5 + 4·3·3 = 12 + 72 + 15 + 24 + 135 + 36 = 294; 1 - 1.1 / 2.94 = 92/147.
    assert weighted_kappa(*from_table(THREE, [1, 2, 4])) == pytest.approx(92 / 147)


def test_undefined_kappa() -> None:
    def refuses(first: list[float], second: list[float], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            weighted_kappa(np.array(first), np.array(second))

    refuses([], [], "no item was rated by both")
    refuses([2, 2], [2, 2], "kappa is undefined: both raters gave 2 to all 2 items")


def test_kappa_of_a_single_value_is_perfect_agreement() -> None:
    # Items (0, 1) and (1, 1): twice the first (all disagree as expected), both (observed 1/2, expected 1/2), twice the
    # second (undefined, counts as 1).
    sums = np.array([[2, 0], [1, 1], [0, 2]]) @ np.stack(moments(np.array([0.0, 1]), np.array([1.0, 1])), axis=1)
    assert kappa_of_sums(*sums.T).tolist() == [0, 0, 1]


SCALES = st.tuples(st.integers(-3, 3), st.integers(1, 6)).map(lambda ends: (ends[0], sum(ends)))
RATINGS = SCALES.flatmap(
    lambda ends: hnp.arrays(np.int64, st.tuples(st.just(2), st.integers(1, 30)), elements=st.integers(*ends))
)


@given(RATINGS)
def test_scikit_learn_finds_the_same(pairs: np.ndarray) -> None:
    first, second = pairs.astype(np.float64)
    if len(np.unique(pairs)) == 1:
        with pytest.raises(ValueError, match="undefined"):
            weighted_kappa(first, second)
        return
    scale = range(pairs.min(), pairs.max() + 1)  # it weighs by position on the scale: all integers, given or not
    theirs = cohen_kappa_score(*pairs, labels=scale, weights="quadratic")
    assert weighted_kappa(first, second) == pytest.approx(theirs, abs=1e-12)


EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
"""Krippendorff 2011, section C: four observers of twelve units, of which the last has one value and does not count."""


def test_krippendorffs_example() -> None:
    assert round(krippendorff_alpha(EXAMPLE), 3) == 0.849


def test_perfect_agreement_is_1_and_systematic_disagreement_below_0() -> None:
    assert krippendorff_alpha(np.array([[1.0, 1, NAN], [2, NAN, 2], [NAN, 5, 5]])) == pytest.approx(1)
    # Items (0, 1), (1, 0): four coincidences, all of them off the diagonal: 1 - 3 · 2 / (2 · 2) = -1/2
    assert krippendorff_alpha(np.array([[0.0, 1], [1, 0]])) == pytest.approx(-0.5)


def test_undefined_alpha() -> None:
    def refuses(ratings: list, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            krippendorff_alpha(np.array(ratings))

    refuses([[], []], "none of 2 items has two ratings")
    refuses([[1, NAN], [NAN, 2]], "none of 2 items has two ratings")
    refuses([[3, 3, NAN], [3, 3, 3], [NAN, NAN, 5]], "alpha is undefined: all 5 ratings are 3")


def test_alpha_of_a_single_value_is_perfect_agreement() -> None:
    # Items (0, 1) and (1, 1): twice the first (1 - 3 · 2 / (2 · 2) = -1/2), both (1 - 3 · 1 / (1 · 3) = 0), twice the
    # second (undefined, counts as 1).
    of_items = np.stack(alpha_terms(np.array([[0.0, 1], [1, 1]])), axis=1)
    assert alpha_of_sums(*(np.array([[2, 0], [1, 1], [0, 2]]) @ of_items).T).tolist() == pytest.approx([-0.5, 0, 1])


def looped_alpha(ratings: np.ndarray) -> float:
    """The definition: coincidences pair by pair, totals and differences value by value. ZeroDivisionError if 0/0."""
    coincidences: Counter[tuple[float, float]] = Counter()
    for item in ratings.tolist():
        given = [value for value in item if value == value]
        for pair in permutations(given, 2):
            coincidences[pair] += 1 / (len(given) - 1)
    totals: Counter[float] = Counter()
    for (value, _), count in coincidences.items():
        totals[value] += count
    n = sum(totals.values())
    observed = sum(count * (c - k) ** 2 for (c, k), count in coincidences.items()) / n
    expected = sum(totals[c] * totals[k] * (c - k) ** 2 for c in totals for k in totals) / (n * (n - 1))
    return 1 - observed / expected


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 12), st.integers(1, 5)),
        elements=st.sampled_from([NAN, NAN, -0.0, 0.0, 0.5, 1.0, 2.0, 7.0]),
    )
)
def test_alpha_is_that_of_the_definition(ratings: np.ndarray) -> None:
    try:
        expected = looped_alpha(ratings)
    except ZeroDivisionError:  # no pairs, or all of the same value
        with pytest.raises(ValueError, match=r"none of|undefined"):
            krippendorff_alpha(ratings)
        return
    assert krippendorff_alpha(ratings) == pytest.approx(expected, abs=1e-9)


Z = 1.959964


@st.composite
def shares(draw: st.DrawFn) -> tuple[int, int]:
    n = draw(st.integers(1, 5_000))
    return draw(st.integers(0, n)), n


def test_eight_of_ten() -> None:
    # z^2 = 3.841459. Centre (0.8 + 3.841459 / 20) / 1.3841459 = 0.992073 / 1.3841459 = 0.716740;
    # half 1.959964 / 1.3841459 x sqrt(0.16 / 10 + 3.841459 / 400) = 1.416010 x 0.160012 = 0.226578.
    assert wilson_interval(8, 10) == pytest.approx((0.490162, 0.943318), abs=1e-6)


@given(shares())
def test_it_is_scipys(share: tuple[int, int]) -> None:
    theirs = binomtest(*share).proportion_ci(0.95, "wilson")
    assert wilson_interval(*share) == pytest.approx((theirs.low, theirs.high), abs=1e-9)


@given(shares())
def test_it_holds_the_share_and_failures_mirror_it(share: tuple[int, int]) -> None:
    successes, n = share
    low, high = wilson_interval(successes, n)
    assert 0 <= low <= successes / n <= high <= 1 and low < high
    assert wilson_interval(n - successes, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)


def test_answers_with_items_of_their_own_all_count() -> None:
    assert effective_answers(np.array([1.0, 0, 1]), np.ones(3)) == 3
    assert effective_answers(np.ones(1), np.ones(1)) == 1


def test_answers_to_one_item_that_say_the_same_count_once() -> None:
    """Four items with three answers each, alike in two: a share of 1/2 varies by 4 (3/2)² / 12² = 1/16, as of four
    independent answers, 1/4 / 4; Student's t has 11 degrees of freedom of twelve answers, and 3 of four items.
    """
    alike = effective_answers(np.array([3.0, 3, 0, 0]), np.full(4, 3.0))
    assert alike == pytest.approx(4 * (2.200985 / 3.182446) ** 2)
    assert effective_answers(np.full(4, 3.0), np.full(4, 3.0)) == 4  # all successes
    assert effective_answers(np.array([2.0, 4]), np.array([2.0, 4])) == pytest.approx(36 / 20)
    assert effective_answers(np.array([2.0]), np.array([3.0])) is None


@given(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=2, max_size=40))
def test_no_more_count_than_there_are(given: list[tuple[int, int]]) -> None:
    n = np.array([float(n) for _, n in given])
    successes = np.minimum(n, [float(one) for one, _ in given])
    effective = effective_answers(successes, n)
    assert effective is not None and 0 < effective <= n.sum()
    low, high = wilson_interval(successes.sum() / n.sum() * effective, effective)
    assert low <= successes.sum() / n.sum() + 1e-12 and successes.sum() / n.sum() - 1e-12 <= high
