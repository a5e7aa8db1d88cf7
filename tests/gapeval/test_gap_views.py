"""From the least and most of joint scores to what is missing, and from that to gaps that nobody lowers by hiding."""

from __future__ import annotations

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from stages.evaluation.defining.measures import Drawn, OfSums
from stages.evaluation.scoring.specs import of_view
from stages.evaluation.scoring.values import value_of
from stages.gapeval.shared import views
from stages.gapeval.shared.items import CATEGORIES
from stages.gapeval.shared.views import ACROSS, JOINT, across, drawn, joint_shares, shares

Side = int | None
"""Of a sample: right (1), wrong (0), or not there."""
Sample = tuple[Side, Side]
WORLD = [(1, 1), (1, 0), (0, 1), (0, 0)]
"""Samples in the order of the four joint shares."""
MISSING = [(1, None), (0, None), (None, 1), (None, 0), (None, None)]
"""Samples in the order of the other five."""
NORMAL = np.random.default_rng(5).standard_normal((64, 2000))


def possible(side: Side) -> tuple[int, ...]:
    return (0, 1) if side is None else (side,)


def bounds(samples: list[Sample]) -> tuple[list[float], list[float]]:
    """The least and the most of an item's six scores: right in words and as a picture, then the joint ones."""
    low, high = [], []
    for side in range(2):
        seen = [sample[side] or 0 for sample in samples]
        low.append(float(np.mean(seen)))
        high.append(low[-1])  # who does not answer is wrong, at most as at least
    for one in JOINT:
        values = [[one.value(t, i) for t, i in product(*map(possible, sample))] for sample in samples]
        low.append(float(np.mean([min(each) for each in values])))
        high.append(float(np.mean([max(each) for each in values])))
    return low, high


sides = st.sampled_from([0, 1, None])


@given(st.lists(st.tuples(sides, sides), min_size=1, max_size=6))
def test_what_is_missing_follows_from_the_least_and_the_most(samples: list[Sample]) -> None:
    low, high = (np.array([one]) for one in bounds(samples))
    expected = [samples.count(kind) / len(samples) for kind in [*WORLD, *MISSING]]
    assert joint_shares(low, high)[0] == pytest.approx(expected, abs=1e-12)


def laid(items: list[list[Sample]]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Scores of items that stand in the categories in turn."""
    low = np.full((len(items), len(ACROSS) * len(CATEGORIES)), np.nan)
    high = low.copy()
    for number, samples in enumerate(items):
        own = slice(len(ACROSS) * (number % 4), len(ACROSS) * (number % 4 + 1))
        low[number, own], high[number, own] = bounds(samples)
    return low, high


def gaps(items: list[list[Sample]], samples: int) -> NDArray[np.float64]:
    return np.median(drawn(*laid(items), NORMAL[: len(items)], samples), axis=0)


@settings(max_examples=6, deadline=None)
@given(st.integers(0, 10**6), st.sampled_from([0, 1]), st.floats(0.1, 1))
def test_who_hides_lowers_no_gap(seed: int, side: int, share: float) -> None:
    """Whichever answers are hidden on one side. A point is what other draws of the same posterior differ by."""
    chance = np.random.default_rng(seed)
    items: list[list[Sample]] = [
        [(int(chance.random() < 0.8), int(chance.random() < 0.3)) for _ in range(2)] for _ in range(24)
    ]
    hidden: list[list[Sample]] = [
        [(None, one[1]) if side == 0 else (one[0], None) for one in samples] if chance.random() < share else samples
        for samples in items
    ]
    shown, kept_back = (drawn(*laid(one), NORMAL[:24], 2) for one in (items, hidden))
    assert (np.median(kept_back, axis=0) >= np.median(shown, axis=0) - 1).all()


def test_a_category_without_items_has_no_gap_and_no_mean_stands_for_all() -> None:
    low, high = laid([[(1, 0)], [(1, 1)], [(0, 0)]])  # nothing of the fourth
    found = drawn(low, high, NORMAL[:3], 1)
    assert np.isnan(found[:, 3]).all() and not np.isnan(found[:, :3]).any()
    view = across(1)
    one = view.reported["gap"]
    assert isinstance(one, Drawn) and np.isnan(one.draws(low, high, NORMAL[:3])).all()


def test_values_of_a_fit_share_it_and_leave_the_view_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    fits: list[int] = []

    def fit(low: NDArray[np.float64], *others: object) -> NDArray[np.float64]:
        fits.append(len(low))
        return np.zeros((4, len(CATEGORIES)))

    monkeypatch.setattr(views, "drawn", fit)
    view, normal = across(1), np.zeros((1, 4))
    values = [one for one in map(view.reported.__getitem__, view.shown) if isinstance(one, Drawn)]
    assert len(values) == 1 + len(CATEGORIES)
    before = of_view(view)
    for right in range(views.KEPT + 1):
        laid_out = np.full((1, len(ACROSS) * len(CATEGORIES)), float(right))
        for one in values:
            one.draws(laid_out, laid_out, normal)
    assert len(fits) == views.KEPT + 1
    assert of_view(view) == before


def test_shares_of_samples_and_what_is_missing_is_right_on_neither_side() -> None:
    low, _ = laid([[(1, 1), (1, None)], [(1, 0), (0, 1)], [(0, 0), (None, None)], [(1, 1), (0, 1)]])
    found = {name: value_of(low, one) for name, one in shares(CATEGORIES).items()}
    # succ .5, 0, 0, .5; und 1, .5, 0, .5; gen .5, .5, 0, 1; neither side right 0, 0, 1, 0
    assert found == pytest.approx({"succ": 25, "und": 50, "gen": 50, "fail": 25})
    assert value_of(low, shares(("reasoning",))["fail"]) == 0


def test_more_apart_is_a_larger_gap() -> None:
    alike: list[list[Sample]] = [[(1, 1), (0, 0)]] * 24
    apart: list[list[Sample]] = [[(1, 0), (1, 0)]] * 24
    assert (gaps(apart, 2) > gaps(alike, 2) + 20).all()


def test_what_is_wrong_on_both_moves_with_means_as_its_slopes_say() -> None:
    """Scores of all items a tenth higher in one column after the other."""
    for one in (shares(CATEGORIES)["fail"], shares(CATEGORIES[1:2])["fail"]):
        assert isinstance(one, OfSums) and one.slopes is not None
        before = NORMAL[:, : len(ACROSS) * len(CATEGORIES)] / 100
        for column, slope in enumerate(one.slopes):
            after = before + 0.1 * (np.arange(before.shape[1]) == column)
            assert value_of(after, one) - value_of(before, one) == pytest.approx(0.1 * slope, abs=1e-9)
