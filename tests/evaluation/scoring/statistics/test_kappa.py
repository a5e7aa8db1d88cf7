"""Kappa by hand, by scikit-learn, and by loops over real labels; what is undefined ends in words, never in a NaN."""

from __future__ import annotations

from fractions import Fraction
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.metrics import cohen_kappa_score

from stages.evaluation.scoring.statistics.kappa import Weights, kappa_interval, weighted_kappa
from tests.evaluation.scoring.statistics.geneval_labels import geneval_ratings

NAN = float("nan")
WEIGHTS = get_args(Weights)
AGREE = {"none": Fraction(7, 13), "linear": Fraction(6, 11), "quadratic": Fraction(37, 67)}
"""Kappas of `THREE`, calculated below."""


def from_table(table: list[list[int]], values: list[float]) -> tuple[np.ndarray, np.ndarray]:
    """Ratings with this table of how often the first rater (rows) and the second (columns) gave each pair of values."""
    cells = [(i, j) for i, row in enumerate(table) for j, count in enumerate(row) for _ in range(count)]
    return np.array([values[i] for i, _ in cells]), np.array([values[j] for _, j in cells])


THREE = [[3, 1, 0], [1, 2, 0], [1, 0, 2]]


def test_two_raters_and_two_values_by_hand() -> None:
    # 50 items. Observed agreement (20 + 15) / 50 = 0.7. The raters say 1 of 25 and of 30 items: by chance they agree
    # on 0.5 · 0.6 + 0.5 · 0.4 = 0.5. Kappa (0.7 - 0.5) / (1 - 0.5) = 0.4, for two values whatever the weights.
    ratings = from_table([[15, 10], [5, 20]], [0, 1])
    for weights in WEIGHTS:
        assert weighted_kappa(*ratings, weights) == pytest.approx(0.4)


@pytest.mark.parametrize("weights", WEIGHTS)
def test_three_values_by_hand(weights: Weights) -> None:
    # `THREE`, 10 items: the first rater gave the values 4, 3, 3 times, the second 5, 3, 2 times.
    # none: 3 of 10 items disagree; by chance 1 - (4·5 + 3·3 + 3·2) / 100 = 0.65; kappa 1 - 0.3 / 0.65 = 7/13.
    # linear: observed (1 + 1 + 2) / 10 = 0.4. Expected, hundredths, over the cells off the diagonal by rows:
    #   1·4·3 + 2·4·2 + 1·3·5 + 1·3·2 + 2·3·5 + 1·3·3 = 12 + 16 + 15 + 6 + 30 + 9 = 88; 1 - 0.4 / 0.88 = 6/11.
    # quadratic: observed (1 + 1 + 4) / 10 = 0.6; expected 12 + 32 + 15 + 6 + 60 + 9 = 134; 1 - 0.6 / 1.34 = 37/67.
    assert weighted_kappa(*from_table(THREE, [1, 2, 3]), weights) == pytest.approx(float(AGREE[weights]))


def test_a_gap_in_the_scale_counts() -> None:
    # The same table with values 1, 2, 4. Observed (1 + 1 + 3) / 10 = 0.5; expected
    #   1·4·3 + 3·4·2 + 1·3·5 + 2·3·2 + 3·3·5 + 2·3·3 = 12 + 24 + 15 + 12 + 45 + 18 = 126; 1 - 0.5 / 1.26 = 38/63.
    ratings = from_table(THREE, [1, 2, 4])
    assert weighted_kappa(*ratings, "linear") == pytest.approx(38 / 63)
    assert weighted_kappa(*ratings, "none") == pytest.approx(7 / 13)


def test_perfect_agreement_is_1_and_perfect_disagreement_minus_1() -> None:
    first, second = np.array([0.0, 1.0]), np.array([1.0, 0.0])
    for weights in WEIGHTS:
        assert weighted_kappa(first, first, weights) == 1
        assert weighted_kappa(first, second, weights) == pytest.approx(-1)


def test_an_item_that_one_rater_left_out_does_not_count() -> None:
    first, second = from_table(THREE, [1, 2, 3])
    first, second = np.append(first, [NAN, 3, NAN]), np.append(second, [1, NAN, NAN])
    assert weighted_kappa(first, second, "linear") == pytest.approx(6 / 11)


def test_what_is_undefined_is_said() -> None:
    def refuses(first: list[float], second: list[float], words: str) -> None:
        with pytest.raises(ValueError, match=words):
            weighted_kappa(np.array(first), np.array(second), "none")
        with pytest.raises(ValueError, match=words):
            kappa_interval(np.array(first), np.array(second), "none", 10, seed=1)

    refuses([], [], "none of 0 items was rated by both")
    refuses([1, NAN], [NAN, 1], "none of 2 items was rated by both")
    refuses([2, 2, 1], [2, 2, NAN], "kappa is undefined: both raters gave 2 to all 2 items")
    refuses([1, 2], [1], "of one length")
    refuses([1, float("inf")], [1, 2], "infinite")


def test_no_interval_without_draws_or_with_a_level_outside_0_to_1() -> None:
    ratings = from_table(THREE, [1, 2, 3])
    for draws, level in ((0, 0.95), (10, 0.0), (10, 1.0), (10, 95), (10, NAN)):
        with pytest.raises(ValueError, match="at least one draw and a level between 0 and 1"):
            kappa_interval(*ratings, "none", draws, seed=1, level=level)


