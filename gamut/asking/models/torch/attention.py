"""Attention adjustment while a unified model paints: what matters in the pictures it is given weighs more.

After section 4.3 and appendix F of An et al. The model names what matters in each picture (`keywords`), and S is the
similarity of each token of the picture to that. At chosen steps, chosen layers attend by softmax((A + strength · F(S))
/ √d), where F(S) = (S - mean) / (deviation + epsilon).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from gamut.asking.models.torch.chat_network import Network
from gamut.asking.models.torch.keywords import EVERYTHING
from gamut.project.model_kinds import AttentionAdjustment

EPSILON = 1e-6


def bias_of(network: Network, tokens: Sequence[int], keywords: Sequence[str]) -> list[float]:
    """Return F(S) for every token of Emu3's context; 0 for tokens that are not codes of a picture."""
    import torch

    marks = network.tokenizer.convert_tokens_to_ids(
        [network.tokenizer.image_wrapper_token, network.tokenizer.eof_token]
    )
    starts, ends = ([place for place, token in enumerate(tokens) if token == mark] for mark in marks)
    row_end = network.weights.vocabulary_mapping.eol_token_id
    pictures = [
        [place for place in range(start + 1, end) if tokens[place] != row_end]
        for start, end in zip(starts, ends, strict=False)  # the last start is that of the picture to be painted
    ]
    with torch.inference_mode():
        read = network.weights.get_input_embeddings()(torch.tensor(tokens, device=network.device)).float().cpu()
        relevance = [
            relevance_of(keyword, embedded_words(network, keyword), read[places])
            for keyword, places in zip(keywords, pictures, strict=True)
        ]
    bias = torch.zeros(len(tokens))
    bias[[place for places in pictures for place in places]] = bipolar(torch.cat(relevance))
    return bias.tolist()


def embedded_words(network: Network, keyword: str) -> Any:
    """Return the input embeddings of a keyword's tokens, (words, width); no control token is read."""
    import torch

    tokens = network.tokenizer(keyword, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    return network.weights.get_input_embeddings()(torch.tensor(tokens, dtype=torch.long, device=network.device)).cpu()


def relevance_of(keyword: str, words: Any, seen: Any) -> Any:
    """Return S of a picture's tokens, (tokens,): 1 for "all", 0 for no keyword, otherwise the cosine between each
    token's input embedding and the mean of the keyword's. The paper does not say how they are compared.
    """
    import torch

    if keyword == EVERYTHING or not len(words):
        return torch.full((len(seen),), float(keyword == EVERYTHING))
    return torch.cosine_similarity(words.float().mean(0), seen.float(), dim=-1)


def bipolar(relevance: Any) -> Any:
    """Equation 12, over all tokens of pictures in one context."""
    apart = relevance - relevance.mean()
    return apart / (apart.square().mean().sqrt() + EPSILON)


@contextmanager
def adjusted_attention(
    decoder: Any, adjustment: AttentionAdjustment, biases: Sequence[Sequence[float]], longest: int
) -> Iterator[None]:
    """Let a decoder attend with the bias of each context of a batch, padded on the left to `longest`. An empty one is 0
    everywhere, as is the bias of painted tokens. A step is one pass.
    """
    import torch

    rows = [[0.0] * (longest - len(bias)) + list(bias) for bias in biases]
    bias = torch.tensor(rows, device=next(decoder.parameters()).device)
    step = -1

    def count(*passed: Any) -> None:
        nonlocal step
        step += 1

    def add_bias(layer: Any, passed: Any, named: dict[str, Any]) -> Any:
        if adjustment.steps is not None and step not in adjustment.steps:
            return None
        states, past = named["hidden_states"], named["past_key_values"]
        queries = states.shape[1]
        keys = past.get_seq_length(layer.layer_idx) + queries
        mask = additive_mask(named["attention_mask"], queries, keys, states)
        of_keys = torch.nn.functional.pad(bias, (0, keys - longest))[:, None, None, :]
        factor = adjustment.strength * layer.scaling  # the bias is divided by √d with the logits
        return passed, named | {"attention_mask": mask + (factor * of_keys).to(states.dtype)}

    chosen = [layer.self_attn for layer in adjusted_layers(decoder, adjustment)]
    hooks = [decoder.register_forward_pre_hook(count)]
    hooks += [layer.register_forward_pre_hook(add_bias, with_kwargs=True) for layer in chosen]
    try:
        yield
    finally:
        for hook in hooks:
            hook.remove()


def adjusted_layers(decoder: Any, adjustment: AttentionAdjustment) -> list[Any]:
    """Return the layers of a decoder that are adjusted. Raise ValueError for a layer that it does not have."""
    layers = list(decoder.layers)
    if beyond := [number for number in adjustment.layers or () if number >= len(layers)]:
        raise ValueError(f"there is no layer {beyond[0]}: the network has layers 0 to {len(layers) - 1}")
    return layers if adjustment.layers is None else [layers[number] for number in adjustment.layers]


def additive_mask(mask: Any, queries: int, keys: int, like: Any) -> Any:
    """Return the terms that are added to logits to mask keys. Without a mask, a query attends to all keys up to its own
    position; the last query is at the last key.
    """
    import torch

    if mask is None:
        mask = torch.ones(queries, keys, dtype=torch.bool, device=like.device).tril(keys - queries)[None, None]
    if mask.dtype != torch.bool:
        return mask
    return torch.zeros(mask.shape, dtype=like.dtype, device=like.device).masked_fill(~mask, torch.finfo(like.dtype).min)
