"""The smallest difference that a comparison would find: by hand, and by drawing samples that have it."""

from __future__ import annotations

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray

from stages.evaluation.scoring.statistics.detectable import smallest_detectable_difference

NAN = float("nan")


def array(*differences: float) -> NDArray[np.float64]:
    return np.array(differences, np.float64)


def test_four_items() -> None:
    # Mean 1, squares of the deviations 1 1 1 1: s = sqrt(4 / 3) = 1.154701, s / sqrt(4) = 0.577350;
    # (1.959964 + 0.841621) x 0.577350 = 1.617496.
    assert smallest_detectable_difference(array(0, 2, 0, 2)) == pytest.approx(1.617496, abs=1e-6)


def test_another_alpha_and_power() -> None:
    # (2.575829 + 1.281552) x 0.577350 = 2.227059
    assert smallest_detectable_difference(array(0, 2, 0, 2), 0.01, 0.9) == pytest.approx(2.227059, abs=1e-6)


def test_items_without_a_difference_are_left_out() -> None:
    expected = smallest_detectable_difference(array(0, 2, 0, 2))
    assert smallest_detectable_difference(array(NAN, 0, 2, NAN, 0, 2)) == expected


def test_a_set_of_seven_hundred_items_sees_a_few_points() -> None:
    # Of 700 solved-or-not items a tenth each are solved by one alone: s^2 = 140 / 699 (the mean is 0), so
    # 2.801585 x sqrt(140 / 699 / 700) = 0.047389: 4.7 points of accuracy.
    differences = np.repeat([1.0, -1.0, 0.0], [70, 70, 560])
    assert smallest_detectable_difference(differences) == pytest.approx(0.047389, abs=1e-6)


def test_a_difference_of_this_size_is_found_as_often_as_it_says() -> None:
    # Of 4,000 samples of 100 items, 80 % are to be found, give or take 3 x sqrt(0.8 x 0.2 / 4,000) = 0.019.
    noise = np.random.default_rng(0).normal(size=(4_000, 100))
    true = smallest_detectable_difference(noise[0] / noise[0].std(ddof=1))  # of items whose deviation is 1
    means, deviations = (noise + true).mean(axis=1), noise.std(axis=1, ddof=1)
    found = np.abs(means) / (deviations / sqrt(100)) > 1.959964
    assert found.mean() == pytest.approx(0.8, abs=0.019)


def test_without_noise_it_is_zero() -> None:
    assert smallest_detectable_difference(array(0, 0)) == 0.0
    assert smallest_detectable_difference(array(0.1, 0.1, 0.1, 0.1, 0.1, 0.1)) == 0.0


@given(st.lists(st.integers(-100, 100), min_size=2, max_size=30), st.integers(-50, 50))
def test_it_grows_with_the_unit_and_does_not_move_with_the_mean(differences: list[int], shift: int) -> None:
    values = np.array(differences, np.float64)
    found = smallest_detectable_difference(values)
    assert found >= 0
    assert smallest_detectable_difference(values + shift) == pytest.approx(found)
    assert smallest_detectable_difference(-3 * values) == pytest.approx(3 * found)


@given(st.floats(0.001, 0.5), st.floats(0.51, 0.999))
def test_more_certainty_needs_a_larger_difference(alpha: float, power: float) -> None:
    values = array(0, 1, 0, 2)
    found = smallest_detectable_difference(values, alpha, power)
    assert 0 < found < smallest_detectable_difference(values, alpha / 2, power)
    assert found < smallest_detectable_difference(values, alpha, (1 + power) / 2)


@pytest.mark.parametrize("differences", [array(), array(1), array(1, NAN), array(NAN, NAN)])
def test_fewer_than_two_items_are_refused(differences: NDArray[np.float64]) -> None:
    with pytest.raises(ValueError, match="at least two items"):
        smallest_detectable_difference(differences)


@pytest.mark.parametrize(
    ("alpha", "power"), [(0, 0.8), (0.05, 1), (0.05, 0.05), (0.9, 0.8), (NAN, 0.8), (0.05, NAN), (5, 80)]
)
def test_what_is_no_alpha_or_power_is_refused(alpha: float, power: float) -> None:
    with pytest.raises(ValueError, match="0 < alpha < power < 1"):
        smallest_detectable_difference(array(1, 2), alpha, power)


def test_tables_and_infinite_differences_are_refused() -> None:
    with pytest.raises(ValueError, match="not in 2 axes"):
        smallest_detectable_difference(np.eye(2))
    with pytest.raises(ValueError, match="infinite"):
        smallest_detectable_difference(array(1, np.inf))
