"""What a judge says put right by what people say of some; the arithmetic is in the comments, coverage in bench/."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.evaluation.scoring.prediction_powered import (
    add_doubt,
    correct_values,
    doubt,
    interval_in_doubt,
    labels_to_halve,
    slope_of,
    unseen_share,
)
from gamut.evaluation.scoring.statistics.inference import Inferred, StandardError

NAN = float("nan")
LABELLED, WORDS = np.array([6.0, 7, 3, 8, 5, 9, 4, 6]), np.array([7.0, 8, 5, 9, 5, 9, 6, 8])
OTHERS = np.array([8.0, 6, 9, 7, 5, 10, 8, 7, 9, 6, 7, 8])
EVEN = np.full(20, 0.4)
"""The chance of 8 of 20."""


def values(labelled: np.ndarray, words: np.ndarray, others: np.ndarray, slope: float) -> np.ndarray:
    truth = np.concatenate([labelled, np.full(len(others), NAN)])
    return correct_values(np.concatenate([words, others]), truth, EVEN, slope).values


def within(found: np.ndarray) -> float:
    """The standard error of the mean, of answers with labels and of others by themselves, as ppi-python has it."""
    return float(np.sqrt(8 * found[:8].var() + 12 * found[8:].var()) / 20)


@pytest.mark.parametrize(
    ("slope", "value", "low", "high"),
    [(0, 6, 4.70360568, 7.29639432), (0.5, 6.1125, 5.0725309, 7.1524691), (1, 6.225, 5.332362, 7.117638)],
)
def test_means_and_intervals_are_those_of_ppi_python(slope: float, value: float, low: float, high: float) -> None:
    """ppi_py 0.2.3: ppi_mean_pointestimate(LABELLED, WORDS, OTHERS, lam=L) and ppi_mean_ci(…, alpha=.05, lam=L), with
    L = .6 · slope: there the judge's mean is over the other 12 answers alone, here over all 20.
    """
    found = values(LABELLED, WORDS, OTHERS, slope)
    assert found.mean() == pytest.approx(value)
    reach = 1.959963985 * within(found)
    assert (value - reach, value + reach) == pytest.approx((low, high))


def test_answers_stand_for_as_many_as_their_chances_say() -> None:
    # The judge says 1 of all. Of four with a chance of 1/4 one has a label, 3; of two with 1/2 one, 0: they stand for 4
    # and 2 of 6. Rests 2 and -1, on average (4 · 2 - 2) / 6 = 1: all are 2, the first 4 · 1 more, the other 2 · 2 less.
    truth = np.array([3, NAN, NAN, NAN, 0, NAN])
    made = correct_values(np.ones(6), truth, np.repeat([0.25, 0.5], [4, 2]), 1)
    assert made.values.tolist() == [6, 2, 2, 2, -2, 2] and made.values.mean() == 2
    assert made.beyond.tolist() == [4, 0, 0, 0, -4, 0]
    assert made.less == pytest.approx([2, 0, 0, 0, -(8**0.5), 0])  # √4 · 1, √2 · -2


def test_the_slope_is_learnt_within_contestants() -> None:
    # Words 8 6, truths 6 6; words 5 3, truths 6 4: (0 + 2) / (2 + 2). Between contestants both would fall.
    words, truth = np.array([8.0, 6, 5, 3, 9]), np.array([6.0, 6, 6, 4, NAN])
    assert slope_of(words, truth, np.ones(5), np.array([0, 0, 1, 1, 0])) == 0.5


@pytest.mark.parametrize(("truth", "slope"), [([1, 3, 5], 1), ([4, 4, 4], 0), ([3, 2, 1], 0), ([1, 4, 9], 1)])
def test_the_slope_is_never_below_0_or_above_1(truth: Sequence[float], slope: float) -> None:
    words, one = np.array([1.0, 2, 3]), np.zeros(3, np.int64)
    assert slope_of(words, np.array(truth, np.float64), np.ones(3), one) == slope
    assert slope_of(np.ones(3), np.array(truth, np.float64), np.ones(3), one) == 1  # believed: they do not vary


def test_what_no_label_shows_may_be_in_as_many_as_chance_would_miss() -> None:
    # A share u is missed by two labels with (1 - u)²: that is 2.5 % where u = 1 - √.025.
    words, missed = np.array([1.0, 2, 3]), 1 - 0.025**0.5
    assert unseen_share(words, np.array([2, 3, NAN]), 0.7) == pytest.approx(missed)
    assert unseen_share(words, np.array([1, 1, NAN]), 0) == pytest.approx(missed)
    assert unseen_share(words, np.array([1, 1, NAN]), 0.5) == unseen_share(words, np.array([1.0, 2, 3]), 1) == 0
    assert unseen_share(words, np.full(3, NAN), 1) == 0


def test_few_labels_tell_little_of_how_they_vary() -> None:
    # Squares of 8 by 5 labels of 10: 8 / 4 · (1 - .5) = 1; 1.959964 points missed are another standard error.
    assert doubt(8, 5, 10, 0) == 1 and doubt(8, 10, 10, 0) == 0
    assert doubt(8, 5, 10, 1.959964) == pytest.approx(2**0.5)


def test_doubt_widens_what_varies_and_what_does_not() -> None:
    one = Inferred(5, StandardError(3, 7), 10, None)
    assert add_doubt(one, 4).error == (5, 7)
    still = one._replace(error=StandardError(0, 9))
    assert add_doubt(still, 4).error.error == 4 and interval_in_doubt(still, 4) is None
    found = interval_in_doubt(one, 0)
    assert found is not None and found == pytest.approx((5 - 3 * 2.364624, 5 + 3 * 2.364624))


def test_labels_that_halve_an_interval() -> None:
    # Of a variance of 10 ten labels make 9 - 1, items 2; doubt 9 / 9 · (1 - 10 / 90): 10.889, a quarter 2.722. By 53
    # labels 2 + 90 / 53 - 1 = 2.698, doubt 1.698 / 52 · (1 - 53 / 90) = .013; by 52 2.731.
    assert labels_to_halve(10, 9, 1, 0, 10, 90) == 53
    assert labels_to_halve(10, 9, 1, 0, 10, 52) is None  # of all 52: 2.731, a quarter of 10.808 is 2.702
    assert labels_to_halve(10, 4, 1, 0, 10, 1000) is None  # items alone make 7
    assert labels_to_halve(10, 0, 0, 0, 10, 1000) is None
    # No error was seen, so that all is what may be missed, a standard error of 1: by twice as many labels half.
    assert labels_to_halve(0, 0, 0, 1.959964, 10, 90) == 20


SCORE = st.floats(0, 10, width=16)


@st.composite
def judged(draw: st.DrawFn) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Words, truths of some, and chances."""
    rows = draw(st.lists(st.tuples(SCORE, SCORE, st.sampled_from([0.2, 0.5, 1]), st.booleans()), min_size=1))
    words, truth, chances, has = (np.array(column) for column in zip(*rows, strict=True))
    has[0] = True
    return words.astype(np.float64), np.where(has, truth, NAN), chances


