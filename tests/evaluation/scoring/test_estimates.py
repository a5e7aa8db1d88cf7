"""Reported values: sums of column means, with intervals; nothing where a column has no scores."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from gamut.evaluation.defining.measures import Linear, Scale
from gamut.evaluation.scoring.estimates import Estimate, estimates, flat_estimates, rounded_share, unseen_loss
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.values import deviations
from tests.evaluation.scoring.reported import values

NAN = np.nan
REPORTED = {"first": Linear(np.array([10.0, 0.0])), "both": Linear(np.array([5.0, 5.0]))}
ENDS = {"first": Scale(0, 100), "both": Scale(0, 100)}
SCORES = np.array([[8, NAN], [6, NAN], [7, NAN], [NAN, 4], [NAN, 2], [NAN, 3]])
STRATA = np.array([0, 0, 0, 1, 1, 1])


def exact(scores: np.ndarray) -> Bounds:
    """Scores of which nothing is open."""
    return Bounds(scores, scores)


def test_values_by_hand() -> None:
    # columns have the means 7 and 3: ten times the first is 70, ten times the mean of both is 50
    assert values(SCORES, REPORTED) == pytest.approx({"first": 70, "both": 50})


def test_a_column_without_scores_leaves_out_what_it_counts_in() -> None:
    assert values(SCORES[:3], REPORTED) == pytest.approx({"first": 70})
    assert values(np.full((6, 2), NAN), REPORTED) == {}


def test_deviations_by_hand() -> None:
    # Of column one, mean 7, items lie 1 -1 0 off; of column two, mean 3, too. Both count 5 / 3 an item.
    assert deviations(SCORES, REPORTED["both"].factors) == pytest.approx(np.array([1, -1, 0, 1, -1, 0]) * 5 / 3)
    assert deviations(SCORES, REPORTED["first"].factors) == pytest.approx(np.array([10, -10, 0, 0, 0, 0]) / 3)


@pytest.mark.parametrize("value", [0.1, 1e6 / 7])
def test_rounding_is_no_deviation(value: float) -> None:
    assert not deviations(np.full((7, 1), value), np.ones(1)).any()


def test_the_interval_depends_on_the_strata() -> None:
    """Seven tracks of 2 4 5 9: each has variance 26 / 3 and 3 degrees, together 21: √(26 / 3 / 28), times Student's
    2.07961. Without tracks 27 degrees, variance 7 · 26 / 27: √(182 / 27 / 28), times 2.05183."""
    strata, column = np.repeat(np.arange(7), 4), np.arange(7) == np.repeat(np.arange(7), 4)[:, None]
    scores = np.where(column, np.tile([2.0, 4, 5, 9], 7)[:, None], NAN)
    [apart] = estimates(exact(scores), strata, {"overall": Linear(np.full(7, 1 / 7))}, {}).values()
    [alike] = estimates(exact(np.nanmax(scores, axis=1)[:, None]), strata * 0, {"x": Linear(np.ones(1))}, {}).values()
    assert apart.value == alike.value == 5 and apart.high and alike.high
    assert apart.high - 5 == pytest.approx(2.07961 * (26 / 3 / 28) ** 0.5, abs=1e-4)
    assert alike.high - 5 == pytest.approx(2.05183 * (182 / 27 / 28) ** 0.5, abs=1e-4)


def test_all_right_is_not_certain() -> None:
    """Of 56 all right, 5.209 % may be wrong (`inference.interval`)."""
    whole, strata = exact(np.full((56, 1), 10.0)), np.zeros(56, np.int64)
    found = estimates(whole, strata, {"first": Linear(np.full(1, 10.0))}, ENDS)["first"]
    assert found == pytest.approx((100, 100 - 5.209, 100, 56), abs=1e-3)


def test_nearly_all_right_is_no_surer() -> None:
    """One of 56 half a point of ten short: 99.91, as unsure as if all were alike. A whole point short: 99.82, and of
    none worse in 56 Jeffreys' prior leaves 4.38 % that may be.
    """
    scores, strata = np.full((56, 1), 10.0), np.zeros(56, np.int64)
    ten_times = {"first": Linear(np.full(1, 10.0))}
    scores[0] = 9.5
    [found] = estimates(exact(scores), strata, ten_times, ENDS).values()
    assert found.low == pytest.approx(99.9107 - 99.9107 * (1 - 0.025 ** (1 / 56)), abs=1e-3) and found.high == 100
    scores[0] = 9
    [found] = estimates(exact(scores), strata, ten_times, ENDS).values()
    assert found.low == pytest.approx(99.8214 - 99.8214 * 0.04381, abs=1e-2) and found.high == 100


def test_estimates_have_an_interval_around_the_value_and_count_items() -> None:
    found = estimates(exact(SCORES), STRATA, REPORTED, ENDS)
    assert {name: estimate.n for name, estimate in found.items()} == {"first": 3, "both": 6}
    for estimate in found.values():
        assert estimate.low is not None and estimate.high is not None
        assert estimate.low < estimate.value < estimate.high
    # ten times 8 6 7: variance 100, of the mean of three 100 / 3, Student's of 2 degrees 4.30265
    assert found["first"].high == pytest.approx(70 + 4.30265 * (100 / 3) ** 0.5, abs=1e-3)


def test_flat_keys() -> None:
    found = {"overall": Estimate(81.23456, 79.0, 83.00004, 56), "style": Estimate(-0.0001, None, None, 1)}
    assert flat_estimates("en.gpt.", found) == {
        "en.gpt.overall": 81.235,
        "en.gpt.overall_lo": 79.0,
        "en.gpt.overall_hi": 83.0,
        "en.gpt.overall_n": 56,
        "en.gpt.style": 0.0,
        "en.gpt.style_n": 1,
    }
    assert str(flat_estimates("", found)["style"]) == "0.0"  # not -0.0


def test_a_share_that_is_not_whole_never_looks_whole() -> None:
    assert rounded_share(2000 / 2001) == 0.999  # 0.9995, which three decimals would make 1
    assert [rounded_share(share) for share in (1.0, 0.0, 2 / 3, 0.99)] == [1.0, 0.0, 0.667, 0.99]


def test_of_two_faults_in_twenty_a_third_may_be_worse() -> None:
    """2 of 20 lose 30 and 50: 80 points, 4 a item. Half a fault of 100 more: 130 in 2.5 are 52 each; frequency
    Beta(2.5, 18.5).
    """
    distance = np.array([0.0] * 18 + [30, 50])
    most = float(beta.ppf(0.975, 2.5, 18.5))
    assert unseen_loss(distance, np.ones(20), 20, 100) == pytest.approx(most * 52 - 4)


def test_of_none_all_is_at_stake_and_what_others_vary_by_is_added() -> None:
    """Ten items at the end and ten 15 points off it: around 7.5 they vary by 7.5²/20, and 92.5 points may be lost."""
    distance = np.array([0.0] * 10 + [15] * 10)
    lost = float(beta.ppf(0.975, 0.5, 20.5)) * 92.5
    assert unseen_loss(distance, np.ones(20), 20, 100) == pytest.approx((lost**2 + 1.96**2 * 7.5**2 / 20) ** 0.5)


def test_faults_are_told_by_the_median() -> None:
    """One item in twenty lies 60 beyond the others, which lose 15 themselves: half a fault of 85 more; 35 is none."""
    distance = np.array([15.0] * 19 + [75])
    most = float(beta.ppf(0.975, 1.5, 19.5))
    assert unseen_loss(distance, np.ones(20), 20, 100) == pytest.approx(most * (60 + 85 / 2) / 1.5 - 3)
    off = np.array([15.0] * 19 + [35])
    lost = float(beta.ppf(0.975, 0.5, 20.5)) * 84  # around 16
    assert unseen_loss(off, np.ones(20), 20, 100) == pytest.approx(
        (lost**2 + 1.96**2 * (19 * 1**2 + 19**2) / 400) ** 0.5
    )


def test_where_most_items_lie_elsewhere_nothing_is_lost_unseen() -> None:
    assert unseen_loss(np.array([0.0] * 9 + [40] * 10), np.ones(19), 19, 100) == 0
    distance, lighter, heavier = np.array([0.0, 40]), np.array([1.0, 1.01]), np.array([1.01, 1.0])
    assert unseen_loss(distance, lighter, 2, 100) == 0 < unseen_loss(distance, heavier, 2, 100)
