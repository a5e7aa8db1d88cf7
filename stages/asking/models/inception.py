"""Features of pictures by the Inception network that FID and KID are defined on, as torch-fidelity has it."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image

from stages.asking.models.batches import BatchedModel
from stages.asking.models.extras import require
from stages.asking.models.pictures import answer_about
from stages.asking.models.torch_batches import device_of, in_batches
from stages.asking.requests import Reply, Request, packed
from stages.project.errors import UserError
from stages.project.files import sha256_of
from stages.project.model_kinds import InceptionModel, identity
from stages.project.settings import Endpoint, on_disk

FEATURES = "2048"
"""torch-fidelity's name of the last layer before the classes."""


def open_inception(name: str, slug: str, model: InceptionModel, endpoint: Endpoint) -> BatchedModel:
    """Open the network; its vectors are float32 of shape (2048,), at least 0 and not of length 1.

    Pictures go in as they are: the network resizes them to 299 x 299 itself, as TensorFlow did, and whoever wants
    another size first resizes before. UserError when the package or the file of weights is missing, or is another.
    """
    require(name, "torch_fidelity", "fid")
    path, device = weights_file(name, slug, model, endpoint), device_of(name, slug, endpoint)
    network = loaded(name, path).to(device)

    def run(some: Sequence[Image.Image]) -> list[Reply]:
        import torch

        found = []
        for picture in some:  # of all sizes, so that they make no batch before they are resized
            pixels = torch.from_numpy(np.array(picture)).permute(2, 0, 1)[None].to(device)
            with torch.inference_mode():
                [[features]] = network(pixels)
            found.append(Reply(packed(features.cpu().numpy())))
        return found

    def generate(requests: Sequence[Request]) -> list[Reply]:
        return answer_about(requests, lambda _, pictures: in_batches(name, slug, device, pictures, run))

    return BatchedModel(identity(model), endpoint.batch or 1, generate)


def weights_file(name: str, slug: str, model: InceptionModel, endpoint: Endpoint) -> Path:
    """Return the file that run.toml names, after a look that it is the one that params.yaml pins."""
    mend = f"run.toml needs `[models.{slug}] weights`, the path of weights-inception-2015-12-05-6726825d.pth"
    if not endpoint.weights:
        raise UserError(f"{name}: no weights: {mend}")
    path = on_disk(endpoint.weights)
    if not path.is_file():
        raise UserError(f"{name}: there is no file {path}: {mend}")
    if (found := f"sha256-{sha256_of(path)}") != model.revision:
        raise UserError(
            f"{name}: {path} is not {model.revision}, as models.{slug}.revision in params.yaml wants it: name another "
            f"file in run.toml, or put there this one's, {found}"
        )
    return path


def loaded(name: str, path: Path) -> Any:
    import torch
    from torch_fidelity.feature_extractor_inceptionv3 import FeatureExtractorInceptionV3

    try:
        torch.load(path, weights_only=True)  # torch-fidelity itself would run code that stands in a pickle
        return FeatureExtractorInceptionV3("inception", [FEATURES], feature_extractor_weights_path=str(path))
    except (OSError, ValueError, RuntimeError, AttributeError, TypeError, EOFError, pickle.UnpicklingError) as error:
        cause = " ".join(str(error).split())[:300]
        raise UserError(f"{name}: {path} cannot be loaded ({cause}): fetch it again") from None
