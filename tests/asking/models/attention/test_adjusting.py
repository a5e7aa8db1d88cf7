"""Attention by relevance: exactly the bias of equation 10, and only where it was asked for."""

from __future__ import annotations

from functools import cache
from typing import Any

import pytest

pytest.importorskip("torch")

import torch
import transformers

from stages.asking.models.attention.adjusting import NAME, Adjustment, adjusted, attend, bipolar

torch.set_num_threads(1)
SIZES: dict[str, Any] = {
    "vocab_size": 64,
    "hidden_size": 32,
    "intermediate_size": 48,
    "num_hidden_layers": 3,
    "num_attention_heads": 4,
    "initializer_range": 0.3,
    "pad_token_id": 0,
    "bos_token_id": None,
    "eos_token_id": None,
}
FAMILIES = {
    "llama": (transformers.LlamaConfig, transformers.LlamaForCausalLM, {"num_key_value_heads": 2}),
    "qwen3": (transformers.Qwen3Config, transformers.Qwen3ForCausalLM, {"num_key_value_heads": 4, "head_dim": 16}),
}
ALL_LAYERS, STEPS = (0, 1, 2), (0, 1, 2, 3)
TOKENS = torch.tensor([[5, 9, 33, 7, 60, 12, 8, 41]])
RELEVANCE = torch.tensor([[0.9, 0.1, 0.2, 0.7, 0.0, 0.4, 0.3, 0.6]])
COUNTED = torch.tensor([[True, True, True, True, True, True, False, False]])


@cache
def network(family: str) -> Any:
    """A tiny decoder with random weights."""
    config, kind, own = FAMILIES[family]
    torch.manual_seed(3)
    return kind(config(**SIZES, **own)).eval()


def logits(family: str, tokens: torch.Tensor = TOKENS, **given: Any) -> torch.Tensor:
    with torch.no_grad():
        found: torch.Tensor = network(family)(tokens, **given).logits
    return found


def by_relevance(
    family: str,
    adjustment: Adjustment,
    relevance: torch.Tensor = RELEVANCE,
    counted: torch.Tensor = COUNTED,
    **given: Any,
) -> torch.Tensor:
    with adjusted(network(family), relevance, counted, adjustment):
        return logits(family, **given)


def test_bias_is_relevance_in_standard_deviations() -> None:
    """Of .9, .1, .5 the mean is .5 and the deviation sqrt((.16 + .16 + 0) / 3) = .3266: 1.2247, -1.2247, 0."""
    found = bipolar(torch.tensor([[0.9, 0.1, 0.5, 7.0]]), torch.tensor([[True, True, True, False]]))
    assert found.tolist()[0] == pytest.approx([1.22474, -1.22474, 0, 0], abs=1e-4)
    assert bipolar(torch.full((1, 3), 0.4), torch.ones(1, 3, dtype=torch.bool)).tolist() == [[0, 0, 0]]
    assert bipolar(RELEVANCE, torch.zeros_like(COUNTED)).tolist() == [[0] * 8]


