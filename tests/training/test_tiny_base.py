"""The tiny model that is built here: at its smallest it opens, names and paints; its words are all that it is asked."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
import torch
from PIL import Image

from gamut.asking.models.torch import unified
from gamut.asking.models.torch.chat_network import Network
from gamut.asking.models.weights import digest
from gamut.asking.models.world.sandbox import pictogram, pictogram_kinds, wordings
from gamut.asking.requests import Create, Paint
from gamut.training import picture_tokenizer, tiny_base
from gamut.training.recipes import Recipe
from gamut.world.pictograms import KNOWN, SIDE
from tests import tiny_unified as tiny

FEW = {3: (3, 1, 1e-3), 4: (2, 0, 1e-3)}
HOW = {"lora": None, "batch": 4, "learning_rate": 1e-3}


def build_small(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr(picture_tokenizer, "STAGES", FEW)
    monkeypatch.setattr(tiny_base, "PICTURES", 4)
    monkeypatch.setattr(tiny_base, "NAMED", 4)
    monkeypatch.setattr(tiny_base, "RECIPES", (Recipe(checkpoints=[2], **HOW), Recipe(checkpoints=[1], **HOW)))
    tiny_base.build_base(folder, 0)
    return folder


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    with pytest.MonkeyPatch.context() as patch:
        store = tmp_path_factory.mktemp("store")
        patch.setenv("GAMUT_STORE", str(store))
        return build_small(store / "base", patch)


@pytest.fixture(scope="module")
def network(base: Path) -> Network:
    return tiny.opened(base, painting={"guidance_scale": 1, "temperature": 0})


def test_it_opens_and_answers_on_both_sides(network: Network) -> None:
    asked = Create((pictogram("duck", 1), "What is this?"), ("text",), 0, 0, 1)
    said, painted = unified.generate_replies(network, "tiny", [asked, Paint("Paint the duck.", SIDE, SIDE, 1)])
    assert said.finish in ("stop", "length") and painted.finish == "stop"
    assert Image.open(io.BytesIO(painted.content)).size == (SIDE, SIDE)
    assert painted.output_tokens == 16, "4 rows of 4 codes"


def test_every_word_that_it_is_asked_is_known_and_no_other(network: Network) -> None:
    words, unknown = network.tokenizer, network.tokenizer.unk_token_id
    for kind in pictogram_kinds():
        texts = [kind, f"{kind}, {kind}", *(one for some in wordings(kind).values() for one in some)]
        assert not any(unknown in words(text, add_special_tokens=False)["input_ids"] for text in texts)
        assert len(words(kind, add_special_tokens=False)["input_ids"]) == 1
    assert words("Xylophone", add_special_tokens=False)["input_ids"] == [unknown]


def test_codes_of_a_picture_are_those_that_the_class_itself_takes(network: Network) -> None:
    """16 codes of 16×16 pixels; what the network decodes of them has the size of the picture."""
    tokenizer = network.weights.model.vqmodel
    codes = tokenizer.encode(torch.zeros(1, 3, SIDE, SIDE), torch.tensor([[SIDE, SIDE]])).image_tokens[0]
    assert codes.shape == (4, 4) and tokenizer.decode(codes[None]).shape == (1, 3, SIDE, SIDE)
    assert tokenizer.config.codebook_size == picture_tokenizer.CODES


def test_a_grown_network_does_what_it_did_on_pictures_of_twice_the_side() -> None:
    torch.manual_seed(0)
    small = picture_tokenizer.new_network(3)
    large, doubled = picture_tokenizer.grown(small), torch.nn.Upsample(scale_factor=2)
    codes = torch.randint(picture_tokenizer.CODES, (1, 4, 4))
    with torch.inference_mode():
        before, after = doubled(small.decode(codes)), large.decode(codes)
    inside = (..., slice(2, -2), slice(2, -2))  # at the rim and at edges its last layer sees other neighbours
    likeness = torch.corrcoef(torch.stack([before[inside].flatten(), after[inside].flatten()]))[0, 1]
    assert after.shape[-1] == 2 * small.decode(codes).shape[-1] and likeness > 0.7


def test_kinds_that_are_not_taught_stand_in_no_example() -> None:
    pictures = {kind: [pictogram(kind, number) for number in range(4)] for kind in pictogram_kinds()}
    examples = list(tiny_base.taught_examples(pictures, 0))
    words = {one.answer for one in examples if isinstance(one.answer, str)}
    assert words == {*KNOWN} and len(examples) == 20 * (4 + 10)
    said = " ".join(part for one in examples for part in one.given if isinstance(part, str))
    assert not any(kind in said for kind in set(pictogram_kinds()) - words)


def test_the_training_keeps_all_that_is_taught() -> None:
    from gamut.training.training import EXAMPLES_READ

    assert tiny_base.TAUGHT * (tiny_base.NAMED + 10) <= EXAMPLES_READ


def test_the_same_bytes_come_of_it_twice(base: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("GAMUT_STORE", str(tmp_path))
    again = tmp_path / "again"
    again.mkdir()
    (again / "left over").touch()  # what lay there is replaced
    assert digest(build_small(again, monkeypatch)) == digest(base)
