"""Alpha by Krippendorff's own example, by hand, and by loops over random and real ratings with some missing."""

from __future__ import annotations

from collections import Counter
from itertools import permutations
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from stages.evaluation.scoring.statistics.krippendorff import Level, alpha_interval, krippendorff_alpha
from tests.evaluation.scoring.statistics.geneval_labels import geneval_ratings

NAN = float("nan")
LEVELS = get_args(Level)
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, NAN, NAN, NAN],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, NAN, 3],
        [NAN, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, NAN],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, NAN],
    ]
).T
"""Krippendorff 2011, section C: four observers of twelve units, of which the last has one value and does not count."""


@pytest.mark.parametrize(("level", "alpha"), [("nominal", 0.743), ("ordinal", 0.815), ("interval", 0.849)])
def test_krippendorffs_example(level: Level, alpha: float) -> None:
    assert round(krippendorff_alpha(EXAMPLE, level), 3) == alpha


def test_krippendorffs_example_by_hand() -> None:
    # n = 40 pairable values, of 1 to 5: 9, 13, 10, 5, 3. Coincidences on the diagonal: 7 + 10 + 8 + 4 + 3 = 32.
    # Pairs by chance: 9·8 + 13·12 + 10·9 + 5·4 + 3·2 = 344. Nominal (39·32 - 344) / (40·39 - 344) = 904/1216.
    assert krippendorff_alpha(EXAMPLE, "nominal") == pytest.approx(904 / 1216)


def test_two_raters_of_three_items_by_hand() -> None:
    # Items (1, 1), (2, 4), (4, 4): n = 6, values 1, 2, 4 given 2, 1, 3 times; o(2,4) = o(4,2) = 1.
    # alpha = 1 - (n - 1) · sum of o·d over sum of n·n·d, over pairs of values c < k:
    # nominal 1 - 5 · 1 / (2·1 + 2·3 + 1·3) = 6/11
    # interval, d = 1, 9, 4: 1 - 5 · 4 / (2·1·1 + 2·3·9 + 1·3·4) = 1 - 20/68 = 12/17
    # ordinal, d = the values from c to k less half of both, squared: d(1,2) = (3 - 1.5)² = 2.25,
    #   d(1,4) = (6 - 2.5)² = 12.25, d(2,4) = (4 - 2)² = 4: 1 - 5 · 4 / (2·2.25 + 6·12.25 + 3·4) = 1 - 20/90 = 7/9
    ratings = np.array([[1.0, 1], [2, 4], [4, 4]])
    assert krippendorff_alpha(ratings, "nominal") == pytest.approx(6 / 11)
    assert krippendorff_alpha(ratings, "interval") == pytest.approx(12 / 17)
    assert krippendorff_alpha(ratings, "ordinal") == pytest.approx(7 / 9)


@pytest.mark.parametrize("level", LEVELS)
def test_perfect_agreement_is_1_and_systematic_disagreement_below_0(level: Level) -> None:
    assert krippendorff_alpha(np.array([[1.0, 1, NAN], [2, NAN, 2], [NAN, 5, 5]]), level) == 1
    # Items (0, 1), (1, 0): four coincidences, all of them off the diagonal: 1 - 3 · 2 / (2 · 2) = -1/2
    assert krippendorff_alpha(np.array([[0.0, 1], [1, 0]]), level) == pytest.approx(-0.5)


def test_what_is_undefined_is_said() -> None:
    def refuses(ratings: list, words: str) -> None:
        with pytest.raises(ValueError, match=words):
            krippendorff_alpha(np.array(ratings), "ordinal")
        with pytest.raises(ValueError, match=words):
            alpha_interval(np.array(ratings), "ordinal", 10, seed=1)

    refuses([[], []], "none of 2 items has two ratings")
    refuses([[1, NAN], [NAN, 2]], "none of 2 items has two ratings")
    refuses([[3, 3, NAN], [3, 3, 3], [NAN, NAN, 5]], "alpha is undefined: all 5 ratings are 3")
    refuses([1.0, 2.0], "the shape")
    refuses([[1, 2], [1, float("-inf")]], "infinite")


def test_no_interval_without_draws_or_with_a_confidence_outside_0_to_1() -> None:
    for draws, confidence in ((0, 0.95), (10, 0.0), (10, 1.0), (10, 95), (10, NAN)):
        with pytest.raises(ValueError, match="at least one draw and a confidence between 0 and 1"):
            alpha_interval(EXAMPLE, "nominal", draws, seed=1, confidence=confidence)


@pytest.mark.parametrize("level", LEVELS)
def test_a_resample_with_a_single_value_counts_as_perfect_agreement(level: Level) -> None:
    # Items (0, 1) and (1, 1). A resample is twice the first (1/4: 1 - 3 · 2 / (2 · 2) = -1/2), both (1/2:
    # 1 - 3 · 1 / (1 · 3) = 0) or twice the second (1/4: undefined, counts as 1): quantiles 0.025, 0.3, 0.7, 0.975.
    ratings = np.array([[0.0, 1], [1, 1]])
    assert alpha_interval(ratings, level, 4000, seed=1) == pytest.approx((-0.5, 1))
    assert alpha_interval(ratings, level, 4000, seed=1, confidence=0.4) == pytest.approx((0, 0))


