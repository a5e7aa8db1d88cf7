"""Chat models whose attention is adjusted: tiny ones of several families, from a request to its reply."""

from __future__ import annotations

import asyncio
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from PIL import Image

from stages.asking.models import transformers
from stages.asking.models.attention.adjusted_chat import (
    adjusted_replies,
    embedded_pictures,
    embedded_words,
    relevance_of,
    require_adjustable,
)
from stages.asking.models.chat_network import Network
from stages.asking.models.chat_prompts import prompt_of
from stages.asking.requests import Create, Picture, Reply, Request
from stages.project.errors import UserError
from stages.project.settings import Endpoint
from tests import tiny_chat_models
from tests.fakes import encoded
from tests.tiny_chats import chat, model, opened

FAMILIES = ("qwen2_5_vl", "internvl")


def noise(seed: int, width: int, height: int) -> Picture:
    """A picture of which no two parts are alike."""
    blocks = np.random.default_rng(seed).integers(0, 256, (6, 6, 3), dtype=np.uint8)
    return Picture(encoded(Image.fromarray(blocks).resize((width, height)), "JPEG"))


FIRST, SECOND = noise(1, 90, 40), noise(2, 60, 64)


def free(*parts: str | Picture, seed: int = 3) -> Create:
    return Create(parts, ("text",), 0, 0, seed)


SHORT, LONG = free(FIRST, "Why?"), free("A", FIRST, "is a mip; this one is not:", SECOND, "What is a mip?")
KEYWORDS = (("all",), ("edge", ""))


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("adjusted")
    for family in (*FAMILIES, "qwen3_5", "qwen2"):
        getattr(tiny_chat_models, family)(folder / family)
    return folder


def replies(network: Network, requests: list[Request], keywords: Any = None) -> list[bytes]:
    return [reply.content for reply in transformers.generated(network, "tiny", requests, keywords)]


@pytest.mark.parametrize("family", FAMILIES)
def test_attention_decides_what_is_written(family: str, saved: Path) -> None:
    """By the keywords, in chosen layers, at chosen steps; with a strength of 0 the bytes are as without."""
    plain = replies(opened(saved / family), [LONG])
    found = {}
    for name, asked in {
        "none": {"strength": 0},
        "all": {"strength": 60},
        "layer": {"strength": 60, "layers": [1]},
        "later": {"strength": 60, "steps": [3]},
    }.items():
        network = opened(saved / family, attention_adjustment=asked)
        assert replies(network, [LONG]) == plain  # where no keywords are given
        found[name] = replies(network, [LONG], [("edge", "")])
        assert replies(network, [LONG], [("", "")]) == plain  # all alike: none stands out
        assert replies(network, [LONG], [("all", "all")]) == plain
    assert found["none"] == plain
    assert found["all"] != plain and found["layer"] not in (plain, found["all"])
    assert found["later"] != found["all"]
    assert replies(opened(saved / family, attention_adjustment={"strength": 60}), [LONG], [("", "all")]) != found["all"]


@pytest.mark.parametrize("family", FAMILIES)
def test_a_padded_batch_replies_as_single_runs(family: str, saved: Path) -> None:
    network = opened(saved / family, attention_adjustment={"strength": 9})
    prompts = [prompt_of(network, request) for request in (SHORT, LONG, free("No picture."))]
    for prompt, keywords in zip(prompts, (*KEYWORDS, ()), strict=True):
        object.__setattr__(prompt, "keywords", keywords)
    assert len({len(prompt.tokens) for prompt in prompts}) == 3
    together = transformers.answered(network, prompts)
    assert together == [reply for prompt in prompts for reply in transformers.answered(network, [prompt])]


