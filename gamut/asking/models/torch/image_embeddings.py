"""Embeddings of pictures: by CLIP or a DINO, of length 1; by the Inception network of FID and KID (torch-fidelity)."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from gamut.asking.models.batches import BatchedModel, answer_pictures
from gamut.asking.models.extras import first_line, require_package
from gamut.asking.models.torch.networks import device_of, in_batches, load_beside, load_network, model_type
from gamut.asking.requests import Reply, Request, pack_vector
from gamut.project.errors import UserError, nearest_choice
from gamut.project.files import sha256_of
from gamut.project.model_kinds import InceptionModel, TransformersModel, identity
from gamut.project.places import path_on_disk
from gamut.project.settings import Endpoint

GPU_BATCH = 64
KNOWN_TYPES = ("clip", "dinov2", "dinov2_with_registers", "dinov3_vit")


def open_image_embeddings(
    name: str, slug: str, model: TransformersModel, endpoint: Endpoint, folder: Path
) -> BatchedModel:
    """Open the CLIP, DINOv2 or DINOv3 in `folder`. Raise UserError for any other model.

    CLIP: the projected image features, as in CLIP-I and CLIPScore (Radford et al. 2021, figure 3). DINO: the CLS token
    after the last layer norm (Oquab et al. 2023, section 7.3).
    """
    import torch
    import transformers

    kind, device = model_type(name, folder), device_of(name, slug, endpoint)
    if kind not in KNOWN_TYPES:
        raise UserError(
            f"{name}: {folder} is a {kind!r}, which cannot embed pictures here{nearest_choice(kind, KNOWN_TYPES)}"
        )
    network = load_network(name, folder, transformers.AutoModel.from_pretrained, model.dtype, device)
    if kind == "dinov3_vit":  # its own processor needs torchvision; it resizes, without a crop
        look = load_beside(name, folder, transformers.BitImageProcessorPil, do_center_crop=False)
    else:
        look = load_beside(name, folder, transformers.AutoImageProcessor, backend="pil")

    def run(pictures: Sequence[Image.Image]) -> list[Reply]:
        pixels = look(images=list(pictures), return_tensors="pt")["pixel_values"].to(device)
        with torch.inference_mode():
            seen = network.get_image_features(pixels) if kind == "clip" else network(pixels)
        vectors = torch.nn.functional.normalize(seen.pooler_output.float(), dim=-1).cpu().numpy()
        return [Reply(pack_vector(vector)) for vector in vectors]

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return answer_pictures(
            requests, lambda _, some: in_batches(name, slug, device, some, run), model.largest_picture
        )

    batch = endpoint.batch or (1 if device.startswith("cpu") else GPU_BATCH)
    return BatchedModel(identity(model), batch, generate)


FEATURES = "2048"  # torch-fidelity's name of the last layer before the classes


def open_inception(name: str, slug: str, model: InceptionModel, endpoint: Endpoint) -> BatchedModel:
    """Open the network; its vectors are float32 of shape (2048,), at least 0 and not of length 1.

    It resizes pictures to 299 x 299 itself, as TensorFlow did. UserError without its package or the pinned weights.
    """
    require_package(name, "torch_fidelity", "fid")
    path, device = weights_file(name, slug, model, endpoint), device_of(name, slug, endpoint)
    network = load_inception(name, path).to(device)

    def run(some: Sequence[Image.Image]) -> list[Reply]:
        import torch

        replies = []
        for picture in some:  # one by one, because pictures of different sizes are no batch before they are resized
            pixels = torch.from_numpy(np.array(picture)).permute(2, 0, 1)[None].to(device)
            with torch.inference_mode():
                [[features]] = network(pixels)
            replies.append(Reply(pack_vector(features.cpu().numpy())))
        return replies

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return answer_pictures(requests, lambda _, pictures: in_batches(name, slug, device, pictures, run))

    return BatchedModel(identity(model), endpoint.batch or 1, generate)


def weights_file(name: str, slug: str, model: InceptionModel, endpoint: Endpoint) -> Path:
    fix = f"run.toml needs `[models.{slug}] weights`, the path of weights-inception-2015-12-05-6726825d.pth"
    if not endpoint.weights:
        raise UserError(f"{name}: no weights: {fix}")
    path = path_on_disk(endpoint.weights)
    if not path.is_file():
        raise UserError(f"{name}: there is no file {path}: {fix}")
    if (found := f"sha256-{sha256_of(path)}") != model.revision:
        raise UserError(
            f"{name}: the digest of {path} is {found}, but models.{slug}.revision in params.yaml is {model.revision}: "
            "name another file in run.toml, or put the new digest into params.yaml"
        )
    return path


def load_inception(name: str, path: Path) -> Any:
    import torch
    from torch_fidelity.feature_extractor_inceptionv3 import FeatureExtractorInceptionV3

    try:
        torch.load(path, weights_only=True)  # torch-fidelity itself would run the code in a pickle
        return FeatureExtractorInceptionV3("inception", [FEATURES], feature_extractor_weights_path=str(path))
    except (OSError, ValueError, RuntimeError, AttributeError, TypeError, EOFError, pickle.UnpicklingError) as error:
        raise UserError(f"{name}: {path} cannot be loaded ({first_line(error)}): fetch it again") from None