@pytest.mark.parametrize("level", LEVELS)
def test_the_same_seed_gives_the_same_interval_in_whatever_order_the_items_are(level: Level) -> None:
    drawn = alpha_interval(EXAMPLE, level, 500, seed=1)
    assert drawn == alpha_interval(EXAMPLE, level, 500, seed=1)
    assert drawn == alpha_interval(EXAMPLE[::-1], level, 500, seed=1)
    assert drawn[0] < krippendorff_alpha(EXAMPLE, level) < drawn[1]


def test_raters_are_interchangeable_item_by_item() -> None:
    shuffled = np.random.default_rng(1).permuted(EXAMPLE, axis=1)
    for level in LEVELS:
        assert krippendorff_alpha(shuffled, level) == krippendorff_alpha(EXAMPLE, level)


def test_each_level_looks_at_no_more_than_it_says() -> None:
    moved = 10 + 0.25 * EXAMPLE
    assert krippendorff_alpha(moved, "interval") == pytest.approx(krippendorff_alpha(EXAMPLE, "interval"))
    assert krippendorff_alpha(np.exp(EXAMPLE), "ordinal") == krippendorff_alpha(EXAMPLE, "ordinal")
    assert krippendorff_alpha(EXAMPLE % 3 * 7 + EXAMPLE, "nominal") == krippendorff_alpha(EXAMPLE, "nominal")


def looped_alpha(ratings: np.ndarray, level: Level) -> float:
    """The definition: coincidences pair by pair, totals and differences value by value. ZeroDivisionError if 0/0."""
    coincidences: Counter[tuple[float, float]] = Counter()
    for item in ratings.tolist():
        given = [value for value in item if value == value]
        for pair in permutations(given, 2):
            coincidences[pair] += 1 / (len(given) - 1)
    totals: Counter[float] = Counter()
    for (value, _), count in coincidences.items():
        totals[value] += count

    def difference(c: float, k: float) -> float:
        if level == "nominal":
            return float(c != k)
        if level == "interval":
            return (c - k) ** 2
        between = sum(count for value, count in totals.items() if min(c, k) <= value <= max(c, k))
        return (between - (totals[c] + totals[k]) / 2) ** 2

    n = sum(totals.values())
    observed = sum(count * difference(c, k) for (c, k), count in coincidences.items()) / n
    expected = sum(totals[c] * totals[k] * difference(c, k) for c in totals for k in totals) / (n * (n - 1))
    return 1 - observed / expected


@given(
    hnp.arrays(
        np.float64,
        st.tuples(st.integers(1, 12), st.integers(1, 5)),
        elements=st.sampled_from([NAN, NAN, -0.0, 0.0, 0.5, 1.0, 2.0, 7.0]),
    ),
    st.sampled_from(LEVELS),
)
def test_alpha_is_that_of_the_definition(ratings: np.ndarray, level: Level) -> None:
    try:
        expected = looped_alpha(ratings, level)
    except ZeroDivisionError:  # no pairs, or all of the same value
        with pytest.raises(ValueError, match=r"none of|undefined"):
            krippendorff_alpha(ratings, level)
        return
    assert krippendorff_alpha(ratings, level) == pytest.approx(expected, abs=1e-9)
    low, high = alpha_interval(ratings, level, 50, seed=3)
    assert -1 <= low <= high <= 1


@pytest.mark.parametrize("column", ["Answer.task-quality", "Answer.task-real-0"])
@pytest.mark.parametrize("level", LEVELS)
def test_real_labels(column: str, level: Level) -> None:
    """How well 400 images fit (1 to 4), and how real an object looks (1 to 3, not asked where there is none)."""
    ratings = geneval_ratings(column)
    assert np.isnan(ratings).any() == (column == "Answer.task-real-0")
    alpha = krippendorff_alpha(ratings, level)
    assert alpha == pytest.approx(looped_alpha(ratings, level))
    low, high = alpha_interval(ratings, level, 2000, seed=1)
    assert 0 < low < alpha < high < 1


@pytest.mark.parametrize("level", LEVELS)
def test_the_interval_on_real_labels_is_that_of_items_drawn_one_by_one(level: Level) -> None:
    ratings = geneval_ratings("Answer.task-quality")
    chance = np.random.default_rng(7)
    drawn = [krippendorff_alpha(ratings[items], level) for items in chance.integers(400, size=(400, 400))]
    # Alpha's standard error is about 0.025; these quantiles of 400 draws have an error of an eighth of it.
    assert alpha_interval(ratings, level, 2000, seed=1) == pytest.approx(
        tuple(np.quantile(drawn, [0.025, 0.975])), abs=0.01
    )