@pytest.mark.parametrize("strength", [0.0, 2.5, 40.0])
@pytest.mark.parametrize("family", FAMILIES)
def test_weights_are_those_of_equation_10(family: str, strength: float) -> None:
    """With the identity as values what comes out are the weights: softmax((A + strength * F) / sqrt(d))."""
    torch.manual_seed(0)
    model = network(family).model
    layer = model.layers[1].self_attn
    width, groups = layer.head_dim, layer.num_key_value_groups
    query, key = torch.randn(1, 4, 8, width), torch.randn(1, 4 // groups, 8, width)
    value = torch.eye(8).expand(1, 4 // groups, 8, 8)
    with adjusted(model, RELEVANCE, COUNTED, Adjustment(strength, (1,), (0,))):
        model(TOKENS)
        weights = attend(layer, query, key, value, None, scaling=layer.scaling)[0].transpose(1, 2)
    every_key = key.repeat_interleave(groups, 1)
    biased = query @ every_key.transpose(2, 3) + strength * bipolar(RELEVANCE, COUNTED)
    biased = biased.masked_fill(~torch.ones(8, 8, dtype=torch.bool).tril(), -torch.inf)
    assert torch.allclose(weights, torch.softmax(biased / width**0.5, -1), atol=1e-5, rtol=0)
    assert layer.scaling == pytest.approx(width**-0.5)


@pytest.mark.parametrize("family", FAMILIES)
def test_logits_differ_by_exactly_the_bias(family: str) -> None:
    """log(w' / w) of the last query is strength * F / sqrt(d) of each key, but for what all its weights are divided by:
    of a whole network, in its first layer, where what is attended to is still the same.
    """
    width = network(family).model.layers[0].self_attn.head_dim
    plain, found = (weights_in_first_layer(family, strength) for strength in (0.0, 3.0))
    apart = (found / plain).log()
    bias = 3.0 * bipolar(RELEVANCE, COUNTED)[0] / width**0.5
    expected = (bias - bias[0]).expand(1, 4, 8)
    assert torch.allclose(apart - apart[..., :1], expected, atol=1e-4, rtol=0)
    assert found.sum(-1).allclose(torch.ones(1, 4))


def weights_in_first_layer(family: str, strength: float) -> torch.Tensor:
    with adjusted(network(family), RELEVANCE, COUNTED, Adjustment(strength)) as running:
        running.watched[0] = []
        logits(family)
    [weights] = running.watched[0]
    return weights


@pytest.mark.parametrize("family", FAMILIES)
def test_watched_weights_are_the_network_s_own(family: str) -> None:
    """As `eager` gives them, and watching changes no byte."""
    plain = logits(family)
    model = network(family)
    model.set_attn_implementation("eager")
    with torch.no_grad():
        expected = model(TOKENS, output_attentions=True).attentions[0][:, :, -1]
    model.set_attn_implementation("sdpa")
    assert torch.allclose(weights_in_first_layer(family, 0.0), expected, atol=1e-5)
    with adjusted(model, RELEVANCE, COUNTED, Adjustment(0.0)) as running:
        running.watched[2] = []
        assert torch.equal(logits(family), plain)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_network_computes_as_with_the_bias_in_its_mask(family: str) -> None:
    """The mask that a network takes is added to logits that are divided already: bias / sqrt(d)."""
    model = network(family)
    scaling = model.model.layers[0].self_attn.scaling
    blocked = torch.full((8, 8), torch.finfo(torch.float32).min).triu(1)
    mask = blocked + 1.5 * bipolar(RELEVANCE, COUNTED) * scaling
    model.set_attn_implementation("eager")
    expected = logits(family, attention_mask=mask[None, None])
    model.set_attn_implementation("sdpa")
    found = by_relevance(family, Adjustment(1.5, ALL_LAYERS, STEPS))
    assert torch.allclose(found, expected, atol=1e-4)
    assert (found - logits(family)).abs().max() > 0.01


@pytest.mark.parametrize("family", FAMILIES)
def test_without_strength_the_bytes_are_the_same(family: str) -> None:
    plain = logits(family)
    for adjustment in (
        Adjustment(0.0),
        Adjustment(0.0, ALL_LAYERS, STEPS),
        Adjustment(3, (), STEPS),
        Adjustment(3, ALL_LAYERS, ()),
    ):
        assert torch.equal(by_relevance(family, adjustment), plain)
    assert torch.equal(logits(family), plain)  # and nothing of it stays
    assert network(family).config._attn_implementation != NAME


@pytest.mark.parametrize("family", FAMILIES)
def test_chosen_layers_alone_change(family: str) -> None:
    """What enters a layer is as before up to the first that is chosen."""
    plain = logits_by_layer(family)
    with adjusted(network(family), RELEVANCE, COUNTED, Adjustment(2.0, (1,), STEPS)):
        found = logits_by_layer(family)
    assert torch.equal(found[0], plain[0]) and torch.equal(found[1], plain[1])  # embedded, and behind layer 0
    assert not torch.equal(found[2], plain[2])


@pytest.mark.parametrize("family", FAMILIES)
def test_without_a_choice_all_layers_and_steps_change(family: str) -> None:
    assert torch.equal(by_relevance(family, Adjustment(2.0)), by_relevance(family, Adjustment(2.0, ALL_LAYERS, STEPS)))
    with adjusted(network(family), RELEVANCE, COUNTED, Adjustment(2.0)):
        first, second = (logits(family) for _ in range(2))
    assert torch.equal(first, second) and not torch.equal(first, logits(family))


def logits_by_layer(family: str) -> list[torch.Tensor]:
    with torch.no_grad():
        return list(network(family)(TOKENS, output_hidden_states=True).hidden_states)


@pytest.mark.parametrize("family", FAMILIES)
def test_chosen_steps_alone_change(family: str) -> None:
    plain = logits(family)
    with adjusted(network(family), RELEVANCE, COUNTED, Adjustment(2.0, ALL_LAYERS, (1,))):
        first, second, third = (logits(family) for _ in range(3))
    assert torch.equal(first, plain) and torch.equal(third, plain)
    assert not torch.equal(second, plain)


@pytest.mark.parametrize("family", FAMILIES)
def test_a_padded_batch_is_as_single_runs(family: str) -> None:
    """One row of eight tokens, one of five behind three of padding, whose relevance counts for nothing."""
    short, relevance, counted = TOKENS[:, :5], RELEVANCE[:, :5], COUNTED[:, :5]
    adjustment = Adjustment(2.0, ALL_LAYERS, STEPS)
    alone = [by_relevance(family, adjustment), by_relevance(family, adjustment, relevance, counted, tokens=short)]
    pad = torch.zeros(1, 3)
    together = by_relevance(
        family,
        adjustment,
        torch.cat([RELEVANCE, torch.cat([pad + 9, relevance], 1)]),
        torch.cat([COUNTED, torch.cat([pad.bool(), counted], 1)]),
        tokens=torch.cat([TOKENS, torch.cat([pad.long(), short], 1)]),
        attention_mask=torch.cat([torch.ones(1, 8), torch.cat([pad, torch.ones(1, 5)], 1)]).long(),
    )
    assert torch.allclose(together[0], alone[0][0], atol=1e-4)
    assert torch.allclose(together[1, 3:], alone[1][0], atol=1e-4)


@pytest.mark.parametrize("family", FAMILIES)
def test_tokens_behind_the_context_have_no_bias(family: str) -> None:
    """One at a time by the cache is as all at once, where the bias is that of the context."""
    adjustment = Adjustment(2.0, ALL_LAYERS, range(9))
    context = slice(0, 6)
    with adjusted(network(family), RELEVANCE[:, context], COUNTED[:, context], adjustment), torch.no_grad():
        state = network(family)(TOKENS[:, context], use_cache=True)
        stepped = [network(family)(TOKENS[:, n : n + 1], past_key_values=state.past_key_values) for n in (6, 7)]
    whole = by_relevance(family, adjustment)
    assert torch.allclose(torch.cat([one.logits for one in stepped], 1), whole[:, 6:], atol=1e-4)


@pytest.mark.parametrize(
    ("relevance", "layers", "said"),
    [
        (RELEVANCE, (3,), "no layer 3: the network has 3"),
        (RELEVANCE[:, :4], (0,), "one finite number for every token"),
        (RELEVANCE * torch.nan, (0,), "one finite number for every token"),
    ],
)
def test_what_cannot_be_adjusted_is_said(relevance: torch.Tensor, layers: tuple[int, ...], said: str) -> None:
    with (
        pytest.raises(ValueError, match=said),
        adjusted(network("llama"), relevance, COUNTED, Adjustment(1, layers, (0,))),
    ):
        pass


def test_a_network_without_layers_is_none() -> None:
    with (
        pytest.raises(ValueError, match="no attention that knows its layer"),
        adjusted(torch.nn.Linear(2, 2), RELEVANCE, COUNTED, Adjustment(1, (), ())),
    ):
        pass


def test_a_network_that_attends_otherwise_is_not_changed() -> None:
    model = network("llama")
    model.set_attn_implementation("eager")
    try:
        with (
            pytest.raises(ValueError, match="attends by eager: it can be adjusted where it attends by sdpa"),
            adjusted(model, RELEVANCE, COUNTED, Adjustment(1)),
        ):
            pass
    finally:
        model.set_attn_implementation("sdpa")


@pytest.mark.parametrize("more", [{"s_aux": torch.zeros(4)}, {"sliding_window": 4}])
def test_sinks_and_windows_take_no_bias(more: dict[str, Any]) -> None:
    [name] = more
    model = network("llama")
    states = torch.zeros(1, 4, 8, 8)
    with adjusted(model, RELEVANCE, COUNTED, Adjustment(1, (1,), (0,))):
        logits("llama")
        chosen, other = (model.model.layers[number].self_attn for number in (1, 2))
        with pytest.raises(ValueError, match=f"layer 1 attends with {name}"):
            attend(chosen, states, states[:, :2], states[:, :2], None, **more)
        attend(other, states, states[:, :2], states[:, :2], None)


@pytest.mark.parametrize(("layers", "said"), [((1,), "layer 1 attends in a way"), (None, "all layers attend in a way")])
def test_a_layer_that_takes_no_bias_is_found(
    layers: tuple[int, ...] | None, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A network that never calls the attention that it is told to."""
    monkeypatch.setattr("stages.asking.models.attention.adjusting.NAME", "sdpa")
    with (
        pytest.raises(ValueError, match=said),
        adjusted(network("llama"), RELEVANCE, COUNTED, Adjustment(1, layers)),
    ):
        logits("llama")