@pytest.mark.parametrize("family", FAMILIES)
def test_relevance_is_that_of_what_the_network_reads(family: str, saved: Path) -> None:
    """What stands for pictures in the decoder's input, and the cosines of it with the keyword's own embeddings."""
    network = opened(saved / family, attention_adjustment={"strength": 1})
    prompt = prompt_of(network, LONG)
    object.__setattr__(prompt, "keywords", ("edge", "all"))
    stand = torch.tensor(prompt.tokens) == network.weights.config.image_token_id
    read = []
    with torch.inference_mode():
        hook = network.weights.get_decoder().register_forward_pre_hook(
            lambda module, arguments, named: read.append(named["inputs_embeds"][0]), with_kwargs=True
        )
        transformers.answered(network, [prompt])
        hook.remove()
        assert torch.allclose(read[0][stand], embedded_pictures(network, prompt), atol=1e-6)
        relevance = relevance_of(network, prompt, stand)
        words = embedded_words(network, "edge")
    assert words.shape == (4, 32)  # a byte each
    first, second = torch.split(relevance[stand], list(prompt.seen))
    expected = torch.cosine_similarity(words.mean(0), read[0][stand][: len(first)], dim=-1)
    assert torch.allclose(first, expected, atol=1e-5) and first.std() > 0
    assert (second == 1).all() and (relevance[~stand] == 0).all()
    assert embedded_words(network, "").shape == (0, 32)
    assert len(embedded_words(network, "<|im_end|>")) == len("<|im_end|>")  # as plain text


def test_a_model_is_asked_what_matters_before_it_replies(saved: Path, tmp_path: Path) -> None:
    """One that always says the same: its keywords are read, and both conversations' tokens are counted."""
    said = '{"image 1": "the red edge"}'
    folder = tiny_chat_models.always(tiny_chat_models.qwen2_5_vl(tmp_path / "says"), said)
    named = Endpoint(weights=str(folder))

    def answers(request: Request, **values: Any) -> Reply:
        ready = transformers.open_transformers("x (tiny)", "tiny", model(folder, **values), named, "x")
        try:
            return asyncio.run(ready.answer(request))
        finally:
            asyncio.run(ready.close())

    plain = answers(SHORT)
    found = answers(SHORT, attention_adjustment={"strength": 2, "layers": [0]})
    assert found.content == plain.content == said.encode()
    assert found.output_tokens == 2 * plain.output_tokens and found.input_tokens > 2 * plain.input_tokens
    assert answers(free("No picture."), attention_adjustment={"strength": 2}) == answers(free("No picture."))
    two = answers(LONG, attention_adjustment={"strength": 2})
    assert two.finish == "invalid" and two.content == b"no keywords for its pictures: <image 2>: Field required"


def test_without_keywords_a_request_fails_alone(saved: Path) -> None:
    network = opened(saved / "internvl", attention_adjustment={"strength": 2})
    generated = partial(transformers.generated, network, "tiny")
    pictured, plain, judged = adjusted_replies(generated, [SHORT, free("No picture."), chat(FIRST, "?")])
    for failed in (pictured, judged):
        assert failed.finish in ("invalid", "length")
        assert failed.content.startswith(b"no keywords for its pictures: ")
    assert [plain] == generated([free("No picture.")])


def complaint(folder: Path, role: str = "judge", **asked: Any) -> str:
    """What opening a model for a role ends with: one line."""
    values: dict[str, Any] = {"attention_adjustment": {"strength": 1} | asked}
    if role == "image_embedder":
        values["sampling"] = {"max_tokens": None}
    with pytest.raises(UserError) as caught:
        transformers.open_transformers(
            f"{role} (tiny)", "tiny", model(folder, **values), Endpoint(weights=str(folder)), role
        )
    text = str(caught.value)
    assert text.startswith(f"{role} (tiny): ") and "\n" not in text
    return text


def test_what_cannot_be_adjusted_is_said_when_it_is_opened(saved: Path) -> None:
    beyond = complaint(saved / "qwen2_5_vl", layers=[1, 2])
    assert "its attention cannot be adjusted, as there is no layer 2: the network has 2, from 0" in beyond
    assert beyond.endswith("mend models.tiny.attention_adjustment in params.yaml, or take it out")
    assert "layer 0 attends in a way of its own" in complaint(saved / "qwen3_5", layers=[0])
    assert "a 'qwen2' sees no pictures" in complaint(saved / "qwen2")
    assert "attention_adjustment means nothing to this kind of model" in complaint(saved / "qwen2", "image_embedder")


def test_all_layers_are_those_that_can_be(saved: Path) -> None:
    """One of two layers attends by linear attention, which has no logits."""
    require_adjustable(opened(saved / "qwen3_5", attention_adjustment={"strength": 1}), "tiny")
    require_adjustable(opened(saved / "qwen3_5", attention_adjustment={"strength": 1, "layers": [1]}), "tiny")
