"""Adds a bias for what is relevant to the attention logits of a network of `transformers`.

It is that of section 4.3 and appendix F.2 of An et al. Any network will do that calls its attention by the interface
that all new ones have. Its layers then attend by `softmax((A + strength * F(S)) / sqrt(d))`, equation 10: A are the
logits before they are divided, S the relevance of every token of the context. A layer divides by what its network
divides by, which is sqrt(d) nearly everywhere.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from weakref import WeakKeyDictionary

import torch
from transformers import AttentionInterface, AttentionMaskInterface
from transformers.integrations.sdpa_attention import sdpa_attention_forward
from transformers.masking_utils import sdpa_mask

NAME = "relevance_adjusted"
"""What the attention is called in a network's configuration."""
EPSILON = 1e-6


@dataclass(frozen=True)
class Adjustment:
    """How strongly attention is adjusted, and where: in which layers and at which steps of generation, from 0; None is
    all of them.

    A step is one pass through the network. `strength` is lambda; what it comes to in a weight depends on the width d of
    the heads, as the bias is divided by sqrt(d) with the logits. With 0 nothing is changed, not even a rounding.
    """

    strength: float
    layers: Collection[int] | None = None
    steps: Collection[int] | None = None


@dataclass
class Running:
    """An adjustment at work: the bias of every key, shape (batch, context), which step it is, and which layers have
    been adjusted so far.

    Of a layer that is put into `watched` each pass leaves there the weights of its last query, by which the next token
    is chosen: shape (batch, heads, keys).
    """

    adjustment: Adjustment
    bias: torch.Tensor
    step: int = -1
    reached: set[int] = field(default_factory=set)
    watched: dict[int, list[torch.Tensor]] = field(default_factory=dict)


_AT_WORK: WeakKeyDictionary[torch.nn.Module, Running] = WeakKeyDictionary()
"""By the layers' attention modules."""


def bipolar(relevance: torch.Tensor, counted: torch.Tensor) -> torch.Tensor:
    """Return (S - mean) / (standard deviation + epsilon) of relevance, shape (batch, context); equation 12.

    Mean and deviation are of the tokens that are `counted`, of the same shape, row by row; all others, such as padding,
    get 0. A row in which nothing is counted gets 0 throughout.
    """
    count = counted.sum(-1, keepdim=True).clamp(min=1)
    mean = torch.where(counted, relevance, 0).sum(-1, keepdim=True) / count
    apart = torch.where(counted, relevance - mean, 0)
    deviation = (apart.square().sum(-1, keepdim=True) / count).sqrt()
    return apart / (deviation + EPSILON)


@contextmanager
def adjusted(
    network: torch.nn.Module, relevance: torch.Tensor, counted: torch.Tensor, adjustment: Adjustment
) -> Iterator[Running]:
    """Let a network attend by relevance while this lasts; passes through it are counted as steps.

    `network`: a decoder of `transformers` that attends by `sdpa`, whose attention modules know their place
    (`layer_idx`). ValueError where none does, where a layer is named that it does not have, where relevance is no
    finite number, and, behind the first step that is chosen, where a layer is named that attends in another way.
    `relevance` and `counted` (true or false): of the tokens of the context, shape (batch, context); tokens that are
    generated after it have no bias.
    """
    layers = {module: module.layer_idx for module in network.modules() if isinstance(module_place(module), int)}
    if not layers:
        raise ValueError("the network has no attention that knows its layer: it cannot be adjusted")
    if beyond := set(adjustment.layers or ()) - set(layers.values()):
        raise ValueError(f"there is no layer {min(beyond)}: the network has {len(set(layers.values()))}, from 0")
    if relevance.shape != counted.shape or not torch.isfinite(relevance[counted]).all():
        raise ValueError("relevance is one finite number for every token that is counted")
    running = Running(adjustment, bipolar(torch.where(counted, relevance, 0), counted))

    before: Any = network.config._attn_implementation
    if before not in ("sdpa", NAME):
        raise ValueError(f"the network attends by {before}: it can be adjusted where it attends by sdpa")

    def count(*passed: Any) -> None:
        running.step += 1

    def look_back(*passed: Any) -> None:
        if missed := missed_layers(running):
            raise ValueError(missed)

    hooks = (network.register_forward_pre_hook(count), network.register_forward_hook(look_back))
    _AT_WORK.update(dict.fromkeys(layers, running))
    network.set_attn_implementation(NAME)
    try:
        yield running
    finally:
        network.set_attn_implementation(before)
        for hook in hooks:
            hook.remove()
        for module in layers:
            _AT_WORK.pop(module, None)


