"""Scores of pictures: by CLIP how alike a picture and its text are, as PickScore is defined (Kirstain et al. 2023,
section 3), or by a classifier of pictures the probability of a label.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

from PIL import Image

from gamut.asking.models.batches import BatchedModel, answer_pictures
from gamut.asking.models.torch.networks import device_of, in_batches, load_beside, load_network
from gamut.asking.requests import Rate, Reply, Request
from gamut.asking.seeing import score_reply
from gamut.project.errors import UserError, nearest_choice
from gamut.project.model_kinds import TransformersModel, identity
from gamut.project.settings import Endpoint


def open_picture_scores(
    name: str, slug: str, kind: str, model: TransformersModel, endpoint: Endpoint, folder: Path, by_text: bool
) -> BatchedModel:
    """Open a CLIP that compares pictures with texts, or else a classifier. Raise UserError for another network."""
    import transformers

    if by_text and kind != "clip":
        raise UserError(f"{name}: {folder} is a {kind!r}, but only a CLIP compares pictures with texts here")
    device = device_of(name, slug, endpoint)
    load = (transformers.CLIPModel if by_text else transformers.AutoModelForImageClassification).from_pretrained
    network = load_network(name, folder, load, model.dtype, device)
    look = load_beside(name, folder, transformers.AutoImageProcessor, backend="pil")
    words = load_beside(name, folder, transformers.AutoTokenizer) if by_text else None
    if words is not None and len(words) != network.config.text_config.vocab_size:  # transformers made one up
        raise UserError(
            f"{name}: {folder} lacks the network's tokenizer: put its files beside the weights, and pin them"
        )
    labels = {} if by_text else {label: number for number, label in network.config.id2label.items()}
    if not by_text and model.label not in labels:
        near = nearest_choice(model.label, labels)
        raise UserError(f"{name}: set models.{slug}.label in params.yaml: {folder} has no {model.label!r}{near}")

    def run(pairs: Sequence[tuple[Image.Image, str]]) -> list[Reply]:
        import torch

        pictures, texts = map(list, zip(*pairs, strict=True))
        pixels = look(images=pictures, return_tensors="pt")["pixel_values"].to(device, network.dtype)
        with torch.inference_mode():
            if words is None:  # ten times the label's probability
                scores = 10 * network(pixel_values=pixels).logits.float().softmax(-1)[:, labels[model.label]]
            else:  # the cosine of picture and text times the network's scale; texts are cut to what it reads
                most = network.config.text_config.max_position_embeddings
                tokens = words(texts, padding=True, truncation=True, max_length=most, return_tensors="pt").to(device)
                out = network(**tokens, pixel_values=pixels)
                cosines = torch.nn.functional.cosine_similarity(out.text_embeds.float(), out.image_embeds.float())
                scores = cosines * network.logit_scale.float().exp()
        if not all(map(math.isfinite, scores.tolist())):
            raise UserError(f"{name}: its scores are not finite numbers: set models.{slug}.dtype to float32")
        return [score_reply(score) for score in scores.tolist()]

    def rate(requests: Sequence[Request], pictures: Sequence[Image.Image]) -> list[Reply]:
        texts = [request.text for request in requests if isinstance(request, Rate)]  # the role asks nothing else
        return in_batches(name, slug, device, list(zip(pictures, texts, strict=True)), run)

    batch = endpoint.batch or (1 if device.startswith("cpu") else 64)
    return BatchedModel(identity(model), batch, lambda asked: answer_pictures(asked, rate, model.largest_picture))
