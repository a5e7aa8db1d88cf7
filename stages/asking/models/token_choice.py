"""Which token is taken: the likeliest, or one drawn by each record's own seed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any


def sampler(temperature: float, top_p: float, seeds: Sequence[int]) -> Callable[[Any, Any], Any]:
    """Return a step of `generate` that makes its likeliest token a sampled one, by each record's own seed.

    The sampling of `generate` draws from one generator for a whole batch, so that a reply would depend on its
    neighbours. Here each record has its own generator, on the CPU whatever the device: adding Gumbel noise to the
    logarithms of probabilities and taking the largest is drawing by these probabilities.
    """
    import torch

    generators = [torch.Generator("cpu").manual_seed(seed) for seed in seeds]

    def choose(tokens: Any, scores: Any) -> Any:
        scores = scores.float() / temperature
        if top_p < 1:
            largest, places = scores.sort(descending=True, stable=True)
            shares = largest.softmax(-1)
            beyond = shares.cumsum(-1) - shares >= top_p  # the likelier ones have that much without it
            scores = scores.masked_fill(beyond.scatter(-1, places, beyond), -torch.inf)
        waits = torch.stack([torch.empty(scores.shape[-1]).exponential_(generator=one) for one in generators])
        return scores - waits.clamp(min=torch.finfo(waits.dtype).tiny).log().to(scores.device)

    return choose
