"""OWLv2 and Grounding DINO: tiny random ones, saved, loaded by the real code, against the library's own reading."""

from __future__ import annotations

import io
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

pytest.importorskip("torch")

import torch
import transformers as package
from PIL import Image

from gamut.asking.models.batches import BatchedModel
from gamut.asking.models.torch.object_detection import DETECTORS, RawBoxes, detections
from gamut.asking.models.torch.transformers import open_transformers
from gamut.asking.models.weights import digest
from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Detect, Picture, Reply
from gamut.asking.seeing import Detecting, Detection
from gamut.project.errors import UserError
from gamut.project.model_kinds import TransformersModel, identity
from gamut.project.settings import Endpoint
from tests import fakes, tiny_chat_models

LABELS = ("red cube", "dog")


def noise(width: int, height: int) -> bytes:
    pixels = np.random.default_rng(width).integers(0, 256, (height, width, 3), np.uint8)
    return fakes.encoded(Image.fromarray(pixels), "PNG")


WIDE, HIGH = noise(90, 60), noise(50, 80)


@pytest.fixture(scope="module", params=["owlv2", "grounding_dino"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    made: Callable[[Path], Path] = getattr(tiny_chat_models, request.param)
    return made(tmp_path_factory.mktemp("models") / request.param)


def parameters(folder: Path, **values: Any) -> TransformersModel:
    fixed = {"kind": "transformers", "id": "org/tiny", "revision": digest(folder), "dtype": "float32", "confidence": 0}
    return TransformersModel.model_validate(fixed | values)


def opened(folder: Path, batch: int | None = None, **values: Any) -> BatchedModel:
    endpoint = Endpoint(weights=str(folder), batch=batch)
    model = open_transformers("detector (tiny)", "tiny", parameters(folder, **values), endpoint, "detector")
    assert isinstance(model, BatchedModel)
    return model


def things(model: BatchedModel, picture: bytes, *labels: str) -> list[Detection]:
    request = Detect(Picture(picture), labels or LABELS)
    end = Detecting(request).next(model.generate([request]))
    assert isinstance(end, Outcome) and end.status == "ok", end
    return list(end.value)


def test_boxes_and_scores_are_those_of_the_library(folder: Path) -> None:
    picture = WIDE
    image = Image.open(io.BytesIO(picture))
    network = package.AutoModelForZeroShotObjectDetection.from_pretrained(folder)
    look = package.AutoImageProcessor.from_pretrained(folder, backend="pil")
    words = package.AutoTokenizer.from_pretrained(folder)
    where = [(image.height, image.width)]
    with torch.inference_mode():
        if folder.name == "owlv2":
            process: Any = package.Owlv2Processor(look, words)
            text = words([f"a photo of a {label}" for label in LABELS], padding=True, return_tensors="pt")
            out = network(**text, pixel_values=look(images=image, return_tensors="pt")["pixel_values"])
            [read] = process.post_process_grounded_object_detection(out, 0, where, [list(LABELS)])
        else:
            process = package.GroundingDinoProcessor(look, words)
            text = words("red cube. dog.", return_tensors="pt")
            out = network(**text, pixel_values=look(images=image, return_tensors="pt")["pixel_values"])
            [read] = process.post_process_grounded_object_detection(out, text["input_ids"], 0, 0.5, where)
    limit = torch.tensor([image.width, image.height] * 2)
    expected = [
        (round(score.item(), 3), *(round(edge, 1) for edge in box.clamp(min=torch.zeros(4), max=limit).tolist()), label)
        for score, box, label in zip(read["scores"], read["boxes"], read["text_labels"], strict=True)
    ]
    expected = [row for row in expected if row[3] > row[1] and row[4] > row[2]]
    ours = things(opened(folder), picture)
    assert len(ours) == len(expected) >= 4
    for thing, (*row, label) in zip(sorted(ours, key=row_of), sorted(expected), strict=True):
        assert row_of(thing) == pytest.approx(row, abs=0.11)
        if folder.name == "owlv2":  # the other's reading joins whatever tokens are sure: "dog red cube"
            assert thing.label == label


def row_of(thing: Detection) -> tuple[float, ...]:
    return (thing.score, *thing.box)


def test_only_what_is_sure_enough_is_found(folder: Path) -> None:
    everything = things(opened(folder), WIDE)
    middle = everything[len(everything) // 2].score
    assert things(opened(folder, confidence=middle), WIDE) == [one for one in everything if one.score >= middle]
    assert everything == sorted(everything, key=lambda one: -one.score)


def test_order_and_batch_change_no_bytes(folder: Path) -> None:
    model = opened(folder, batch=4)
    requests = [Detect(Picture(WIDE), LABELS), Detect(Picture(b"nonsense"), LABELS), Detect(Picture(HIGH), ("dog",))]
    replies = model.generate(requests)
    assert replies[1] == Reply(b"the picture is not a picture in a known format", "invalid")
    assert model.generate(requests[::-1])[::-1] == replies == [model.generate([one])[0] for one in requests]


def test_confidence_is_named_and_recorded(folder: Path) -> None:
    model = opened(folder, confidence=0.3)
    assert model.identity == identity(parameters(folder, confidence=0.3)) and model.identity["confidence"] == 0.3
    with pytest.raises(UserError) as caught:
        opened(folder, confidence=None)
    assert str(caught.value) == (
        "detector (tiny): set models.tiny.confidence in params.yaml, the least that counts, usually 0.2 for OWLv2, "
        "0.3 for Grounding DINO"
    )


def test_names_that_cannot_be_looked_for_are_said(folder: Path) -> None:
    [reply] = opened(folder).generate([Detect(Picture(WIDE), ("dog", "x " * 400))])
    assert reply.finish == "invalid" and b" tokens" in reply.content and b"at most" in reply.content


def test_boxes_beside_the_picture_are_none() -> None:
    # Made square, a picture of 100 x 50 has a border below: the second box lies in it, the third reaches into it.
    boxes = np.array([[0.5, 0.25, 0.2, 0.1], [0.5, 0.8, 0.2, 0.2], [0.5, 0.5, 0.5, 0.5]], np.float32)
    scores = np.array([[0.1, 0.8], [0.2, 0.9], [0.30049, 0.3]], np.float32)
    assert detections(RawBoxes(scores, boxes, (100, 100)), ("cat", "dog"), (100, 50), 0.3) == [
        Detection("dog", 0.8, (40.0, 20.0, 60.0, 30.0)),
        Detection("cat", 0.3, (25.0, 25.0, 75.0, 50.0)),
    ]
    assert detections(RawBoxes(scores, boxes, (100, 100)), ("cat", "dog"), (100, 50), 0.9) == []


def test_weights_that_give_no_numbers_are_an_error(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    none = RawBoxes(np.full((1, 2), np.nan, np.float32), np.full((1, 4), 0.5, np.float32), (90, 60))
    kind = folder.name.replace("_", "-")
    monkeypatch.setitem(DETECTORS, kind, lambda *_: lambda picture, labels: none)
    with pytest.raises(UserError, match=r"its scores are not finite numbers: set models.tiny.dtype to float32"):
        things(opened(folder), WIDE)
