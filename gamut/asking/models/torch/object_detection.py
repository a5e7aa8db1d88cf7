"""Detectors that take names in plain words: OWLv2 and Grounding DINO. The most likely label of each box counts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import orjson
from numpy.typing import NDArray
from PIL import Image

from gamut.asking.models.batches import BatchedModel, answer_pictures
from gamut.asking.models.torch.networks import device_of, in_batches, load_beside, load_network
from gamut.asking.requests import Detect, Reply, Request
from gamut.asking.seeing import Detection
from gamut.project.errors import UserError
from gamut.project.model_kinds import TransformersModel, identity
from gamut.project.settings import Endpoint

GPU_BATCH = 8
MOST_TOKENS = 256  # of all names together, for Grounding DINO (Liu et al. 2023, section 3)


class RawBoxes(NamedTuple):
    """A network's output for a picture: scores 0..1 of shape (boxes, labels), and boxes of shape (boxes, 4) as centre x
    and y, width and height, in shares of `frame`, a width and height in pixels.
    """

    scores: NDArray[np.float32]
    boxes: NDArray[np.float32]
    frame: tuple[float, float]


Detector = Callable[[Image.Image, Sequence[str]], RawBoxes]  # finds labels in a picture; raises NamesError if it cannot


class NamesError(ValueError):
    """The reason why a network cannot find these names."""


def open_object_detection(
    name: str, slug: str, kind: str, model: TransformersModel, endpoint: Endpoint, folder: Path
) -> BatchedModel:
    """Open OWLv2 or Grounding DINO from `folder`, as `kind` says."""
    import transformers

    confidence = model.confidence
    if confidence is None:
        usual = "the least that counts, usually 0.2 for OWLv2, 0.3 for Grounding DINO"
        raise UserError(f"{name}: set models.{slug}.confidence in params.yaml, {usual}")
    device = device_of(name, slug, endpoint)
    load = transformers.AutoModelForZeroShotObjectDetection.from_pretrained
    network = load_network(name, folder, load, model.dtype, device)
    look = load_beside(name, folder, transformers.AutoImageProcessor, backend="pil")
    words = load_beside(name, folder, transformers.AutoTokenizer)
    seen_by = DETECTORS[kind](network, look, words, device)

    def found_in(picture: Image.Image, labels: Sequence[str]) -> Reply:
        try:
            raw = seen_by(picture, labels)
        except NamesError as error:
            return Reply(str(error).encode(), "invalid")
        if not (np.isfinite(raw.scores).all() and np.isfinite(raw.boxes).all()):
            raise UserError(f"{name}: its scores are not finite numbers: set models.{slug}.dtype to float32")
        return Reply(orjson.dumps([list(one) for one in detections(raw, labels, picture.size, confidence)]))

    def look_for_all(requests: Sequence[Request], pictures: Sequence[Image.Image]) -> list[Reply]:
        pairs = [
            (picture, request.labels)
            for request, picture in zip(requests, pictures, strict=True)
            if isinstance(request, Detect)  # the role asks nothing else
        ]
        return in_batches(name, slug, device, pairs, lambda some: [found_in(*one) for one in some])

    batch = endpoint.batch or (1 if device.startswith("cpu") else GPU_BATCH)
    return BatchedModel(identity(model), batch, lambda requests: answer_pictures(requests, look_for_all))


def detections(raw: RawBoxes, labels: Sequence[str], size: tuple[int, int], confidence: float) -> list[Detection]:
    """Return detections above `confidence`, highest first, in pixels, cut off at the picture's edges.

    Scores have three decimals and boxes one, because more differ by machine. Boxes in OWLv2's border are left out.
    """
    sure = raw.scores.max(axis=1).round(3)
    best = raw.scores.argmax(axis=1)
    centre, half = raw.boxes[:, :2], raw.boxes[:, 2:] / 2
    edges = np.concatenate([centre - half, centre + half], axis=1) * (*raw.frame, *raw.frame)
    inside = np.clip(edges, 0, (*size, *size)).round(1)
    kept = (sure >= confidence) & (inside[:, 2:] > inside[:, :2]).all(axis=1)
    things = [Detection(labels[best[n]], round(float(sure[n]), 3), rounded_box(inside[n])) for n in np.nonzero(kept)[0]]
    return sorted(things, key=lambda thing: (-thing.score, thing))


def rounded_box(edges: NDArray[np.float64]) -> tuple[float, float, float, float]:
    left, top, right, bottom = (round(float(edge), 1) for edge in edges)
    return left, top, right, bottom


def owlv2_detector(network: Any, look: Any, words: Any, device: str) -> Detector:
    """Return the detector of OWLv2 (Minderer et al. 2023): each name is its own query, the picture is made square."""
    import torch

    most = network.config.text_config.max_position_embeddings

    def detect(picture: Image.Image, labels: Sequence[str]) -> RawBoxes:
        queries = words([f"a photo of a {label}" for label in labels], padding=True, return_tensors="pt")
        if (longest := queries["input_ids"].shape[1]) > most:
            raise NamesError(f"a name has {longest} tokens with the words before it, at most {most} are possible")
        pixels = look(images=[picture], return_tensors="pt")["pixel_values"].to(device, network.dtype)
        with torch.inference_mode():
            out = network(
                pixel_values=pixels, **{name: queries[name].to(device) for name in ("input_ids", "attention_mask")}
            )
        side = max(picture.size)
        return RawBoxes(as_array(out.logits[0].float().sigmoid()), as_array(out.pred_boxes[0]), (side, side))

    return detect


def grounding_dino_detector(network: Any, look: Any, words: Any, device: str) -> Detector:
    """Return the detector of Grounding DINO (Liu et al. 2023): all names are in one text, each with a full stop; a
    name's score is that of its most likely token.
    """
    import torch

    def detect(picture: Image.Image, labels: Sequence[str]) -> RawBoxes:
        tokens, places = tokens_of_names(words, labels)
        pixels = look(images=[picture], return_tensors="pt")["pixel_values"].to(device, network.dtype)
        ids = torch.tensor([tokens], device=device)
        with torch.inference_mode():
            out = network(pixel_values=pixels, input_ids=ids, token_type_ids=torch.zeros_like(ids))
        scores = out.logits[0].float().sigmoid()
        of_labels = torch.stack([scores[:, place].amax(dim=1) for place in places], dim=1)
        return RawBoxes(as_array(of_labels), as_array(out.pred_boxes[0]), picture.size)

    return detect


def tokens_of_names(words: Any, labels: Sequence[str]) -> tuple[list[int], list[slice]]:
    """Return the tokens of all names in one text, and each name's place. Raise NamesError if they are too many."""
    stop = words.convert_tokens_to_ids(".")
    tokens, places = [words.cls_token_id], []
    for label in labels:
        name_tokens = words(label.lower().replace(".", " "), add_special_tokens=False)["input_ids"]
        if not name_tokens:
            raise NamesError(f"the name {label!r} has no words")
        places.append(slice(len(tokens), len(tokens) + len(name_tokens)))
        tokens += [*name_tokens, stop]
    tokens.append(words.sep_token_id)
    if len(tokens) > MOST_TOKENS:
        raise NamesError(f"the names are {len(tokens)} tokens, at most {MOST_TOKENS} can be looked for at once")
    return tokens, places


def as_array(tensor: Any) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.float().cpu().numpy()
    return array


DETECTORS = {"owlv2": owlv2_detector, "grounding-dino": grounding_dino_detector}
"""The detector of a network, by the `model_type` of its config.json."""