def test_one_rater_who_always_says_the_same_agrees_by_chance() -> None:
    # observed = expected = the share of 2s of the other
    assert weighted_kappa(np.array([1.0, 1, 1]), np.array([1.0, 2, 2]), "none") == pytest.approx(0)


def test_a_resample_with_a_single_value_counts_as_perfect_agreement() -> None:
    # Items (0, 1) and (1, 1). A resample is twice the first (1/4: kappa 0, since all disagree as expected), both (1/2:
    # observed 1/2, expected 1/2: kappa 0) or twice the second (1/4: undefined, counts as 1). So the lower three
    # quarters of the draws are 0 and the upper one is 1: the 0.3 and 0.7 quantiles are 0, the 0.975 quantile is 1.
    ratings = np.array([0.0, 1.0]), np.array([1.0, 1.0])
    assert kappa_interval(*ratings, "none", 4000, seed=1) == (0, 1)
    assert kappa_interval(*ratings, "none", 4000, seed=1, level=0.4) == (0, 0)


def test_the_same_seed_gives_the_same_interval_in_whatever_order_the_items_are() -> None:
    first, second = from_table(THREE, [1, 2, 3])
    drawn = kappa_interval(first, second, "linear", 500, seed=1)
    assert drawn == kappa_interval(first, second, "linear", 500, seed=1)
    assert drawn == kappa_interval(first[::-1], second[::-1], "linear", 500, seed=1)
    assert drawn[0] < 6 / 11 < drawn[1]


SCALES = st.tuples(st.integers(-3, 3), st.integers(1, 6)).map(lambda ends: (ends[0], sum(ends)))
PAIRS = SCALES.flatmap(
    lambda ends: hnp.arrays(np.int64, st.tuples(st.just(2), st.integers(1, 30)), elements=st.integers(*ends))
)


@given(PAIRS, st.sampled_from(WEIGHTS))
def test_scikit_learn_finds_the_same(pairs: np.ndarray, weights: Weights) -> None:
    first, second = pairs.astype(np.float64)
    if len(np.unique(pairs)) == 1:
        with pytest.raises(ValueError, match="undefined"):
            weighted_kappa(first, second, weights)
        return
    scale = range(pairs.min(), pairs.max() + 1)  # it weighs by position on the scale: all integers, given or not
    theirs = cohen_kappa_score(*pairs, labels=scale, weights=None if weights == "none" else weights)
    assert weighted_kappa(first, second, weights) == pytest.approx(theirs, abs=1e-12)


RATINGS = hnp.arrays(np.float64, (2, 12), elements=st.sampled_from([-0.0, 0.0, 1e-200, 0.5, 1.0, 7.0, 1e200, NAN]))


@given(RATINGS, st.sampled_from(WEIGHTS))
def test_kappa_and_its_interval_are_numbers_of_minus_1_to_1_or_refused(ratings: np.ndarray, weights: Weights) -> None:
    try:
        kappa = weighted_kappa(*ratings, weights)
    except ValueError:
        return
    low, high = kappa_interval(*ratings, weights, 50, seed=3)
    assert -1 - 1e-12 <= kappa <= 1
    assert -1 - 1e-12 <= low <= high <= 1
    assert weighted_kappa(*ratings[::-1], weights) == pytest.approx(kappa, abs=1e-12)


def looped_kappa(first: list[float], second: list[float], weights: Weights) -> float:
    """The definition: mean disagreement of an item's ratings, over that of any item's first and any item's second."""
    weigh = {
        "none": lambda a, b: float(a != b),
        "linear": lambda a, b: abs(a - b),
        "quadratic": lambda a, b: (a - b) ** 2,
    }
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if a == a and b == b]
    observed = sum(weigh[weights](a, b) for a, b in pairs) / len(pairs)
    expected = sum(weigh[weights](a, b) for a, _ in pairs for _, b in pairs) / len(pairs) ** 2
    return 1 - observed / expected


@pytest.mark.parametrize("column", ["Answer.task-quality", "Answer.task-count-1"])
@pytest.mark.parametrize("weights", WEIGHTS)
def test_real_labels(column: str, weights: Weights) -> None:
    """Two people's answers on how well 400 images fit (1 to 4), and their counts of what only some images show."""
    first, second = geneval_ratings(column).T[:2]
    kappa = weighted_kappa(first, second, weights)
    assert kappa == pytest.approx(looped_kappa(first.tolist(), second.tolist(), weights))
    assert 0.2 < kappa < 0.95  # people agree, not perfectly
    low, high = kappa_interval(first, second, weights, 2000, seed=1)
    assert low < kappa < high


def test_the_interval_on_real_labels_is_that_of_items_drawn_one_by_one() -> None:
    first, second = geneval_ratings("Answer.task-quality").T[:2]
    chance = np.random.default_rng(7)
    drawn = [weighted_kappa(first[items], second[items], "linear") for items in chance.integers(400, size=(1000, 400))]
    # Kappa's standard error is about 0.036; these quantiles of 1,000 draws have an error of a twelfth of it.
    assert kappa_interval(first, second, "linear", 2000, seed=1) == pytest.approx(
        tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.012
    )
