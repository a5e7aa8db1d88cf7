"""The released fit: golden values inside the spread, the steps of torch, and no model that changes another."""

from __future__ import annotations

import numpy as np
import pytest

from stages.gapeval import released
from stages.gapeval.released import gaps_of_fit, loss_and_slope

SHARES = {
    "Bagel": [[52.24, 88.17, 58.50], [2.40, 17.00, 8.40], [46.38, 59.15, 75.74], [2.49, 35.67, 5.38]],
    "GPT-Image-1": [[66.67, 95.91, 68.03], [7.00, 25.00, 10.00], [86.17, 95.74, 90.43], [50.98, 73.02, 56.07]],
}
"""Of two models as they are printed: of each category what is right in both settings, in words, and as a picture."""
RELEASED = {"Bagel": [0.5285, 0.8666, 0.3812, 0.9209], "GPT-Image-1": [0.5472, 0.8703, 0.2573, 0.4271]}
"""Gaps of the released code, on the shares that follow."""


def shares_of(model: str) -> np.ndarray:
    """Joint shares p11, p10, p01, p00 of each category, shape (4, 4): what remains below 0 is 0, and all sum to 1."""
    succ, und, gen = np.transpose(SHARES[model]) / 100
    shares = np.maximum(np.stack([succ, und - succ, gen - succ, 1 - und - gen + succ], axis=1), 0)
    return shares / shares.sum(axis=1, keepdims=True)


@pytest.mark.parametrize("model", RELEASED)
def test_what_the_released_code_gave_lies_near(model: str) -> None:
    assert np.abs(released.released_gap(shares_of(model)) - np.array(RELEASED[model])).max() < 0.03


BY_TORCH = {
    "Bagel": [[2.011568, 0.332784], [-1.575334, -2.395571], [0.391677, 1.124483], [-0.588354, -2.853997]],
    "GPT-Image-1": [[3.120668, 0.739468], [-1.085022, -2.196307], [3.108654, 2.210836], [1.013346, 0.222098]],
}
"""Abilities after 30 steps of torch.optim.AdamW (torch 2.13) down the same loss, in double precision."""


@pytest.mark.parametrize("model", BY_TORCH)
def test_the_first_steps_are_those_of_torch(model: str) -> None:
    found = released.fit_abilities(shares_of(model), np.float64, 30)
    assert np.abs(found - BY_TORCH[model]).max() < 2e-6  # later on rounding alone moves it: the fit is that unsteady


def test_slopes_are_those_of_the_loss() -> None:
    chance = np.random.default_rng(1)
    values, right = chance.normal(0, 0.5, (15, 1)), chance.uniform(0, 1000, (4, 2, 1))
    slope = loss_and_slope(values, right)[1]
    for place in range(15):
        step = np.zeros_like(values)
        step[place] = 1e-6
        by_hand = (loss_and_slope(values + step, right)[0] - loss_and_slope(values - step, right)[0]) / 2e-6
        assert by_hand[0] == pytest.approx(slope[place, 0], rel=1e-5, abs=1e-3)


def test_nobody_changes_anybody() -> None:
    shares = np.stack([shares_of(model) for model in RELEASED])
    together = released.fit_abilities(shares, np.float32, 40)
    assert all(
        np.array_equal(released.fit_abilities(own, np.float32, 40), of)
        for own, of in zip(shares, together, strict=True)
    )


def test_the_gap_is_the_published_formula() -> None:
    # Δθ = 1: g = 1/2, logit 0; σ(0 + 2.7 · .2 - 1.05 · .4) = σ(.12) = .52996
    assert gaps_of_fit(np.array([1.5, 0.5]), np.array([0.4, 0.3, 0.1, 0.2])) == pytest.approx(0.52996, abs=1e-5)
    assert gaps_of_fit(np.zeros(2), np.array([0.0, 0.5, 0.5, 0.0])) == pytest.approx(1e-6)  # clipped
