"""A detector that takes names in plain words: OWLv2 (Minderer et al. 2023). Only a box's likeliest label counts, and no
boxes are merged. Pictures are resized by Pillow, and names are put as the network's authors put them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import orjson
from numpy.typing import NDArray
from PIL import Image

from stages.asking.models.batches import BatchedModel, answer_about, device_of, in_batches, loaded
from stages.asking.models.extras import first_line
from stages.asking.requests import Detect, Reply, Request
from stages.asking.seeing import Found
from stages.project.errors import UserError
from stages.project.model_kinds import TransformersModel, identity
from stages.project.settings import Endpoint

GPU_BATCH = 8
KIND = "owlv2"  # the `model_type` of its config.json
QUERY = ("input_ids", "attention_mask")


def open_object_detection(
    name: str, slug: str, model: TransformersModel, endpoint: Endpoint, folder: Path
) -> BatchedModel:
    import torch
    import transformers

    confidence = model.confidence
    if confidence is None:
        raise UserError(f"{name}: how sure has it to be? Name models.{slug}.confidence in params.yaml: 0.2 is usual")
    device = device_of(name, slug, endpoint)
    load = transformers.AutoModelForZeroShotObjectDetection.from_pretrained
    network = loaded(name, folder, load, model.dtype, device)
    try:
        # By Pillow on every machine: torchvision resizes to other pixels.
        look = transformers.AutoImageProcessor.from_pretrained(folder, backend="pil", local_files_only=True)
        words = transformers.AutoTokenizer.from_pretrained(folder, local_files_only=True)
    except (OSError, ValueError, ImportError) as error:
        raise UserError(f"{name}: {folder} has no usable tokenizer or image processor ({first_line(error)})") from None
    most = network.config.text_config.max_position_embeddings

    def found_in(picture: Image.Image, labels: Sequence[str]) -> Reply:
        queries = words([f"a photo of a {label}" for label in labels], padding=True, return_tensors="pt")
        if (longest := queries["input_ids"].shape[1]) > most:
            cause = f"a name has {longest} tokens with what stands before it, at most {most} are looked for"
            return Reply(cause.encode(), "invalid")
        pixels = look(images=[picture], return_tensors="pt")["pixel_values"].to(device, network.dtype)
        with torch.inference_mode():
            out = network(pixel_values=pixels, **{name: queries[name].to(device) for name in QUERY})
        scores, boxes = numbers(out.logits[0].float().sigmoid()), numbers(out.pred_boxes[0])
        if not (np.isfinite(scores).all() and np.isfinite(boxes).all()):
            raise UserError(f"{name}: it gives scores that are no numbers: set models.{slug}.dtype to float32")
        return Reply(orjson.dumps([list(one) for one in found(scores, boxes, labels, picture.size, confidence)]))

    def look_for_all(requests: Sequence[Request], pictures: Sequence[Image.Image]) -> list[Reply]:
        asked = [
            (picture, request.labels)
            for request, picture in zip(requests, pictures, strict=True)
            if isinstance(request, Detect)  # the role asks nothing else
        ]
        return in_batches(name, slug, device, asked, lambda some: [found_in(*one) for one in some])

    batch = endpoint.batch or (1 if device.startswith("cpu") else GPU_BATCH)
    return BatchedModel(identity(model), batch, lambda requests: answer_about(requests, look_for_all))


def found(
    scores: NDArray[np.float32],
    boxes: NDArray[np.float32],
    labels: Sequence[str],
    size: tuple[int, int],
    confidence: float,
) -> list[Found]:
    """Return what is surer than `confidence`, surest first, in pixels of a picture of this size, cut off at its edges.

    Scores are of shape (boxes, labels), boxes of shape (boxes, 4): centre x and y, width and height, in shares of the
    longer side, as the network makes a picture square. Scores have three decimals and boxes one: the rest differs by
    machine. A box that lies wholly beside the picture is none.
    """
    sure = scores.max(axis=1).round(3)
    best = scores.argmax(axis=1)
    centre, half = boxes[:, :2], boxes[:, 2:] / 2
    edges = np.concatenate([centre - half, centre + half], axis=1, dtype=np.float64) * max(size)
    inside = np.clip(edges, 0, (*size, *size)).round(1)
    kept = (sure >= confidence) & (inside[:, 2:] > inside[:, :2]).all(axis=1)
    things = [Found(labels[best[n]], round(float(sure[n]), 3), box(inside[n])) for n in np.nonzero(kept)[0]]
    return sorted(things, key=lambda thing: (-thing.score, thing))


def box(edges: NDArray[np.float64]) -> tuple[float, float, float, float]:
    left, top, right, bottom = (round(float(edge), 1) for edge in edges)
    return left, top, right, bottom


def numbers(tensor: Any) -> NDArray[np.float32]:
    array: NDArray[np.float32] = tensor.float().cpu().numpy()
    return array