def module_place(module: torch.nn.Module) -> Any:
    """Return which layer a module says it is in; None for what says nothing."""
    return getattr(module, "layer_idx", None)


def missed_layers(running: Running) -> str | None:
    """Return which layers should have been adjusted by now and were not, in words."""
    adjustment = running.adjustment
    if not at_this_step(running):
        return None
    if missed := set(adjustment.layers or ()) - running.reached:
        return f"layer {min(missed)} attends in a way of its own, which takes no bias"
    if adjustment.layers is None and not running.reached:
        return "all layers attend in a way of their own, which takes no bias"
    return None


def attend(
    module: torch.nn.Module,
    query: torch.Tensor,
    key: torch.Tensor,
    value: torch.Tensor,
    attention_mask: torch.Tensor | None,
    **others: Any,
) -> tuple[torch.Tensor, None]:
    """Attend as `sdpa` does, in chosen layers at chosen steps with the bias. Queries have shape (batch, heads, queries,
    d), keys and values (batch, heads, keys, d).

    ValueError in a chosen layer that has sinks, which are weighed with the keys, or a window, whose keys are not those
    of the context in order.
    """
    running = _AT_WORK.get(module)
    if running is not None and chosen(running, module.layer_idx):
        for name in ("s_aux", "sliding_window"):
            if others.get(name) is not None:
                raise ValueError(f"layer {module.layer_idx} attends with {name}, beside which no bias is known")
        running.reached.add(module.layer_idx)
        scaling = others.get("scaling")
        factor = running.adjustment.strength * (query.shape[-1] ** -0.5 if scaling is None else scaling)
        attention_mask = factor * of_keys(running.bias, key) + allowed(attention_mask, query, key)
        others |= {"is_causal": False}
    found: tuple[torch.Tensor, None] = sdpa_attention_forward(module, query, key, value, attention_mask, **others)
    if running is not None and (watched := running.watched.get(module.layer_idx)) is not None:
        one_each = torch.eye(key.shape[2]).to(value).expand(*value.shape[:2], -1, -1)  # what comes out are the weights
        last = None if attention_mask is None else attention_mask[..., -1:, :]
        weights, _ = sdpa_attention_forward(module, query[:, :, -1:], key, one_each, last, **others)
        watched.append(weights[:, 0])
    return found


def chosen(running: Running, layer: int) -> bool:
    """Return whether a layer is adjusted at this step."""
    layers = running.adjustment.layers
    return at_this_step(running) and (layers is None or layer in layers)


def at_this_step(running: Running) -> bool:
    """Return whether anything is adjusted at this step."""
    adjustment = running.adjustment
    return adjustment.strength != 0 and (adjustment.steps is None or running.step in adjustment.steps)


def of_keys(bias: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """Return the bias of all keys, (batch, 1, 1, keys): 0 of those behind the context."""
    missing = key.shape[2] - bias.shape[-1]
    return torch.nn.functional.pad(bias, (0, missing)).to(key)[:, None, None, :]


def allowed(mask: torch.Tensor | None, query: torch.Tensor, key: torch.Tensor) -> torch.Tensor:
    """Return what is added to logits so that no query attends to what it may not: 0, or the least number there is.

    Without a mask a query attends to all keys up to its own place, the last query standing at the last key.
    """
    if mask is None:
        queries, keys = query.shape[2], key.shape[2]
        mask = torch.ones(queries, keys, dtype=torch.bool, device=key.device).tril(keys - queries)
    if mask.dtype != torch.bool:
        return mask
    least = torch.finfo(query.dtype).min
    return torch.zeros(mask.shape, dtype=query.dtype, device=query.device).masked_fill(~mask, least)


AttentionInterface.register(NAME, attend)
AttentionMaskInterface.register(NAME, sdpa_mask)
