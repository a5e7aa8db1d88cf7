"""Reported values and how they move: bounds, functions of sums against the jackknife, differences in pairs."""

from __future__ import annotations

import numpy as np
import pytest

from gamut.evaluation.defining.measures import Linear, OfSums, Reportable
from gamut.evaluation.scoring.estimates import estimates
from gamut.evaluation.scoring.scores import Bounds
from gamut.evaluation.scoring.values import (
    infer_value,
    influences,
    least_scores,
    movement,
    movement_within_strata,
    paired_difference,
    terms_of,
    value_of,
)

NAN = np.nan


def slopes(scores: np.ndarray) -> np.ndarray:
    """Of items with both scores: one, x, y, x squared, x times y."""
    x, y = scores[:, 0], scores[:, 1]
    return np.stack([1 + 0 * x * y, x + 0 * y, y + 0 * x, x * x + 0 * y, x * y], axis=1)


SLOPE = OfSums(
    slopes, lambda s: (s[..., 0] * s[..., 4] - s[..., 1] * s[..., 2]) / (s[..., 0] * s[..., 3] - s[..., 1] ** 2)
)
"""The slope of the least squares line of the second column over the first: no mean of anything."""
RATIO = OfSums(lambda scores: scores[:, :2] + 0 * scores[:, 1::-1], lambda s: s[..., 0] / s[..., 1])
GAP = Linear(np.array([1.0, -1.0]))


def scores_of(items: int, seed: int, missing: float = 0.0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    x = chance.uniform(1, 10, items)
    scores = np.stack([x, 2 + x / 2 + chance.normal(0, 1, items)], axis=1)
    scores[chance.random(scores.shape) < missing] = NAN
    return scores


# Values


def test_values_by_hand() -> None:
    scores = np.array([[1.0, 2.0], [3.0, 4.0], [8.0, NAN]])
    # of the first two items: (1 + 3) / (2 + 4), and a line of slope 1; the gap is 4 - 3, means of what there is
    assert [value_of(scores, one) for one in (RATIO, SLOPE, GAP)] == pytest.approx([4 / 6, 1, 1])
    assert terms_of(scores, RATIO).tolist() == [[1, 2], [3, 4], [0, 0]]


def test_what_is_undefined_is_no_value() -> None:
    assert np.isnan(value_of(np.full((3, 2), NAN), RATIO)) and np.isnan(value_of(np.zeros((3, 2)), RATIO))
    assert np.isnan(value_of(np.ones((3, 2)), SLOPE))  # a line through one point
    scores = np.array([[1.0, 0.0], [2.0, 0.0]])
    assert np.isnan(value_of(scores, RATIO))  # without end
    exact, strata = Bounds(scores, scores), np.zeros(2, np.int64)
    assert estimates(exact, strata, {"ratio": RATIO}, {}) == {}


def test_a_gap_is_least_where_what_is_subtracted_is_highest() -> None:
    scores = Bounds(np.array([[4.0, 1.0]]), np.array([[6.0, 3.0]]))
    assert least_scores(scores, GAP).tolist() == [[4, 3]]
    assert (
        least_scores(scores, Linear(np.array([1.0, 0.5]))).tolist() == least_scores(scores, RATIO).tolist() == [[4, 1]]
    )


def test_both_ends_are_of_the_least_so_that_no_doubt_raises_one() -> None:
    low, strata = scores_of(50, 0), np.zeros(50, np.int64)
    high = low.copy()
    high[:2, 0] += 5
    gaps = {"gap": GAP, "reverse": Linear(np.array([-1.0, 1.0]))}
    reported = gaps | {"first": Linear(np.array([1.0, 0.0])), "ratio": RATIO}
    lowest, most, both = (
        estimates(Bounds(*of), strata, reported, {}) for of in ((low, low), (high, high), (low, high))
    )
    assert both == lowest | {"reverse": most["reverse"]}
    assert both["reverse"].value < lowest["reverse"].value


# How items move them


@pytest.mark.parametrize("one", [RATIO, SLOPE], ids=["ratio", "slope"])
def test_the_error_of_a_function_of_sums_is_that_of_a_bootstrap(one: OfSums) -> None:
    """2,000 draws of 60 items within three strata: their standard deviation, itself known to 1 / √4,000."""
    strata, chance = np.repeat([0, 1, 2], [10, 20, 30]), np.random.default_rng(7)
    scores = scores_of(60, 3, 0.1)
    draws = [np.concatenate([chance.choice(np.flatnonzero(strata == s), (strata == s).sum()) for s in range(3)])
             for _ in range(2_000)]  # fmt: skip
    direct = np.std([value_of(scores[items], one) for items in draws])
    found = infer_value(scores, strata, one, None)
    assert found is not None and found.error.error == pytest.approx(direct, rel=0.12)


@pytest.mark.parametrize("one", [RATIO, SLOPE, GAP], ids=["ratio", "slope", "gap"])
def test_differences_are_paired(one: Reportable) -> None:
    """What an item adds to a difference is what it adds to the one less what it adds to the other."""
    strata = np.repeat([0, 1], [20, 30])
    first, second = scores_of(50, 1, 0.05), scores_of(50, 2, 0.05)
    missing = np.isnan(first - second)
    both = [np.where(missing, NAN, scores) for scores in (first, second)]
    scores, apart = paired_difference(*both, one)
    assert value_of(scores, apart) == pytest.approx(value_of(both[1], one) - value_of(both[0], one))
    own = [movement(of, strata, one).moved for of in both]
    assert movement(scores, strata, apart).moved == pytest.approx(own[1] - own[0], abs=1e-12)


def test_what_draws_multiply_lies_around_the_means_of_strata() -> None:
    scores, strata = np.array([[1.0], [3.0], [10.0], [14.0], [NAN]]), np.array([0, 0, 1, 1, 1])
    moves = movement(scores, strata, Linear(np.ones(1)))
    assert moves.moved == pytest.approx((np.array([1, 3, 10, 14, 7]) - 7) / 4)
    assert movement_within_strata(moves, strata) == pytest.approx(np.array([-1, 1, -2, 2, 0]) / 4)


@pytest.mark.parametrize("seed", range(3))
def test_an_influence_is_what_one_more_of_an_item_moves(seed: int) -> None:
    """By hand: the item's terms beside all sums, less its stratum's average."""
    scores, strata = scores_of(12, seed), np.repeat([0, 1], [5, 7])
    terms = terms_of(scores, RATIO)
    found = influences(terms, strata, RATIO)
    x, y = terms.sum(axis=0)
    for item in range(12):
        dx, dy = terms[item] - terms[strata == strata[item]].mean(axis=0)
        assert found[item] == pytest.approx((x + dx) / (y + dy) - x / y)


# Comparison
