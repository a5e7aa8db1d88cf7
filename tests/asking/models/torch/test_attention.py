"""Attention adjustment: weights are those of GENIUS' formula, and pictures become others by it and by nothing else."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
from PIL import Image
from transformers import DynamicCache

from gamut.asking.models.opening import open_model
from gamut.asking.models.torch import picture_codes, unified
from gamut.asking.models.torch.attention import adjusted_attention, bias_of, bipolar
from gamut.asking.models.torch.keywords import Keywords
from gamut.asking.requests import Create, Picture, Reply
from gamut.project.errors import UserError
from gamut.project.model_kinds import AttentionAdjustment
from gamut.project.roles import RoleModel
from gamut.project.settings import Endpoint, Settings
from tests import tiny_unified
from tests.fakes import encoded
from tests.tiny_unified import ask, model, opened

pytestmark = pytest.mark.usefixtures("one_thread")


def noise(seed: int, width: int, height: int) -> Picture:
    """A picture of which no two parts are alike."""
    blocks = np.random.default_rng(seed).integers(0, 256, (6, 6, 3), dtype=np.uint8)
    return Picture(encoded(Image.fromarray(blocks).resize((width, height)), "JPEG"))


FIRST, SECOND = noise(1, 64, 40), noise(2, 48, 64)
TASK = Create(("A", FIRST, "is a mip; this one is not:", SECOND, "Paint a mip."), ("image",), 64, 64, 3)
PLAIN = Create(("Paint a mip.",), ("image",), 64, 64, 4)


@pytest.fixture(scope="module")
def saved(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("attention")
    tiny_unified.janus(folder / "janus")
    tiny_unified.emu3(folder / "emu3")
    tiny_unified.emu3(folder / "mute", chats=False)
    return folder


@pytest.fixture
def said(monkeypatch: pytest.MonkeyPatch) -> Iterator[dict[str, Any]]:
    """The keywords that the network is taken to say, and how many requests it was asked about."""
    state: dict[str, Any] = {"words": ("edge", ""), "asked": 0}

    def keywords(asked: Any, requests: Sequence[Create]) -> list[Keywords]:
        state["asked"] += len(requests)
        return [Keywords(state["words"], None, [Reply(b"{}", "stop", 100, 10)]) for _ in requests]

    monkeypatch.setattr(unified, "ask_keywords", keywords)
    yield state


def test_the_bias_of_a_context_is_bipolar() -> None:
    """Mean 2, deviation sqrt((1 + 1 + 4 + 4) / 4) = sqrt(2.5): so 3 is 1 / 1.5811 = .6325."""
    expected = [0.6325, -0.6325, 1.2649, -1.2649]
    assert bipolar(torch.tensor([3.0, 1.0, 4.0, 0.0])).tolist() == pytest.approx(expected, abs=1e-4)
    assert bipolar(torch.ones(3)).tolist() == [0, 0, 0]


def test_relevance_is_that_of_what_stands_for_the_pictures(saved: Path) -> None:
    network = opened(saved / "emu3")
    tokens = picture_codes.canvas_of(network, TASK).tokens
    codes = {*network.weights.vocabulary_mapping.image_tokens}
    places = [place for place, token in enumerate(tokens) if token in codes]
    embed = network.weights.get_input_embeddings().weight.detach()
    first = 40 // 8 * (64 // 8)
    words = embed[network.tokenizer("edge", add_special_tokens=False)["input_ids"]].mean(0)
    cosines = torch.cosine_similarity(words, embed[[tokens[place] for place in places[:first]]], dim=-1)
    relevance = torch.cat([cosines, torch.ones(len(places) - first)])
    apart = relevance - relevance.mean()
    expected = apart / apart.square().mean().sqrt()
    bias = torch.tensor(bias_of(network, tokens, ("edge", "all")))
    assert torch.allclose(bias[places], expected, atol=1e-4)
    assert bias.count_nonzero() == len(places) and len(places) == first + 6 * 8


@pytest.mark.parametrize("padded", [False, True])
def test_weights_equal_the_formula(padded: bool, saved: Path) -> None:
    """softmax((A + λF) / √d) is softmax(A / √d) · exp(λF / √d), scaled to a sum of 1: on tiny heads d = 16."""
    network = opened(saved / "emu3")
    decoder = network.weights.get_decoder()
    network.weights.set_attn_implementation("eager")
    tokens = picture_codes.canvas_of(network, TASK).tokens
    bias = bias_of(network, tokens, ("edge", "all"))
    rows = torch.tensor([list(tokens), [0] * 9 + list(tokens)[9:]] if padded else [list(tokens)])
    mask = torch.ones_like(rows)
    mask[1:, :9] = 0
    biases = [bias, ()] if padded else [bias]

    def weights(adjustment: AttentionAdjustment | None) -> list[list[Any]]:
        """Of each of two passes, the context's and that of two tokens more, the weights of each layer."""
        cache, passes, seen = DynamicCache(config=decoder.config), [], mask
        for step, read in enumerate((rows, rows[:, -2:])):
            seen = mask if not step else torch.cat([mask, torch.ones(len(rows), 2, dtype=mask.dtype)], dim=1)
            out = decoder(input_ids=read, attention_mask=seen, past_key_values=cache, output_attentions=True)
            passes.append(list(out.attentions))
        return passes

    with torch.inference_mode():
        before = weights(None)
        adjustment = AttentionAdjustment(strength=7.0, layers=[1], steps=[1])
        with adjusted_attention(decoder, adjustment, biases, len(tokens)):
            after = weights(adjustment)
    [[context0, context1], [layer0, layer1]] = before
    assert torch.equal(after[0][0], context0) and torch.equal(after[0][1], context1), "step 0 is not chosen"
    assert torch.equal(after[1][0], layer0), "layer 0 is not chosen"
    factor = torch.exp(7.0 * torch.tensor([*bias, 0.0, 0.0]) / math.sqrt(16))
    expected = layer1[:1] * factor
    expected /= expected.sum(-1, keepdim=True)
    assert torch.allclose(after[1][1][:1], expected, atol=1e-5)
    assert (after[1][1][:1] - layer1[:1]).abs().max() > 0.01
    assert torch.allclose(after[1][1][1:], layer1[1:], atol=1e-6), "a context without a bias is attended to as ever"


