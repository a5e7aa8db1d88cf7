"""Means and differences over trainings and items, by hand; and that five trainings against five, of recipes that do not
differ, are told apart in at most 6 of 100 cases.
"""

from __future__ import annotations

from collections.abc import Callable
from math import sqrt

import numpy as np
import pytest
from scipy.special import expit
from scipy.stats import t as student

from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.scoring.statistics.inference import Floats, interval, p_value
from gamut.evaluation.scoring.statistics.trainings import infer_over_trainings

NAN = float("nan")


def array(*rows: list[float]) -> Floats:
    return np.array(rows, np.float64)


def test_two_trainings_against_two_on_two_items() -> None:
    # Trainings have 1 and 3, and 5 and 7: variances 2, halved by two trainings 1 + 1. Items differ by 4 - 1 = 3 and
    # 8 - 3 = 5: variance 2, halved by two items 1. Nothing is left over. 3 in all, of 3²/(1²/1 + 1²/1 + 1²/1) degrees.
    found = infer_over_trainings(array([0, 2], [2, 4]), array([3, 7], [5, 9]))
    assert found is not None
    assert (found.value, found.error.error**2, found.error.degrees) == pytest.approx((4, 3, 3))
    low, high = interval(found) or (NAN, NAN)
    assert high - 4 == 4 - low == pytest.approx(student.ppf(0.975, 3) * sqrt(3))
    assert p_value(found) == pytest.approx(2 * student.sf(4 / sqrt(3), 3))


def test_what_is_left_over_is_counted_once() -> None:
    # The second: trainings 4 and 4, items 4 and 4; left over -1 1 1 -1: 4 / (1·1) degrees / 4 scores = 1, which stands
    # in the items' part too, 3 and 1 apart: 2/1/2 = 1. Trainings of the first: 2/2 = 1. So 1 + 1 - 1.
    found = infer_over_trainings(array([0, 2], [2, 4]), array([3, 5], [5, 3]))
    assert found is not None and found.error.error**2 == pytest.approx(1)
    # More was taken off than there is: never less than trainings, or items, say alone.
    alike = infer_over_trainings(array([0, 2], [0, 2]), array([3, 5], [5, 3]))
    assert alike is not None and alike.error.error**2 == pytest.approx(1)  # 0 + 1 - 1 would be 0


def test_a_mean_over_trainings_and_items() -> None:
    found = infer_over_trainings(array([0, 2], [2, 4]))  # trainings 1 and 3: 1; items 1 and 3: 1
    assert found is not None and (found.value, found.error.error**2, found.error.degrees) == pytest.approx((2, 2, 2))


def test_a_loss_is_over_trainings_alone() -> None:
    found = infer_over_trainings(array([1], [2], [3]), array([5], [5], [8]))  # Welch: 1/3 and 3/3
    assert found is not None and found.value == pytest.approx(4)
    assert (found.error.error**2, found.error.degrees) == pytest.approx((4 / 3, (4 / 3) ** 2 / (1 / 9 / 2 + 1 / 2)))


def test_an_item_that_one_training_lacks_counts_for_none() -> None:
    whole = infer_over_trainings(array([0, 2], [2, 4]), array([3, 7], [5, 9]))
    lacking = array([0, 9, 2, 1], [2, 9, 4, NAN]), array([3, NAN, 7, 8], [5, 9, 9, 9])
    assert infer_over_trainings(*lacking) == whole


def test_one_training_tells_nothing_of_another() -> None:
    many = array(*[[float(item + training) for item in range(50)] for training in range(9)])
    assert infer_over_trainings(many[:1], many) is infer_over_trainings(many, many[:1]) is None
    assert infer_over_trainings(many[:1]) is None
    assert infer_over_trainings(many[:, :0], many[:, :0]) is None, "nor does none"
    assert infer_over_trainings(many[:, :7], many[:, :7], taken_off=7) is None, "nor a stratum an item"


def test_where_nothing_varies_it_is_as_sure_as_of_so_many_items_as_trainings() -> None:
    # Three trainings that give 0 and three that give 1, on a hundred items: another may
    # differ, by twice as much either way: 0.025 = (1 - u)³.
    found = infer_over_trainings(np.zeros((3, 100)), np.ones((3, 100)), ends=Scale(-1, 1))
    assert found is not None and found.error.error == 0 and p_value(found) == 2**-2
    low, high = interval(found) or (NAN, NAN)
    assert (low, high) == pytest.approx((1 - 2 * (1 - 0.025 ** (1 / 3)), 1))
    same = infer_over_trainings(np.zeros((3, 100)), np.zeros((3, 100)), ends=Scale(-1, 1))
    low, high = (same and interval(same)) or (NAN, NAN)
    assert low < -0.5 and high > 0.5, "three trainings alike do not say that recipes are"


def test_means_that_were_taken_off_cost_degrees() -> None:
    # Of 4 items in 2 strata: squares 4 over 4 - 2 degrees, by 4 items.
    rows = array([1, -1, 1, -1], [1, -1, 1, -1])
    found = infer_over_trainings(rows, taken_off=2)
    assert found is not None and (found.error.error**2, found.error.degrees) == pytest.approx((4 / 2 / 4, 2))


def normal(rng: np.random.Generator, latent: Floats) -> Floats:
    return latent + rng.normal(size=latent.shape) / 2


def right_or_wrong(rng: np.random.Generator, latent: Floats) -> Floats:
    return (rng.random(latent.shape) < expit(1.5 * latent)).astype(np.float64)


@pytest.mark.parametrize("scored", [normal, right_or_wrong])
@pytest.mark.parametrize(("trainings", "both"), [(0.3, 0.3), (0.0, 0.5), (0.3, 0.0)])
def test_equal_recipes_are_seldom_told_apart(
    scored: Callable[[np.random.Generator, Floats], Floats], trainings: float, both: float
) -> None:
    """Items are more or less hard; a training is better or worse by `trainings`, a recipe on an item by `both`."""
    rng, told, draws = np.random.default_rng(7), 0, 1000
    for _ in range(draws):
        hard = rng.normal(size=30)
        groups = [hard + both * rng.normal(size=30) + trainings * rng.normal(size=(5, 1)) for _ in range(2)]
        found = infer_over_trainings(*(scored(rng, group) for group in groups))
        low, high = (found and interval(found)) or (-1, 1)
        told += not low <= 0 <= high
    assert told <= 0.06 * draws


def test_trainings_that_differ_are_told_apart_and_items_alone_would_tell_too_much() -> None:
    rng, hard = np.random.default_rng(8), np.random.default_rng(9).normal(size=30)

    def told(shift: float, over: Callable[[Floats], Floats]) -> int:
        count = 0
        for _ in range(200):
            first, second = (normal(rng, hard + s + 0.4 * rng.normal(size=(5, 1))) for s in (0.0, shift))
            found = infer_over_trainings(over(first), over(second))
            low, high = (found and interval(found)) or (-1, 1)
            count += not low <= 0 <= high
        return count

    assert told(1.2, np.asarray) >= 180
    assert told(0, np.asarray) <= 16
    assert told(0, lambda scores: scores[:1].repeat(2, axis=0)) >= 100, "one training's items as if they were all"
