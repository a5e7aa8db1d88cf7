"""Reported values and how they move: bounds, functions of sums against a direct bootstrap, groups across strata."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.evaluation.defining.measures import Linear, OfSums, Reportable
from stages.evaluation.scoring.comparison import differences
from stages.evaluation.scoring.draws import drawn, drawn_within, freedom_of, influences, shared_weights, spread
from stages.evaluation.scoring.estimates import estimates
from stages.evaluation.scoring.scores import Bounds
from stages.evaluation.scoring.statistics.bootstrap import Weights, item_weights, one_stratum, satterthwaite
from stages.evaluation.scoring.values import difference, ends, terms_of, value_of

NAN = np.nan


def slopes(scores: np.ndarray) -> np.ndarray:
    """Of items with both scores: one, x, y, x squared, x times y."""
    x, y = scores[:, 0], scores[:, 1]
    return np.stack([1 + 0 * x * y, x + 0 * y, y + 0 * x, x * x + 0 * y, x * y], axis=1)


SLOPE = OfSums(
    slopes,
    lambda s: (s[..., 0] * s[..., 4] - s[..., 1] * s[..., 2]) / (s[..., 0] * s[..., 3] - s[..., 1] ** 2),
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
    assert estimates(exact, strata, shared_weights(strata, 0), {"ratio": RATIO}) == {}


def test_a_gap_is_least_where_what_is_subtracted_is_highest() -> None:
    scores = Bounds(np.array([[4.0, 1.0]]), np.array([[6.0, 3.0]]))
    low, high = ends(scores, GAP)
    assert (low.tolist(), high.tolist()) == ([[4, 3]], [[6, 1]])
    assert ends(scores, Linear(np.array([1.0, 0.5]))) is scores
    assert ends(scores, RATIO) == (scores.low, scores.low)


def test_the_upper_end_is_of_the_highest_scores_and_the_lower_of_the_lowest() -> None:
    low, strata = scores_of(50, 0), np.zeros(50, np.int64)
    high, weights = low.copy(), shared_weights(strata, 0)
    high[:2, 0] += 5
    reported = {"gap": GAP, "first": Linear(np.array([1.0, 0.0])), "second": Linear(np.array([0.0, 1.0]))}
    least, most, both = (
        estimates(Bounds(*of), strata, weights, reported) for of in ((low, low), (high, high), (low, high))
    )
    for name in ("gap", "first"):
        assert both[name] == least[name]._replace(high=most[name].high) != least[name]
    assert both["second"] == least["second"]
    reverse = estimates(Bounds(low, high), strata, weights, {"gap": Linear(np.array([-1.0, 1.0]))})["gap"]
    assert (reverse.value, reverse.low, reverse.high) == pytest.approx(
        (-most["gap"].value, -(most["gap"].high or 0), -(least["gap"].low or 0)), abs=0.02
    )


def test_a_function_of_sums_that_rises_with_every_score_is_bounded_above_too() -> None:
    """√(first² + second²) of the sums. Ten items have 0.3 and 0.4 each: √(3² + 4²) = 5. Of one, the judge did not say
    0.3 but anything from 0 to 1: the least sum is 2.7, the most 3.7, and √(2.7² + 4²) = 4.826, √(3.7² + 4²) = 5.449.
    Of the least scores no draw has more than 5, which is that of the others alone."""
    both = OfSums(lambda scores: scores, lambda sums: np.hypot(sums[..., 0], sums[..., 1]))
    low, strata = np.tile([0.3, 0.4], (10, 1)), np.zeros(10, np.int64)
    high = low.copy()
    low[0, 0], high[0, 0] = 0, 1
    scores, rising = Bounds(low, high), both._replace(rises=True)
    assert ends(scores, rising) is scores and ends(scores, both) == (low, low)
    assert [value_of(of, rising) for of in scores] == pytest.approx([4.826, 5.449], abs=5e-4)
    found = estimates(scores, strata, shared_weights(strata, 0), {"unknown": both, "rising": rising})
    assert found["unknown"].value == found["rising"].value == pytest.approx(4.826, abs=5e-4)
    assert found["unknown"].low == found["rising"].low
    assert found["unknown"].high == pytest.approx(5) and (found["rising"].high or 0) > 5.449


# Draws


def resampled(weights: Weights) -> list[np.ndarray]:
    """The numbers of the items of every draw, each as often as it was drawn."""
    return [np.repeat(np.arange(weights.shape[1]), draw.astype(int)) for draw in weights]


@pytest.mark.parametrize("one", [RATIO, SLOPE], ids=["ratio", "slope"])
@pytest.mark.parametrize("missing", [0.0, 0.1])
def test_a_function_of_sums_moves_as_in_a_direct_bootstrap(one: OfSums, missing: float) -> None:
    strata = np.repeat([0, 1, 2], [10, 20, 30])
    scores, weights = scores_of(60, 3, missing), item_weights(np.arange(60), strata, 200, 7)
    [found] = drawn([(scores, one)], strata, weights)
    direct = [value_of(scores[items], one) for items in resampled(weights)]
    assert found.value + found.moved == pytest.approx(np.array(direct), rel=1e-12)


@pytest.mark.parametrize("one", [RATIO, SLOPE, GAP], ids=["ratio", "slope", "gap"])
def test_differences_are_paired_in_every_draw(one: Reportable) -> None:
    strata = np.repeat([0, 1], [20, 30])
    first, second, weights = scores_of(50, 1, 0.05), scores_of(50, 2, 0.05), item_weights(np.arange(50), strata, 200, 7)
    missing = np.isnan(first - second)
    both = [np.where(missing, NAN, scores) for scores in (first, second)]
    [found] = drawn([difference(*both, one)], strata, weights)
    assert found.value == pytest.approx(value_of(both[1], one) - value_of(both[0], one))
    if isinstance(one, OfSums):
        direct = [value_of(both[1][items], one) - value_of(both[0][items], one) for items in resampled(weights)]
        assert found.value + found.moved == pytest.approx(np.array(direct), rel=1e-9, abs=1e-12)


def test_all_that_is_wanted_at_once_is_as_wanted_alone() -> None:
    strata = np.repeat([0, 1], [20, 30])
    weights = shared_weights(strata, 0)
    wanted: list[tuple[np.ndarray, Reportable]] = [(scores_of(50, n), one) for n, one in enumerate((RATIO, GAP, SLOPE))]
    for together, pair in zip(drawn(wanted, strata, weights), wanted, strict=True):
        [alone] = drawn([pair], strata, weights)
        assert together.value == alone.value and together.spread.freedom == alone.spread.freedom
        assert together.moved == pytest.approx(alone.moved, abs=1e-5)


def test_a_mean_is_the_same_as_a_function_of_sums() -> None:
    mean = OfSums(
        lambda scores: np.stack([scores[:, 0], 1 + 0 * scores[:, 0]], axis=1), lambda s: s[..., 0] / s[..., 1]
    )
    strata, column = np.repeat([0, 1], [6, 54]), Linear(np.array([1.0, 0.0]))
    scores, weights = scores_of(60, 0), shared_weights(strata, 0)
    exact = Bounds(scores, scores)
    found = estimates(exact, strata, weights, {"linear": column, "of_sums": mean})
    assert found["of_sums"] == pytest.approx(found["linear"], abs=1e-3)
    assert influences(terms_of(scores, mean), strata, mean).sum() == pytest.approx(0, abs=1e-9)
    freedoms = [spread(scores, strata, one).freedom for one in (column, mean)]
    assert freedoms[1] is not None and freedoms[0] is not None
    assert freedoms[1].inflation == pytest.approx(freedoms[0].inflation, rel=0.01)


@given(st.integers(0, 50))
def test_an_influence_is_what_one_more_of_an_item_moves(seed: int) -> None:
    """By hand: the item's terms beside all sums, less its stratum's average."""
    scores, strata = scores_of(12, seed), np.repeat([0, 1], [5, 7])
    terms = terms_of(scores, RATIO)
    found = influences(terms, strata, RATIO)
    x, y = terms.sum(axis=0)
    for item in range(12):
        dx, dy = terms[item] - terms[strata == strata[item]].mean(axis=0)
        assert found[item] == pytest.approx((x + dx) / (y + dy) - x / y)


# Groups across strata


def test_a_group_that_has_one_item_in_a_stratum_and_others_elsewhere_has_an_interval() -> None:
    """Three strata of ten; the group has one item in the first, two in the second: as three items of one stratum."""
    strata, there = np.repeat([0, 1, 2], 10), np.zeros((30, 1), np.bool_)
    there[[0, 10, 11]] = True
    moved = np.where(there[:, 0], 1.0, 0.0) * np.arange(30)
    assert freedom_of(moved, strata, there) == one_stratum(3)
    there[[10, 11]] = False
    assert freedom_of(moved, strata, there) is None  # a single item tells nothing of how far it moves


def test_strata_that_no_single_item_joins_count_apart() -> None:
    strata = np.repeat([0, 1, 2], [4, 5, 6])
    there = np.ones((15, 1), np.bool_)
    moved = np.random.default_rng(0).normal(0, 1, 15)
    variances = np.array([((moved[strata == s] - moved[strata == s].mean()) ** 2).sum() for s in range(3)])
    assert freedom_of(moved, strata, there) == pytest.approx(satterthwaite(variances, np.array([4.0, 5, 6])))
    lone = np.stack([there[:, 0], np.isin(np.arange(15), [0, 4, 5])], axis=1)  # joins the first two
    expected = satterthwaite(np.array([variances[0] + variances[1], variances[2]]), np.array([3.0, 6]))
    assert freedom_of(moved, strata, lone) == pytest.approx(expected)


# Comparison


def compared(first: np.ndarray, second: np.ndarray, one: Reportable) -> object:
    strata = np.zeros(len(first), np.int64)
    found = differences(Bounds(first, first), Bounds(second, second), strata, shared_weights(strata, 0), {"x": one}, 0)
    return found[0]


def test_a_comparison_of_functions_of_sums() -> None:
    first = scores_of(40, 1)
    second = first * [1.5, 1]
    found = compared(first, second, RATIO)
    assert found.second == pytest.approx(1.5 * found.first) and found.difference == pytest.approx(found.first / 2)
    assert found.low < found.difference < found.high and found.p == 1 / 10_001 and found.n == 40
    assert 0 < found.detectable < found.difference
    same = compared(first, first, RATIO)
    assert (same.difference, same.p, same.low, same.high, same.detectable) == (0, 1, 0, 0, 0)


def test_a_mean_as_a_function_of_sums_compares_as_a_mean() -> None:
    mean = OfSums(
        lambda scores: np.stack([scores[:, 0], 1 + 0 * scores[:, 0]], axis=1), lambda s: s[..., 0] / s[..., 1]
    )
    first, second = scores_of(30, 1), scores_of(30, 2) + 0.5
    one, other = (compared(first, second, of) for of in (Linear(np.array([1.0, 0.0])), mean))
    assert other.p == one.p and other.n == one.n  # the same signs, the same order of sums
    assert [other.first, other.second, other.difference] == pytest.approx([one.first, one.second, one.difference])
    assert [other.low, other.high] == pytest.approx([one.low, one.high], abs=0.01)
    assert other.detectable == pytest.approx(one.detectable, rel=0.02)


def test_strata_of_a_single_item_are_drawn_together() -> None:
    """By themselves they would never move, and what is made of them alone would have an interval without a width."""
    assert drawn_within(np.array([0, 0, 1, 2, 3, 3])).tolist() == [0, 0, 1, 1, 3, 3]
    assert drawn_within(np.array([0, 0, 0, 1, 2, 2])).tolist() == [0, 0, 0, 1, 1, 1]  # but one: with the smallest other
    assert drawn_within(np.array([4, 4, 5, 5])).tolist() == [4, 4, 5, 5]
    assert drawn_within(np.array([7])).tolist() == [7]
    scores, strata = np.array([[1.0], [0.667], [0.917], [0.818]]), np.arange(4)
    [found] = estimates(
        Bounds(scores, scores), strata, shared_weights(strata, 0), {"mean": Linear(np.ones(1))}
    ).values()
    assert found.low is not None and found.high is not None and found.high - found.low > 0.1
