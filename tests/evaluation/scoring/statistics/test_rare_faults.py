"""What rare faults may cost, by hand: of few, of none, and where most items are no fault of an end of the scale."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.stats import beta

from stages.evaluation.scoring.statistics.rare_faults import unseen_loss


def test_of_two_faults_in_twenty_a_third_may_be_worse() -> None:
    """18 items right, two lose 30 and 50 points of 100. In the 97.5 % end 100·Beta(2.5, 18.5) % are faults, each of
    which costs (80 + 50)/2.5 = 52 points; 80/20 = 4 of them were seen.
    """
    distance = np.array([0.0] * 18 + [30, 50])
    most = float(beta.ppf(0.975, 2.5, 18.5))
    assert unseen_loss(distance, np.ones(20), 20, 100) == pytest.approx(most * 52 - 4)


def test_of_none_all_is_at_stake_and_what_others_vary_by_is_added() -> None:
    """Ten items at the end and ten 10 points off it: around 5 they vary by 25/20, and 95 points may be lost."""
    distance = np.array([0.0] * 10 + [10] * 10)
    lost = float(beta.ppf(0.975, 0.5, 20.5)) * 95
    assert unseen_loss(distance, np.ones(20), 20, 100) == pytest.approx((lost**2 + 1.96**2 * 25 / 20) ** 0.5)


def test_where_most_items_lie_elsewhere_nothing_is_lost_unseen() -> None:
    assert unseen_loss(np.array([0.0] * 9 + [40] * 10), np.ones(19), 19, 100) == 0
    assert (
        unseen_loss(np.array([0.0, 40]), np.array([1.0, 1.01]), 2, 100)
        == 0
        < unseen_loss(np.array([0.0, 40]), np.array([1.01, 1.0]), 2, 100)
    )
