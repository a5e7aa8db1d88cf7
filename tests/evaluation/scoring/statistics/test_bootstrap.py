"""Item weights, and an interval that reaches further than the plain percentiles; the arithmetic is in the comments."""

from __future__ import annotations

import numpy as np
import pytest

from stages.evaluation.scoring.agreement_measures import interval, item_weights
from stages.evaluation.scoring.statistics.inference import Interval

NAN = float("nan")


def test_as_many_items_are_drawn_as_there_are() -> None:
    weights = item_weights(3, seed=1, draws=500)
    assert weights.shape == (500, 3) and (weights.sum(axis=1) == 3).all()
    # each of three items is drawn three times with chance 1/3: mean 1, variance 3 · 1/3 · 2/3 = 2/3
    assert abs(weights[:, 2].mean() - 1) < 0.15 and abs(weights[:, 2].var() - 2 / 3) < 0.15


def test_the_same_seed_draws_the_same_bytes() -> None:
    drawn = [item_weights(20, seed, 50).tobytes() for seed in (3, 3, 4)]
    assert drawn[0] == drawn[1] != drawn[2]


def test_the_interval_reaches_further_than_the_plain_percentiles() -> None:
    """10 items: Student's 0.975 quantile of 9 degrees is 2.26216, times √(10/9) is 2.38453, and Φ(-2.38453) is
    0.008551: quantiles of the draws 0 … 100,000 in steps of 1 stand at 855.1 and 99,144.9."""
    assert interval(np.arange(100_001.0), 10) == pytest.approx(Interval(855.1, 99_144.9), abs=0.1)


def test_draws_without_a_value_do_not_count() -> None:
    assert interval(np.array([1.0, NAN, 2.0, 3.0]), 50) == interval(np.array([1.0, 2.0, 3.0]), 50)
    with pytest.raises(ValueError, match="no draw has a value"):
        interval(np.array([NAN]), 50)
    with pytest.raises(ValueError, match="at least two items, not 1"):
        interval(np.array([1.0]), 1)
