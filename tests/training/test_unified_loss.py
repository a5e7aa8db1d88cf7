"""What Janus and Emu3 learn from is what they read and draw when they answer, and its loss is their own."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("torch")

import torch
from torch.nn.functional import log_softmax

from gamut.asking.models.torch import picture_codes
from gamut.asking.models.torch.chat_network import Network
from gamut.asking.models.torch.unified import generate_replies
from gamut.asking.requests import Create, Paint
from gamut.training.unified_loss import Layout, lay_out, unified_losses
from tests import tiny_unified
from tests.training.learning import QUESTION, SIDES, TASK, painted, plain, seen

pytestmark = pytest.mark.usefixtures("one_thread")
FAMILIES = ("janus", "emu3")


@pytest.fixture(scope="module", params=FAMILIES)
def network(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Network:
    folder = getattr(tiny_unified, request.param)(tmp_path_factory.mktemp("w"))
    greedy = {"guidance_scale": 1, "temperature": 0}
    return tiny_unified.opened(folder, painting=greedy, sampling={"max_tokens": 6})


def reads(network: Network, act: Any) -> torch.Tensor:
    """What the decoder reads of one sequence while something is done: embeddings, one after the other."""
    read: list[torch.Tensor] = []
    decoder = network.weights.get_decoder()
    hook = decoder.register_forward_pre_hook(
        lambda module, arguments, named: read.append(named["inputs_embeds"][0].detach()), with_kwargs=True
    )
    try:
        act()
    finally:
        hook.remove()
    return torch.cat(read)


def losses(network: Network, *layouts: Layout) -> torch.Tensor:
    with torch.no_grad():
        return unified_losses(network, layouts, [0] * len(layouts))


def test_to_see_it_reads_what_it_reads_when_it_is_asked(network: Network) -> None:
    side = SIDES[network.kind]
    layout = lay_out(network, seen("red", side))
    request = Create((plain("red", side), QUESTION), ("text",), 0, 0, 5)
    asked = reads(network, lambda: generate_replies(network, "tiny", [request]))
    learnt = reads(network, lambda: losses(network, layout))
    words = network.tokenizer
    assert layout.answer == [*words(" red", add_special_tokens=False)["input_ids"], words.eos_token_id]
    assert layout.scored == [True] * len(layout.answer)
    assert len(learnt) == len(layout.context) + len(layout.answer) - 1  # nobody reads the end
    assert torch.equal(learnt[: len(layout.context)], asked[: len(layout.context)])
    embedded = network.weights.get_input_embeddings()(torch.tensor(layout.answer[:-1]))
    assert torch.equal(learnt[len(layout.context) :], embedded)


def test_to_paint_it_reads_what_it_reads_when_it_paints(network: Network, monkeypatch: pytest.MonkeyPatch) -> None:
    """Drawn are the codes of the picture that is learnt, whatever the network would have drawn."""
    side = SIDES[network.kind]
    layout = lay_out(network, painted("red", side))
    codes = [code for code, scored in zip(layout.answer, layout.scored, strict=True) if scored]
    assert len(codes) == 16  # 4 x 4
    if network.kind == "emu3":
        mapping = network.weights.vocabulary_mapping
        assert len(layout.answer) == 16 + 3  # the ends of all rows but the last
        assert {*layout.answer} - {*codes} == {mapping.eol_token_id}
        codes = [mapping.bpe2img[token] for token in codes]
    wanted = iter(codes)
    monkeypatch.setattr(picture_codes, "score_codes", lambda *_: torch.eye(tiny_unified.CODES)[next(wanted)][None])
    request = Paint(TASK.format("red"), side, side, 5)
    drawn = reads(network, lambda: generate_replies(network, "tiny", [request]))
    learnt = reads(network, lambda: losses(network, layout))
    torch.testing.assert_close(learnt, drawn)


def test_codes_are_of_the_entries_that_are_painted(network: Network) -> None:
    """Janus paints by entries of its codebook at length 1: however long they are, pictures have the same codes. Emu3
    paints by entries as they are.
    """
    entries, example = network.weights.model.vqmodel.quantize.embedding.weight, painted("blue", 64)
    before, kept = lay_out(network, example).answer, entries.detach().clone()
    lengths = torch.linspace(0.5, 40, len(entries))[:, None]
    with torch.no_grad():
        entries.mul_(lengths)
        longer = lay_out(network, example).answer
        entries.copy_(kept)
    assert (longer == before) == (network.kind == "janus")


def test_the_loss_of_a_text_is_that_of_the_class(network: Network) -> None:
    layout = lay_out(network, seen("red", SIDES[network.kind]))
    tokens = torch.tensor([[*layout.context, *layout.answer]])
    labels = torch.tensor([[-100] * len(layout.context) + list(layout.answer)])
    with torch.no_grad():
        own = network.weights(input_ids=tokens, labels=labels, **layout.pictures).loss
    torch.testing.assert_close(losses(network, layout)[0], own)


def test_the_loss_of_a_picture_is_how_unlikely_its_codes_are(network: Network) -> None:
    """Of Emu3 that of the class itself, ends of rows left out; of Janus by its own head, code by code."""
    layout = lay_out(network, painted("red", SIDES[network.kind]))
    weights = network.weights
    with torch.no_grad():
        if network.kind == "emu3":
            tokens = torch.tensor([[*layout.context, *layout.answer]])
            scored = [token if own else -100 for token, own in zip(layout.answer, layout.scored, strict=True)]
            labels = torch.tensor([[-100] * len(layout.context) + scored])
            expected = weights(input_ids=tokens, labels=labels).loss
        else:
            read = weights.get_input_embeddings()(torch.tensor([layout.context]))
            unlikely = []
            for code in layout.answer:
                state = weights.model.language_model(inputs_embeds=read).last_hidden_state[:, -1]
                unlikely.append(-log_softmax(weights.model.generation_head(state), -1)[0, code])
                following = weights.prepare_embeddings_for_image_generation(torch.tensor([[code]]))
                read = torch.cat([read, following], dim=1)
            expected = torch.stack(unlikely).mean()
    torch.testing.assert_close(losses(network, layout)[0], expected)


def test_in_a_batch_each_has_the_loss_that_it_has_alone(network: Network) -> None:
    side = SIDES[network.kind]
    layouts = [lay_out(network, one) for one in (seen("red", side), painted("blue", side), seen("blue", side))]
    alone = torch.cat([losses(network, one) for one in layouts])
    torch.testing.assert_close(losses(network, *layouts), alone)
    assert len({round(value, 4) for value in alone.tolist()}) == 3
