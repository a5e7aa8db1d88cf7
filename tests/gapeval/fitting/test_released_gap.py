"""The released fit: golden values inside the spread, the same formulas in torch, and no model that changes another."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from stages.gapeval.shared.fitting import released
from stages.gapeval.shared.fitting.released import gap_of, loss_and_slope
from tests.gapeval.fitting.table_2 import RELEASED, shares_of


@pytest.mark.parametrize("model", RELEASED)
def test_what_the_released_code_gave_lies_near(model: str) -> None:
    assert np.abs(released.released(shares_of(model)) - np.array(RELEASED[model])).max() < 0.03


def in_torch(shares: np.ndarray, steps: int, torch: Any) -> np.ndarray:
    """The released loop, by torch's own gradients and AdamW, in double precision."""
    cells = torch.tensor(shares, dtype=torch.float64)
    right = torch.stack([cells[:, 0] + cells[:, 1], cells[:, 0] + cells[:, 2]], dim=1)
    chances = right.clamp(1e-5, 1 - 1e-5)
    theta = torch.nn.Parameter(torch.logit(chances))
    beta = torch.nn.Parameter(torch.zeros(2, dtype=torch.float64))
    centre = torch.nn.Parameter(theta.detach().mean(dim=0))
    raw = torch.nn.Parameter(torch.tensor([[0.1, 0.0], [0.05, 0.1]], dtype=torch.float64))
    optimizer = torch.optim.AdamW([theta, beta, centre, raw], lr=0.05, weight_decay=1e-4)
    best, lowest = theta.detach().clone(), float("inf")
    for _ in range(steps):
        optimizer.zero_grad()
        diagonal = torch.nn.functional.softplus(torch.diagonal(raw)) + 1e-4
        factor = torch.tril(raw, -1) + torch.diag(diagonal)
        apart = torch.linalg.solve_triangular(factor, (theta - centre).T, upper=False)
        logits = theta - beta
        log_right, log_wrong = torch.nn.functional.logsigmoid(logits), torch.nn.functional.logsigmoid(-logits)
        loss = -(1000 * right * log_right + 1000 * (1 - right) * log_wrong).sum() + (apart**2).sum() / 2
        loss = loss + len(cells) * diagonal.log().sum() + 1e-3 * ((beta**2).sum() + (centre**2).sum())
        loss.backward()
        optimizer.step()
        if loss.item() < lowest:
            best, lowest = theta.detach().clone(), loss.item()
    return best.numpy()


@pytest.mark.parametrize("model", RELEASED)
def test_torch_does_the_same(model: str) -> None:
    torch = pytest.importorskip("torch")
    shares = shares_of(model)
    expected = in_torch(shares, 30, torch)
    found = released.fitted(shares, np.float64, 30)
    assert np.abs(found - expected).max() < 1e-6  # later on rounding alone moves it: the fit is that unsteady


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
