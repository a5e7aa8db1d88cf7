"""Scores of pictures: by CLIP how alike a picture and its text are, as PickScore is defined (Kirstain et al. 2023,
section 3), or by a classifier of pictures the probability of a label.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from PIL import Image

from gamut.asking.models.batches import BatchedModel, answer_pictures
from gamut.asking.models.torch.networks import device_of, in_batches, load_beside, load_network, model_type
from gamut.asking.requests import Rate, Reply, Request
from gamut.asking.seeing import score_reply
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import TransformersModel, identity
from gamut.project.settings import Endpoint

GPU_BATCH = 64
Scorer = Callable[[Any, Sequence[str]], Any]
"""Returns the scores of pictures, as pixels in a tensor, with their texts."""


def open_picture_scores(
    name: str, slug: str, model: TransformersModel, endpoint: Endpoint, folder: Path, by_text: bool
) -> BatchedModel:
    """Open a CLIP that compares pictures with texts, or else a classifier. Raise UserError for another network."""
    import torch
    import transformers

    device = device_of(name, slug, endpoint)
    open_one = clip_scorer if by_text else label_scorer
    network, score = open_one(name, slug, model, folder, device)
    look = load_beside(name, folder, transformers.AutoImageProcessor, backend="pil")

    def run(pairs: Sequence[tuple[Image.Image, str]]) -> list[Reply]:
        pictures, texts = zip(*pairs, strict=True)
        pixels = look(images=list(pictures), return_tensors="pt")["pixel_values"].to(device, network.dtype)
        with torch.inference_mode():
            scores = score(pixels, texts).tolist()
        if not all(map(math.isfinite, scores)):
            raise UserError(f"{name}: its scores are not finite numbers: set models.{slug}.dtype to float32")
        return [score_reply(one) for one in scores]

    def rate_all(requests: Sequence[Request], pictures: Sequence[Image.Image]) -> list[Reply]:
        texts = [request.text for request in requests if isinstance(request, Rate)]  # the role asks nothing else
        return in_batches(name, slug, device, list(zip(pictures, texts, strict=True)), run)

    batch = endpoint.batch or (1 if device.startswith("cpu") else GPU_BATCH)
    return BatchedModel(
        identity(model), batch, lambda requests: answer_pictures(requests, rate_all, model.largest_picture)
    )


def clip_scorer(name: str, slug: str, model: TransformersModel, folder: Path, device: str) -> tuple[Any, Scorer]:
    """Return the network, and its cosine of picture and text times its scale. Longer texts than it reads are cut."""
    import torch
    import transformers

    if (kind := model_type(name, folder)) != "clip":
        raise UserError(f"{name}: {folder} is a {kind!r}, but only a CLIP compares pictures with texts here")
    network = load_network(name, folder, transformers.CLIPModel.from_pretrained, model.dtype, device)
    words = load_beside(name, folder, transformers.AutoTokenizer)
    most = network.config.text_config.max_position_embeddings

    def score(pixels: Any, texts: Sequence[str]) -> Any:
        tokens = words(list(texts), padding=True, truncation=True, max_length=most, return_tensors="pt").to(device)
        out = network(input_ids=tokens["input_ids"], attention_mask=tokens["attention_mask"], pixel_values=pixels)
        cosines = torch.nn.functional.cosine_similarity(out.text_embeds.float(), out.image_embeds.float())
        return cosines * network.logit_scale.float().exp()

    return network, score


def label_scorer(name: str, slug: str, model: TransformersModel, folder: Path, device: str) -> tuple[Any, Scorer]:
    """Return the network, and ten times its probability of the label."""
    import transformers

    network = load_network(
        name, folder, transformers.AutoModelForImageClassification.from_pretrained, model.dtype, device
    )
    labels = {label: number for number, label in network.config.id2label.items()}
    if model.label not in labels:
        raise UserError(
            f"{name}: {folder} has no label {model.label!r}{nearest_choice(str(model.label), labels)}: set "
            f"models.{slug}.label in params.yaml to the one whose probability is the score"
        )
    return (
        network,
        lambda pixels, _: 10 * network(pixel_values=pixels).logits.float().softmax(-1)[:, labels[model.label]],
    )
