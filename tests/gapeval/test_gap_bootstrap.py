"""The gap and Δθ by hand, what their draws hold, and what a model of known abilities comes to."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.gapeval.shared import gap as bootstrap
from stages.gapeval.shared.gap import PRECISION

SAMPLES = 10
ALIKE = 2.0
LIKENESS = {"independent": 1 / SAMPLES, "alike": (1 + (SAMPLES - 1) / (1 + ALIKE)) / SAMPLES, "same": 1.0}
"""Of how many judgments an item is (Kish's effect of clusters)."""
ASSOCIATION = 1.5
"""Standard deviation of the log odds ratio of a model's two settings, for the Markov chain."""


def cells_of(text, picture, association=1.0):
    """The joint shares p11, p10, p01, p00 of two shares of right samples and their log odds ratio (Plackett 1965)."""
    more = np.expm1(association)
    whole = 1 + (text + picture) * more
    root = np.sqrt(np.maximum(whole**2 - 4 * more * (1 + more) * text * picture, 0))
    both = 2 * (1 + more) * text * picture / (whole + root)
    return np.stack([both, text - both, picture - both, 1 - text - picture + both], axis=-1)


def answered(chance, cells, items, kind="alike"):
    """The joint shares of each item, shape (items, 4)."""
    cells = np.clip(cells, 0, 1)
    if kind == "independent":
        return chance.multinomial(SAMPLES, cells, items) / SAMPLES
    if kind == "same":
        return chance.multinomial(1, cells, items).astype(np.float64)
    own = chance.standard_gamma(ALIKE * cells, (items, 4))
    own = np.where(own.sum(axis=1, keepdims=True) > 0, own, cells)  # so small that all is 0
    return chance.multinomial(SAMPLES, own / own.sum(axis=1, keepdims=True)) / SAMPLES


def logit(share):
    return np.log(share) - np.log1p(-share)


def reference(chance, items, kind, steps=1_500, walkers=40):
    """Draws of Δθ from its posterior by one category's items, shape (draws,): as many judgments as items are truly
    worth, abilities as `bootstrap` has them, a normal log odds ratio. An affine-invariant ensemble (Goodman and Weare
    2010), the first third of its steps left out.
    """
    cells = items.sum(axis=0)

    def density(at):
        shares = 1 / (1 + np.exp(-at[:, :2]))
        fits = np.log(np.maximum(cells_of(*shares.T, at[:, 2]), 1e-300)) @ cells / LIKENESS[kind]
        return fits - (np.einsum("wi,ij,wj->w", at[:, :2], PRECISION, at[:, :2]) + (at[:, 2] / ASSOCIATION) ** 2) / 2

    start = cells / cells.sum() * 0.98 + 0.005
    at = np.array([logit(start[0] + start[1]), logit(start[0] + start[2]), 0]) + chance.normal(0, 0.3, (walkers, 3))
    known, half, kept = density(at), walkers // 2, []
    for step in range(steps):
        for own, others in ((slice(half), slice(half, None)), (slice(half, None), slice(half))):
            stretch = (chance.random(half) * (np.sqrt(2) - np.sqrt(0.5)) + np.sqrt(0.5)) ** 2
            pivots = at[others][chance.integers(half, size=half)]
            moved = pivots + stretch[:, None] * (at[own] - pivots)
            there = density(moved)
            taken = np.log(chance.random(half)) < 2 * np.log(stretch) + there - known[own]
            at[own] = np.where(taken[:, None], moved, at[own])
            known[own] = np.where(taken, there, known[own])
        if step > steps // 3:
            kept.append(at[:, 0] - at[:, 1])
    return np.concatenate(kept)


DRAWS = 4_000
RIGHT, TEXT, PICTURE, WRONG = np.eye(4)
"""Items of which all samples are right in both settings, in text, as a picture, on neither."""


def drawn(items: np.ndarray, seed: int = 0) -> np.ndarray:
    chance = np.random.default_rng(seed)
    return bootstrap.draw_cells(items, chance.standard_exponential((len(items), DRAWS)), chance)


def interval(items: np.ndarray) -> tuple[float, float]:
    low, high = np.quantile(bootstrap.delta_theta(drawn(items)), (0.025, 0.975))
    return float(low), float(high)


def test_a_gap_by_hand() -> None:
    """Of 8 items 6 are right in text and 4 as a picture, 3 of them in both settings and 1 on neither. With half an
    judgment Δθ is log(6.5 / 2.5) - log(4.5 / 4.5) = .9555, so |Δθ| / (1 + |Δθ|) = .4886, whose logit is log(.9555).
    """
    sums = np.array([3.0, 3, 1, 1])
    assert bootstrap.delta_theta_of(sums, 1) == pytest.approx(np.log(6.5 / 2.5))
    by_hand = 1 / (1 + np.exp(-(np.log(0.9555114) + 2.7 / 8 - 1.05 * 3 / 8)))
    assert bootstrap.gap_of(sums, 1) == pytest.approx(by_hand, abs=1e-6)
    assert bootstrap.delta_theta_of(sums[[0, 2, 1, 3]], 1) == -bootstrap.delta_theta_of(sums, 1), (
        "settings change places"
    )


@pytest.mark.parametrize("items", [4, 646])
def test_a_perfect_model_has_no_gap_and_its_interval_begins_there(items: int) -> None:
    right = np.tile(RIGHT, (items, 1))
    assert bootstrap.gap_of(right.sum(axis=0), bootstrap.item_worth(right)) < 1e-5
    least, most = bootstrap.gap_draws([drawn(right)])
    assert not least.any() and np.quantile(most, 0.975) < 0.85


def test_samples_that_are_alike_are_one_observation_and_others_several() -> None:
    alike = np.repeat(np.eye(4), [40, 20, 20, 20], axis=0)
    unlike = np.tile([0.4, 0.2, 0.2, 0.2], (100, 1))
    assert bootstrap.item_worth(alike) == pytest.approx(1, abs=0.01) and bootstrap.item_worth(unlike) == 0.1
    assert bootstrap.item_worth(np.tile(RIGHT, (100, 1))) == 0.5, "nothing is seen of it"


@given(st.lists(st.sampled_from(range(4)), min_size=1, max_size=30))
@settings(max_examples=30, deadline=None)
def test_the_gap_reaches_nothing_just_where_the_interval_of_its_difference_does(kinds: list[int]) -> None:
    cells = drawn(np.eye(4)[kinds])
    low, high = np.quantile(bootstrap.delta_theta(cells), (0.025, 0.975))
    least, most = bootstrap.gap_draws([cells])
    assert (np.quantile(least, 0.025) == 0) == (low <= 0 <= high)
    assert (least <= most).all() and (most > 0).all() and (most < 1).all() and np.isfinite(most).all()


def test_of_several_categories_one_that_lies_apart_is_enough() -> None:
    """Three without a gap count as 0 in the least, the fourth as it is: a quarter of its own."""
    even, apart = (drawn(np.repeat(np.eye(4), counts, axis=0)) for counts in ([30, 10, 10, 10], [10, 40, 0, 10]))
    least, most = bootstrap.gap_draws([even, even, even, apart])
    own, _ = bootstrap.gap_draws([apart])
    assert np.allclose(least, own / 4) and (most > least).all()
    assert not bootstrap.gap_draws([even] * 4)[0].any()


def test_categories_together_tell_what_none_tells_alone() -> None:
    """Of 20 items each, 17 right in text and 10 as a picture: Δθ is 1.5, and what none surely has all together have."""
    each = [drawn(np.repeat(np.eye(4), [9, 8, 1, 2], axis=0), seed) for seed in range(4)]
    apart = np.stack([bootstrap.delta_theta(one) for one in each])
    assert all(np.quantile(one, (1 - 0.995**0.25) / 2) < 0 for one in apart) and np.quantile(apart.mean(0), 0.02) > 0
    least, most = bootstrap.gap_draws(each)
    assert np.quantile(least, 0.025) > 0.2 and (least <= most).all()


def test_of_categories_that_lie_apart_in_opposite_ways_the_mean_gap_is_no_nothing() -> None:
    text, picture = (drawn(np.repeat(np.eye(4), counts, axis=0)) for counts in ([20, 60, 5, 15], [20, 5, 60, 15]))
    apart = np.mean([bootstrap.delta_theta(one) for one in (text, picture)], axis=0)
    assert np.quantile(apart, 0.025) < 0 < np.quantile(apart, 0.975)
    least, most = bootstrap.gap_draws([text, picture])
    assert np.array_equal(least, most) and np.quantile(least, 0.025) > 0.5


@pytest.mark.parametrize(("text", "picture", "kind"), [(0.7, 0.7, "alike"), (0.97, 0.9, "independent")])
def test_what_is_known_is_what_a_markov_chain_knows(text: float, picture: float, kind: str) -> None:
    """For one category of a model of known abilities, the interval is close to that of a long Markov chain."""
    chance = np.random.default_rng(3)
    items = answered(chance, cells_of(text, picture), 147, kind)
    low, high = interval(items)
    by_chain = np.quantile(reference(chance, items, kind, steps=400), (0.025, 0.975))
    assert (low, high) == pytest.approx(by_chain, abs=0.25 * (high - low))


def test_abilities_beyond_what_is_probable_are_drawn_back() -> None:
    """100 items right in text alone: Jeffreys' prior would allow a share of wrong texts of 1e-7 and less."""
    theta = bootstrap.abilities(drawn(np.tile(TEXT, (100, 1))))
    assert np.quantile(theta[:, 0], 0.999) < 10 < -np.log(1e-7)
    assert np.median(theta[:, 0]) > 3.5 and np.median(theta[:, 1]) < -3.5


@pytest.mark.filterwarnings("error")
def test_no_draw_is_without_end() -> None:
    """Of items that are all half right in text and never as a picture, samples seem as unlike as can be."""
    for items in (np.tile([0.0, 0.5, 0, 0.5], (6, 1)), np.tile(TEXT, (1, 1)), np.tile(TEXT, (600, 1))):
        assert all(np.isfinite(bootstrap.delta_theta(drawn(items, seed))).all() for seed in range(5))


def test_the_formula_keeps_its_limits() -> None:
    nothing, all_wrong = bootstrap.gap(np.zeros(2), np.array([0.0, 1]), np.array([1.0, 0]))
    assert nothing < 1e-6 < all_wrong < 2e-5, "no gap, however much is wrong"
