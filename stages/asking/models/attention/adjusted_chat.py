"""A chat model whose attention is adjusted: what it is asked for first, and what that changes while it replies.

Of each conversation with pictures it says which part of each matters (`keywords`); how near the tokens of the pictures
are to that (`relevance`) is then added to its attention (`adjusting`). A conversation without pictures is answered as
ever.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Any

import torch

from stages.asking.models.attention.adjusting import Adjustment, adjusted
from stages.asking.models.attention.keywords import Distilled, distilled
from stages.asking.models.attention.relevance import of_context, of_picture, padded
from stages.asking.models.chat_network import Network
from stages.asking.models.chat_prompts import Prompt
from stages.asking.requests import Reply, Request
from stages.project.errors import UserError

Generated = Callable[..., list[Reply]]
"""Answers a batch of requests, by keywords of the pictures of each where they are given (`transformers.generated`)."""


def require_adjustable(network: Network, slug: str) -> None:
    """Raise UserError where an adjustment is asked for that this network cannot take; one pass is made to find out."""
    if network.model.attention_adjustment is None:
        return
    mend = f"mend models.{slug}.attention_adjustment in params.yaml, or take it out"
    if network.look is None:
        raise UserError(f"{network.name}: a {network.kind!r} sees no pictures, by which attention is adjusted: {mend}")
    asked = adjustment_of(network)
    probe = Adjustment(strength=1.0, layers=asked.layers, steps=[0])
    tokens = torch.zeros(1, 2, dtype=torch.long, device=network.device)
    decoder = network.weights.get_decoder()
    try:
        with torch.inference_mode(), adjusted(decoder, torch.zeros(1, 2), torch.ones(1, 2, dtype=torch.bool), probe):
            decoder(input_ids=tokens)
    except ValueError as error:
        raise UserError(f"{network.name}: its attention cannot be adjusted, as {error}: {mend}") from None


def adjustment_of(network: Network) -> Adjustment:
    """Return the adjustment that params.yaml asks for."""
    asked = network.model.attention_adjustment
    assert asked is not None
    return Adjustment(asked.strength, asked.layers, asked.steps)


def adjusted_replies(generated: Generated, requests: Sequence[Request]) -> list[Reply]:
    """Answer a batch by what its pictures' keywords make relevant; tokens count those of the keywords too.

    A request whose keywords cannot be had fails alone, and says so: it is not answered without an adjustment.
    """
    found = distilled(generated, requests)
    usable = [number for number, one in enumerate(found) if one.failure is None]
    answers = generated([requests[n] for n in usable], [found[n].keywords for n in usable]) if usable else []
    by_number = dict(zip(usable, answers, strict=True))
    return [with_all_tokens(one.failure or by_number[number], one) for number, one in enumerate(found)]


def with_all_tokens(reply: Reply, found: Distilled) -> Reply:
    """Return a reply with the tokens of its keywords added to its own."""
    read, written = (sum(getattr(one, name) for one in found.replies) for name in ("input_tokens", "output_tokens"))
    return replace(reply, input_tokens=reply.input_tokens + read, output_tokens=reply.output_tokens + written)


def attending(network: Network, prompts: Sequence[Prompt], longest: int) -> AbstractContextManager[Any]:
    """Return what adjusts the network while it replies to a batch, shorter conversations padded on the left to the
    length of the `longest`.
    """
    stand = [torch.tensor(prompt.tokens) == network.weights.config.image_token_id for prompt in prompts]
    counted = [places if prompt.keywords else places & False for prompt, places in zip(prompts, stand, strict=True)]
    relevance = [relevance_of(network, prompt, places) for prompt, places in zip(prompts, counted, strict=True)]
    device = network.device
    return adjusted(
        network.weights.get_decoder(),
        padded(relevance, longest).to(device),
        padded(counted, longest).to(device),
        adjustment_of(network),
    )


def relevance_of(network: Network, prompt: Prompt, counted: torch.Tensor) -> torch.Tensor:
    """Return the relevance of a conversation's tokens, shape (tokens,), on the processor; 0 where none is counted."""
    if not prompt.keywords:
        return torch.zeros(counted.shape)
    seen = torch.split(embedded_pictures(network, prompt), list(prompt.seen))
    of_pictures = [
        of_picture(keyword, embedded_words(network, keyword), tokens)
        for keyword, tokens in zip(prompt.keywords, seen, strict=True)
    ]
    return of_context(of_pictures, counted)


def embedded_pictures(network: Network, prompt: Prompt) -> torch.Tensor:
    """Return what the decoder reads for the tokens of a conversation's pictures, (tokens, width), on the processor."""
    pictures = {name: tensor.to(network.device) for name, tensor in prompt.pictures.items()}
    found = network.weights.get_image_features(**pictures).pooler_output  # a picture or a tile each
    return torch.cat([one.flatten(0, -2) for one in found]).cpu()


def embedded_words(network: Network, keyword: str) -> torch.Tensor:
    """Return the input embeddings of a keyword's tokens, (words, width), on the processor; no control token is read."""
    tokens = network.tokenizer(keyword, add_special_tokens=False, split_special_tokens=True)["input_ids"]
    embed = network.weights.get_input_embeddings()
    return embed(torch.tensor(tokens, dtype=torch.long, device=network.device)).cpu()
