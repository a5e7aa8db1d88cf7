"""Theorems 4.1 and 4.2: attending to a context is as moved weights without it, for the vector of one token.

As printed both contradict their proofs. Here equation 8 is normalised as equation 4 is, and equation 5 read as: moved
weights without context give what old weights give with it. A block as in appendix G.1, of one head: attention with what
it is added to, then normalised, up, down, and a bias.
"""

from __future__ import annotations

from typing import NamedTuple

import pytest

pytest.importorskip("torch")

import torch

WIDTH, WIDER, TOKENS = 12, 24, 7


class Block(NamedTuple):
    """The weights of one block: queries, keys and values, up and down, and the bias behind them."""

    query: torch.Tensor
    key: torch.Tensor
    value: torch.Tensor
    up: torch.Tensor
    down: torch.Tensor
    bias: torch.Tensor


def normalised(vector: torch.Tensor) -> torch.Tensor:
    """x / RMS(x), equation 3."""
    return vector / vector.square().mean(-1, keepdim=True).sqrt()


def attention(block: Block, context: torch.Tensor, token: torch.Tensor) -> torch.Tensor:
    """A(u, g), equations 19 to 23: `context` (tokens, width), `token` (width,), which attends to itself too."""
    seen = normalised(torch.cat([context, token[None]]))
    weights = torch.softmax(seen @ block.key.T @ (block.query @ normalised(token)) / WIDTH**0.5, -1)
    return weights @ (seen @ block.value.T) + token


def layer(block: Block, attended: torch.Tensor) -> torch.Tensor:
    """L(u, g) of what was attended to, equation 18."""
    return attended + block.down @ torch.nn.functional.silu(block.up @ normalised(attended)) + block.bias


def moved_up(block: Block, attended: torch.Tensor, base: torch.Tensor) -> torch.Tensor:
    """What Up changes by, equation 3 with equation 4: from attending to `base` to attending to `attended`."""
    apart = normalised(attended) - normalised(base)
    return torch.outer(block.up @ apart, normalised(base)) / normalised(base).square().sum()


def drawn(seed: int) -> tuple[Block, torch.Tensor, torch.Tensor]:
    """A block, a context and a token."""
    chance = torch.Generator().manual_seed(seed)

    def normal(*shape: int) -> torch.Tensor:
        return torch.randn(*shape, generator=chance, dtype=torch.float64)

    square = [normal(WIDTH, WIDTH) / WIDTH**0.5 for _ in range(3)]
    block = Block(*square, normal(WIDER, WIDTH) / 3, normal(WIDTH, WIDER) / 3, normal(WIDTH))
    return block, normal(TOKENS, WIDTH), normal(WIDTH)


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("kept", [0, 3, 6])
def test_a_context_is_as_moved_weights_with_less_of_it(seed: int, kept: int) -> None:
    """Theorem 4.1: u with the weights is u' with the moved ones."""
    block, context, token = drawn(seed)
    whole, part = attention(block, context, token), attention(block, context[:kept], token)
    moved = block._replace(up=block.up + moved_up(block, whole, part), bias=block.bias + whole - part)
    assert torch.allclose(layer(moved, part), layer(block, whole), atol=1e-4, rtol=0)
    assert not torch.allclose(layer(block, part), layer(block, whole), atol=1e-1, rtol=0)


@pytest.mark.parametrize("seed", range(5))
def test_each_token_of_a_context_is_a_step_of_gradient_descent(seed: int) -> None:
    """Theorem 4.2: Up goes down the gradient of tr(Delta^T Up) by 1 / |N(A(g))|^2, b down that of tr(delta^T b) by 1;
    and after i steps the weights without context give what the first ones give with i tokens of it.
    """
    block, context, token = drawn(seed)
    attended = [attention(block, context[:count], token) for count in range(TOKENS + 1)]
    [alone, *_] = attended
    rate = 1 / normalised(alone).square().sum()
    up, bias = block.up, block.bias
    for i in range(TOKENS):
        now, following = attended[i], attended[i + 1]
        at = up.clone().requires_grad_()
        direction = torch.outer(block.up @ (normalised(now) - normalised(following)), normalised(alone))
        [slope] = torch.autograd.grad(torch.trace(direction.T @ at), at)
        at_bias = bias.clone().requires_grad_()
        [slope_of_bias] = torch.autograd.grad((now - following) @ at_bias, at_bias)
        up, bias = up - rate * slope, bias - slope_of_bias
        assert torch.allclose(up, block.up + moved_up(block, following, alone), atol=1e-4, rtol=0)
        stepped = block._replace(up=up, bias=bias)
        assert torch.allclose(layer(stepped, alone), layer(block, following), atol=1e-4, rtol=0)


def test_as_printed_equation_8_misses() -> None:
    """There the difference is not normalised: what comes out is another vector."""
    block, context, token = drawn(0)
    whole, alone = attention(block, context, token), attention(block, context[:0], token)
    step = torch.outer(block.up @ (whole - alone), normalised(alone)) / normalised(alone).square().sum()
    moved = block._replace(up=block.up + step, bias=block.bias + whole - alone)
    assert (layer(moved, alone) - layer(block, whole)).abs().max() > 0.1