def test_queries_of_the_context_attend_by_the_formula_and_to_nothing_behind_them(saved: Path) -> None:
    network = opened(saved / "emu3")
    decoder = network.weights.get_decoder()
    network.weights.set_attn_implementation("eager")
    rows, bias = torch.arange(8)[None], [0.0, 2.0, -1.0, 0.0, 0.0, 1.0, 0.0, -2.0]
    with torch.inference_mode():
        before = decoder(input_ids=rows, past_key_values=DynamicCache(config=decoder.config), output_attentions=True)
        with adjusted_attention(decoder, AttentionAdjustment(strength=3.0, layers=[0]), [bias], 8):
            after = decoder(input_ids=rows, past_key_values=DynamicCache(config=decoder.config), output_attentions=True)
    expected = before.attentions[0] * torch.exp(3.0 * torch.tensor(bias) / math.sqrt(16))
    expected /= expected.sum(-1, keepdim=True)
    assert torch.allclose(after.attentions[0], expected, atol=1e-5)
    assert not after.attentions[0][0, 0].triu(1).any()


def codes(folder: Path, adjustment: dict[str, Any] | None) -> list[bytes]:
    network = opened(folder, attention_adjustment=adjustment)
    assert not network.weights.get_decoder()._forward_pre_hooks
    return [reply.content for reply in ask(network, TASK, PLAIN)]


def test_pictures_are_others_by_strength_layers_and_steps(saved: Path, said: dict[str, Any]) -> None:
    plain = codes(saved / "emu3", None)
    assert codes(saved / "emu3", {"strength": 0}) == plain and not said["asked"], "λ = 0: the same bytes"
    strong = codes(saved / "emu3", {"strength": 60})
    assert said["asked"] == 1, "the picture by words alone is painted as ever"
    assert strong[0] != plain[0] and strong[1] == plain[1]
    assert codes(saved / "emu3", {"strength": 60}) == strong
    assert codes(saved / "emu3", {"strength": 60, "layers": [1]})[0] not in (plain[0], strong[0])
    said["words"] = ("all", "all")
    assert codes(saved / "emu3", {"strength": 60}) == plain, "where all matters alike nothing stands out"


def test_steps_before_the_chosen_ones_draw_the_same_codes(saved: Path) -> None:
    def drawn(adjustment: dict[str, Any] | None) -> list[int]:
        network = opened(saved / "emu3")
        canvas = picture_codes.canvas_of(network, TASK)
        canvas = picture_codes.replace(canvas, bias=bias_of(network, canvas.tokens, ("edge", "")))
        if adjustment is None:
            attending = None
        else:
            of, decoder = AttentionAdjustment.model_validate(adjustment), network.weights.get_decoder()
            attending = lambda biases, longest: adjusted_attention(decoder, of, biases, longest)  # noqa: E731
        found: list[int] = picture_codes.draw_codes(network, [canvas], attending).flatten().tolist()
        return found

    plain, late = drawn(None), drawn({"strength": 60, "steps": [*range(30, 64)]})
    assert late[:30] == plain[:30] and late != plain


def test_tokens_of_keywords_are_counted_and_their_failure_is_the_request_s(
    saved: Path, said: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    plain = ask(opened(saved / "emu3"), TASK)[0]
    found = ask(opened(saved / "emu3", attention_adjustment={"strength": 1}), TASK)[0]
    assert (found.input_tokens, found.output_tokens) == (plain.input_tokens + 100, plain.output_tokens + 10)
    monkeypatch.undo()  # what a random network says is no JSON
    network = opened(saved / "emu3", attention_adjustment={"strength": 1})
    failed, painted = ask(network, TASK, PLAIN)
    assert failed.finish in ("invalid", "length") and b"no keywords for its pictures" in failed.content
    assert painted.finish == "stop"


@pytest.mark.parametrize(
    ("family", "values", "said"),
    [
        ("janus", {"strength": 1}, "Janus paints only from words"),
        ("mute", {"strength": 1}, "without a chat template it cannot say what matters"),
        ("emu3", {"strength": 1, "layers": [0, 2]}, "there is no layer 2: the network has layers 0 to 1"),
    ],
)
def test_an_adjustment_that_cannot_be_is_refused_when_opened(
    family: str, values: dict[str, Any], said: str, saved: Path
) -> None:
    role = RoleModel("creator", "tiny", model(saved / family, attention_adjustment=values))
    settings = Settings(models={"tiny": Endpoint(weights=str(saved / family), device="cpu")})
    with pytest.raises(UserError) as error:
        open_model(role, settings)
    assert said in str(error.value) and "fix models.tiny.attention_adjustment" in str(error.value)
    assert "\n" not in str(error.value)


def test_a_model_that_paints_nothing_has_nothing_to_adjust(saved: Path) -> None:
    with pytest.raises(ValueError, match="`attention_adjustment` needs `painting`"):
        model(saved / "emu3", painting=None, attention_adjustment={"strength": 1})