@given(judged(), st.floats(0, 1))
def test_labels_of_all_are_the_truth(one: tuple[np.ndarray, np.ndarray, np.ndarray], slope: float) -> None:
    words, truth, _ = one
    truth = np.nan_to_num(truth)
    assert correct_values(words, truth, np.ones(len(words)), slope).values == pytest.approx(truth, abs=1e-6)


@given(judged())
def test_labels_that_agree_change_nothing(one: tuple[np.ndarray, np.ndarray, np.ndarray]) -> None:
    words, truth, chances = one
    agreeing = np.where(np.isnan(truth), NAN, words)
    slope = slope_of(words, agreeing, chances, np.zeros(len(words), np.int64))
    assert slope == pytest.approx(1, abs=1e-6)
    assert correct_values(words, agreeing, chances, slope).values == pytest.approx(words, abs=1e-4)


@given(judged(), st.floats(-3, 3), st.floats(0, 1))
def test_what_all_words_have_in_common_is_removed(
    one: tuple[np.ndarray, np.ndarray, np.ndarray], bias: float, slope: float
) -> None:
    words, truth, chances = one
    found = correct_values(words, truth, chances, slope).values
    assert correct_values(words + bias, truth, chances, slope).values == pytest.approx(found, abs=1e-6)
    shifted = np.where(np.isnan(truth), NAN, words - bias)
    assert correct_values(words, shifted, chances, 1).values == pytest.approx(words - bias, abs=1e-6)
