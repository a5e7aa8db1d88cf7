"""Scores of pictures in this process: a tiny random CLIP and a classifier, saved and loaded by the real code."""

from __future__ import annotations

import io
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
import transformers as package
from PIL import Image

from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.torch.transformers import open_transformers
from gamut.asking.models.weights import digest
from gamut.asking.requests import Picture, Rate, Reply
from gamut.asking.seeing import read_score
from gamut.project.errors import UserError
from gamut.project.model_kinds import TransformersModel, identity
from gamut.project.roles import SCORERS
from gamut.project.settings import Endpoint
from tests import fakes, tiny_chat_models, tiny_models

LONG = "two cats " * 20
TEXTS = ["a", "two cats", LONG, LONG + "and a dog"]


def noise(width: int, height: int) -> bytes:
    pixels = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    return fakes.encoded(Image.fromarray(pixels), "PNG")


PICTURES = [noise(40, 40), noise(60, 32), noise(33, 70), noise(33, 70)]


@pytest.fixture(scope="module")
def clip(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.scoring_clip(tmp_path_factory.mktemp("models") / "clip")


@pytest.fixture(scope="module")
def classifier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tiny_models.classifier(tmp_path_factory.mktemp("models") / "classifier")


def parameters(folder: Path, **values: Any) -> TransformersModel:
    fixed = {"kind": "transformers", "id": "org/tiny", "revision": digest(folder), "dtype": "float32"}
    return TransformersModel.model_validate(fixed | values)


def opened(folder: Path, name: str, batch: int | None = None, **values: Any) -> BatchedModel:
    endpoint, role = Endpoint(weights=str(folder), batch=batch), SCORERS[name]
    model = open_transformers(f"{role} (tiny)", "tiny", parameters(folder, **values), endpoint, role)
    assert isinstance(model, BatchedModel)
    return model


def asked(name: str) -> list[Rate]:
    return [Rate(name, Picture(data), text) for data, text in zip(PICTURES, TEXTS, strict=True)]


def scores(model: BatchedModel, name: str) -> list[float]:
    return [read_score(reply.content) for reply in model.generate(asked(name))]


@pytest.mark.parametrize("name", ["alignment", "preference"])
def test_clips_score_is_its_logit_of_picture_and_text(clip: Path, name: str) -> None:
    """As PickScore's card has it: the scale's exponential times the cosine, of texts that are cut to 77 tokens."""
    network, processor = package.CLIPModel.from_pretrained(clip), package.AutoTokenizer.from_pretrained(clip)
    look = package.AutoImageProcessor.from_pretrained(clip, backend="pil")
    expected = []
    for data, text in zip(PICTURES, TEXTS, strict=True):
        words = processor([text], truncation=True, max_length=77, return_tensors="pt")
        pixels = look(images=Image.open(io.BytesIO(data)), return_tensors="pt")
        with torch.inference_mode():
            expected.append(network(**words, **pixels).logits_per_text.item())
    found = scores(opened(clip, name), name)
    np.testing.assert_allclose(found, expected, atol=0.0006)
    assert len({*found}) == 3 and found[2] == found[3], "what a text has beyond is not read"


def test_a_classifiers_score_is_ten_times_the_labels_probability(classifier: Path) -> None:
    network = package.ViTForImageClassification.from_pretrained(classifier)
    look = package.AutoImageProcessor.from_pretrained(classifier, backend="pil")
    pixels = look(images=[Image.open(io.BytesIO(data)) for data in PICTURES], return_tensors="pt")
    with torch.inference_mode():
        expected = 10 * network(**pixels).logits.softmax(-1)
    for number, label in enumerate(("plain", "aesthetic")):
        model = opened(classifier, "aesthetics", label=label)
        np.testing.assert_allclose(scores(model, "aesthetics"), expected[:, number], atol=0.0006)
        assert model.identity == identity(parameters(classifier, label=label)) and model.identity["label"] == label
    assert "label" not in identity(parameters(classifier)), "who had none is who they were"


def test_order_and_batch_change_no_bytes(clip: Path) -> None:
    model, requests = opened(clip, "preference", batch=4), asked("preference")
    damaged = Rate("preference", Picture(b"nonsense"), "a")
    replies = model.generate([requests[0], damaged, *requests[1:]])
    assert replies[1] == Reply(b"the picture is not a picture in a known format", "invalid")
    alone = [model.generate([one])[0] for one in requests]
    assert [replies[0], *replies[2:]] == alone == model.generate(requests[::-1])[::-1]


def test_half_precision_keeps_scores_apart(clip: Path) -> None:
    """A cosine times its scale in bfloat16 would have steps of 1/16 from 8 on."""
    whole, half = (scores(opened(clip, "preference", dtype=dtype), "preference") for dtype in ("float32", "bfloat16"))
    np.testing.assert_allclose(half, whole, atol=0.2)
    assert all(score * 16 % 1 for score in half)


def test_networks_that_give_no_score_are_said(clip: Path, classifier: Path, project: Path) -> None:
    def complaint(folder: Path, name: str, **values: Any) -> str:
        with pytest.raises(UserError) as caught:
            opened(folder, name, **values)
        return str(caught.value)

    said = complaint(classifier, "aesthetics", label="aesthetics")
    known = f"set models.tiny.label in params.yaml: {classifier} has no"
    assert said == f"aesthetic_scorer (tiny): {known} 'aesthetics'; did you mean 'aesthetic'?"
    said = complaint(classifier, "aesthetics")
    assert said == f"aesthetic_scorer (tiny): {known} None; known are: aesthetic, plain"
    said = complaint(classifier, "alignment")
    assert said == (
        f"alignment_scorer (tiny): {classifier} is a 'vit', but only a CLIP compares pictures with texts here"
    )
    assert " lacks " in complaint(clip, "aesthetics", label="LABEL_0"), "the classes, which nobody has trained"
    said = complaint(clip, "preference", sampling={"temperature": 0.5})
    assert "does not use temperature: remove it from models.tiny.sampling" in said
    other = tiny_chat_models.clip(project / "clip")
    assert "lacks the network's tokenizer: put its files beside" in complaint(other, "preference")


def test_scores_that_are_no_numbers_end_the_run(clip: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    network = package.CLIPModel.from_pretrained(clip)
    network.logit_scale.data.fill_(float("nan"))
    monkeypatch.setattr("gamut.asking.models.torch.picture_scores.load_network", lambda *_: network)
    with pytest.raises(UserError, match=r"its scores are not finite numbers: set models\.tiny\.dtype to float32$"):
        opened(clip, "preference").generate(asked("preference"))
