"""The released fit: golden values inside the spread, the steps of torch, and no model that changes another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stages.gapeval.shared.fitting import released
from stages.gapeval.shared.fitting.released import gap_of, loss_and_slope

TABLE = """
Bagel 52.24 88.17 58.50 56.67 2.40 17.00 8.40 84.87 46.38 59.15 75.74 57.38 2.49 35.67 5.38 87.14 71.52
OneCAT 57.14 88.26 62.92 33.14 2.75 9.00 9.75 62.33 23.67 50.00 41.22 37.51 0.66 20.66 1.56 85.36 54.73
UniWorld-V1 87.84 93.28 92.74 12.60 1.00 10.60 3.60 84.68 28.51 62.13 46.60 70.46 1.11 36.78 1.44 86.11 63.47
UniPic2 39.29 79.60 41.16 65.23 1.75 15.00 7.50 82.37 51.86 66.75 58.77 45.69 7.86 34.18 3.93 82.61 68.97
Show-o2 49.32 86.31 55.84 51.02 7.00 16.16 15.15 71.24 21.28 70.22 32.98 70.77 2.63 22.37 3.62 78.31 67.83
OmniGen2 29.93 86.22 35.54 81.57 2.00 9.25 3.50 91.55 3.99 9.58 55.59 92.36 1.23 17.21 4.43 92.40 89.47
Ovis-U1 37.82 87.34 43.13 75.06 1.00 13.00 3.00 91.51 29.36 68.51 44.04 77.86 1.70 25.37 2.62 92.00 84.10
Ming-UniVision 25.00 78.64 31.03 73.25 0.00 6.90 0.00 94.87 26.47 72.37 35.71 70.47 1.82 10.19 1.82 82.90 80.37
EMU3.5 47.68 60.12 58.33 14.03 0.00 3.00 0.00 93.24 33.33 76.92 35.71 73.23 1.38 11.01 7.02 80.68 65.30
Gemini2.5-Flash 59.18 94.55 62.58 51.47 0.00 19.00 1.00 87.08 64.89 73.40 77.66 30.17 12.83 61.32 30.50 81.77 62.91
GPT-Image-1 66.67 95.91 68.03 44.45 7.00 25.00 10.00 83.87 86.17 95.74 90.43 20.83 50.98 73.02 56.07 53.29 50.61
"""
PRINTED = {name: [float(cell) for cell in cells] for name, *cells in map(str.split, TABLE.split("\n")[1:-1])}
RELEASED = {"Bagel": [0.5285, 0.8666, 0.3812, 0.9209], "GPT-Image-1": [0.5472, 0.8703, 0.2573, 0.4271]}
"""Gaps of the released code, on the shares that follow."""


def shares_of(model: str) -> np.ndarray:
    """Joint shares p11, p10, p01, p00 of each category, shape (4, 4): what remains below 0 is 0, and all sum to 1."""
    succ, und, gen, _ = np.reshape(PRINTED[model][:16], (4, 4)).T / 100
    shares = np.maximum(np.stack([succ, und - succ, gen - succ, 1 - und - gen + succ], axis=1), 0)
    return shares / shares.sum(axis=1, keepdims=True)


def printed_gaps(model: str) -> np.ndarray:
    """Of each category, and of the model, 0..100, shape (5,)."""
    return np.array([*PRINTED[model][3:16:4], PRINTED[model][16]])


@pytest.mark.parametrize("model", RELEASED)
def test_what_the_released_code_gave_lies_near(model: str) -> None:
    assert np.abs(released.released(shares_of(model)) - np.array(RELEASED[model])).max() < 0.03


BY_TORCH = {
    "Bagel": [[2.011568, 0.332784], [-1.575334, -2.395571], [0.391677, 1.124483], [-0.588354, -2.853997]],
    "GPT-Image-1": [[3.120668, 0.739468], [-1.085022, -2.196307], [3.108654, 2.210836], [1.013346, 0.222098]],
}
"""Abilities after 30 steps of torch.optim.AdamW (torch 2.13) down the same loss, in double precision."""


@pytest.mark.parametrize("model", BY_TORCH)
def test_the_first_steps_are_those_of_torch(model: str) -> None:
    found = released.fitted(shares_of(model), np.float64, 30)
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
    together = released.fitted(shares, np.float32, 40)
    assert all(
        np.array_equal(released.fitted(own, np.float32, 40), of) for own, of in zip(shares, together, strict=True)
    )


def test_the_gap_is_the_published_formula() -> None:
    # Δθ = 1: g = 1/2, logit 0; σ(0 + 2.7 · .2 - 1.05 · .4) = σ(.12) = .52996
    assert gap_of(np.array([1.5, 0.5]), np.array([0.4, 0.3, 0.1, 0.2])) == pytest.approx(0.52996, abs=1e-5)
    assert gap_of(np.zeros(2), np.array([0.0, 0.5, 0.5, 0.0])) == pytest.approx(1e-6)  # clipped


@pytest.mark.parametrize(
    "shares", [[0.5, 0.5, 0, 0], [[0.5, 0.5, 0.1, 0]], [[1.1, -0.1, 0, 0]], [[np.nan, 0, 0, 1]], [[0.5, 0.5, 0]]]
)
def test_what_are_no_shares_is_refused(shares: list[Any]) -> None:
    with pytest.raises(ValueError, match="shares"):
        released.released(np.array(shares))
