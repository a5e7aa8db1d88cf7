"""The identified gap: cells, likelihood and posterior by hand, what changes nothing, and what hiding gains."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.gapeval.shared.fitting import gaps, identified
from stages.gapeval.shared.fitting.formula import gap
from stages.gapeval.shared.fitting.gaps import columns, filled, normal_numbers, tied
from stages.gapeval.shared.fitting.identified import (
    bent,
    binomials,
    cells,
    contrasts,
    counted,
    draws,
    eta_of,
    eta_slopes,
    log_posterior,
    posterior,
    sums,
)
from tests.gapeval.fitting.known_models import answered, drawn_model, shares_held

NORMAL = np.random.default_rng(5).standard_normal((500, columns(4)))
logits = st.floats(-8, 8)


def contestant(seed: int, items: int = 12, samples: int = 10) -> list[np.ndarray]:
    chance = np.random.default_rng(seed)
    return [answered(chance, eta, items, "dirichlet", samples)[1] for eta in drawn_model(chance)]


def value(items: list[np.ndarray], samples: int = 10) -> np.ndarray:
    return np.median(gaps.gaps(items, samples, NORMAL), axis=0)


@given(logits, logits, logits)
@settings(max_examples=100, deadline=None)
def test_cells_have_the_marginals_and_the_odds_ratio(text: float, picture: float, association: float) -> None:
    found = cells(np.array([text, picture, association]))
    assert (found > 0).all() and found.sum() == pytest.approx(1)
    assert found[0] + found[1] == pytest.approx(1 / (1 + np.exp(-text)), abs=1e-12)
    assert found[0] + found[2] == pytest.approx(1 / (1 + np.exp(-picture)), abs=1e-12)
    if found.min() > 1e-9:
        assert np.log(found[0] * found[3] / found[1] / found[2]) == pytest.approx(association, abs=1e-4)


def test_known_cells() -> None:
    # both .5, odds ratio 1: all .25. Odds ratio 9: p11² / (.5 - p11)² = 9, so p11 = 3/8.
    assert cells(np.zeros(3)) == pytest.approx([0.25] * 4)
    assert cells(np.array([0, 0, np.log(9)])) == pytest.approx([0.375, 0.125, 0.125, 0.375])
    assert cells(np.array([0, 0, -np.log(9)])) == pytest.approx([0.125, 0.375, 0.375, 0.125])


def test_slopes_are_those_of_logits_and_posterior() -> None:
    chance = np.random.default_rng(2)
    logits, step = chance.normal(0, 1.5, 3), np.eye(3) * 1e-6
    by_hand = (eta_of(logits + step) - eta_of(logits - step)) / 2e-6
    assert eta_slopes(logits) == pytest.approx(by_hand.T, rel=1e-5, abs=1e-7)
    assert contrasts(cells(eta_of(logits))) == pytest.approx(logits)
    data = [binomials(counted(counts)) for counts in ([50, 20, 10, 20], [5, 20, 30, 20])]
    at, step = chance.normal(size=8), np.eye(8) * 1e-6
    by_hand = (log_posterior(at + step, data) - log_posterior(at - step, data)) / 2e-6
    assert bent(at, data)[0] == pytest.approx(by_hand, rel=1e-5, abs=1e-5)


def test_observations_without_items_count_as_they_are() -> None:
    # 10 agree of 16, 8 of these 10 are right; 4 of the 6 others are text.
    shares, worth = binomials(counted([8, 4, 2, 2]))
    assert shares == pytest.approx([10 / 16, 0.8, 4 / 6]) and worth == pytest.approx([16, 10, 6])


def test_items_whose_samples_are_alike_are_worth_little_more_than_one_each() -> None:
    alike = np.repeat(np.eye(4), [20, 20, 10, 10], axis=0)
    unlike = np.tile(alike.mean(axis=0), (60, 1))
    worth = [binomials(sums(rows, 12)).worth[0] for rows in (alike, unlike)]
    # alike: 60 / (1 + 2 / (60 · .25 + 2)) = 53.7; unlike: no variance, so as many as samples, 720
    assert worth == pytest.approx([53.7, 720], rel=0.01)


def test_much_data_is_what_comes_out() -> None:
    counts = np.array([[300_000, 100_000, 50_000, 50_000], [1_000, 200_000, 99_000, 200_000]])
    apart, shares = draws(posterior([counted(row) for row in counts]), NORMAL[:, : columns(2)])
    assert np.median(shares, axis=0) == pytest.approx(counts / counts.sum(axis=1, keepdims=True), abs=3e-3)
    # Δθ = logit(.8) - logit(.7) = 1.386 - .847 = .539
    assert np.median(apart, axis=0)[0] == pytest.approx(0.539, abs=0.01)


def test_the_identified_formula_of_the_gap() -> None:
    # Δθ = -1: g = 1/2; σ(2.7 · .2 - 1.05 · .4) = σ(.12) = .52996
    assert gap(np.array(-1.0), np.array(0.2), np.array(0.4)) == pytest.approx(0.52996, abs=1e-5)


def test_order_of_items_changes_nothing() -> None:
    items = contestant(3)
    assert np.array_equal(value(items), value([rows[::-1] for rows in items]))


@pytest.mark.parametrize("cell", range(4))
def test_all_in_one_cell_and_a_single_item_have_an_interval(cell: int) -> None:
    for items in (1, 30):
        rows = np.tile(np.eye(4)[cell], (items, 1))
        found = gaps.gaps([rows] * 4, 10, NORMAL)
        low, high = np.quantile(found, [0.025, 0.975], axis=0)
        assert np.isfinite(found).all() and (low > 0).all() and (low < high).all() and (high < 1).all()


def test_a_category_without_items_is_refused() -> None:
    with pytest.raises(ValueError, match="without items"):
        posterior([counted([0, 0, 0, 0])])


def test_coupled_independent_and_exclusive_sides_have_three_gaps() -> None:
    """At .5 on both sides Succ is .5, .25, 0, and p11 and p00 alone tell the gaps apart."""
    found = [value([np.repeat(np.eye(4), of, axis=0)] * 4)[0] for of in ([90, 0, 0, 90], [45] * 4, [0, 90, 90, 0])]
    assert found[0] > found[1] > found[2] and found[0] - found[2] > 0.05


def test_what_is_missing_is_filled_on_both_sides() -> None:
    rows = np.array([[0.1, 0.1, 0.1, 0.1, 0.2, 0.1, 0.05, 0.05, 0.2]])
    assert filled(rows, True, False) == pytest.approx(np.array([[0.15, 0.55, 0.1, 0.2]]))
    assert filled(rows, False, True) == pytest.approx(np.array([[0.3, 0.1, 0.45, 0.15]]))


def hidden(chance: np.random.Generator, rows: np.ndarray) -> np.ndarray:
    """Shares of nine kinds, of a contestant that hides some answers of some kinds, on one side or both."""
    found = np.zeros((len(rows), 9))
    found[:, :4] = rows
    for cell, (picture, text, both) in enumerate(((4, 6, 8), (4, 7, 8), (5, 6, 8), (5, 7, 8))):
        for place in (picture, text, both):
            moved = found[:, cell] * chance.choice([0, 0, 0.3, 1]) * (chance.random(len(rows)) < chance.random())
            found[:, cell] -= moved
            found[:, place] += moved
    return found


@given(st.integers(0, 10_000), st.integers(0, 3), st.sampled_from([3, 12, 40]))
@settings(max_examples=4, deadline=None)
def test_who_hides_answers_has_no_smaller_gap(seed: int, category: int, items: int) -> None:
    shown = contestant(seed, items)
    hiding = list(shown)
    hiding[category] = hidden(np.random.default_rng(seed), shown[category])
    assert value(hiding)[category] >= value(shown)[category] - 1e-9


def test_tied_numbers_are_normal_and_alike_for_who_answers_alike() -> None:
    chance = np.random.default_rng(4)
    items = contestant(7, 50)
    multipliers = [chance.standard_normal((50, 4_000)) for _ in items]
    one, same = (tied(items, multipliers, normal_numbers(4, seed)[:4_000]) for seed in (1, 2))
    covariance = np.cov(one.T)
    assert np.abs(covariance - np.eye(columns(4))).max() < 0.1  # six standard errors are 6 / √4,000
    assert np.corrcoef(one[:, 0], same[:, 0])[0, 1] > 0.999 and abs(np.corrcoef(one[:, -1], same[:, -1])[0, 1]) < 0.1


def test_intervals_hold_the_truth() -> None:
    found = shares_held("dirichlet", 16, 1, normals=500)
    assert found["apart"] > 0.88 and found["gap"] > 0.88 and found["right_sign"] > 0.95


def test_a_posterior_settles() -> None:
    for seed in range(5):
        data = [identified.binomials(identified.sums(rows, 10)) for rows in contestant(seed)]
        mode = posterior([sums(rows, 10) for rows in contestant(seed)]).mode
        assert np.abs(bent(mode, data)[0]).max() < 1e-6
