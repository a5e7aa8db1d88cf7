"""What rare faults may cost, by hand."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from stages.evaluation.scoring.estimates import unseen_loss


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
