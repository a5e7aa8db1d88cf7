"""Text embeddings by a sentence-transformers model in this process."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from stages.asking.models.batches import BatchedModel
from stages.asking.models.extras import require
from stages.asking.models.torch_batches import device_of, in_batches
from stages.asking.models.weights import PICKLES, walk, weights_folder
from stages.asking.requests import Embed, Reply, Request, packed
from stages.project.errors import UserError
from stages.project.model_kinds import SentenceTransformersModel, identity
from stages.project.settings import Endpoint

BATCH = 64


def open_sentence_transformers(
    name: str, slug: str, model: SentenceTransformersModel, endpoint: Endpoint
) -> BatchedModel:
    """Load a model; `name` is whose it is, "text_embedder (minilm)". Its embeddings are float32 of length 1.

    A text that is longer than the model reads is cut by it. UserError when a package, weights or a device is missing.
    """
    for package in ("torch", "transformers", "sentence_transformers"):
        require(name, package, "models")
    device = device_of(name, slug, endpoint)
    network = loaded(name, slug, model, endpoint, device)

    def embed(texts: Sequence[str]) -> list[NDArray[np.float32]]:
        options = {"normalize_embeddings": True, "show_progress_bar": False}
        return list(network.encode(list(texts), batch_size=len(texts), device=device, **options))

    def generate(requests: Sequence[Request]) -> list[Reply]:
        texts = [request.item for request in requests if isinstance(request, Embed) and isinstance(request.item, str)]
        assert len(texts) == len(requests)  # params.yaml gives it no other role
        return [Reply(packed(vector)) for vector in in_batches(name, slug, device, texts, embed)]

    return BatchedModel(identity(model), endpoint.batch or BATCH, generate)


def loaded(name: str, slug: str, model: SentenceTransformersModel, endpoint: Endpoint, device: str) -> Any:
    """Load the network in float32 from safetensors alone; UserError when it cannot be."""
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code)
    for path in walk(folder):  # the library would take the pickle of a layer that has no safetensors
        if path.suffix in PICKLES and not any(path.parent.glob("*.safetensors")):
            raise UserError(
                f"{name}: {path} is a pickle, which can run code: convert it to safetensors (`save` writes them), or "
                "take a repository that has them so"
            )
    import torch
    from safetensors import SafetensorError
    from sentence_transformers import SentenceTransformer
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        return SentenceTransformer(
            str(folder),
            device=device,
            local_files_only=True,
            trust_remote_code=model.trust_remote_code,
            model_kwargs={"use_safetensors": True, "dtype": torch.float32},
        )
    except (OSError, ValueError, RuntimeError, ImportError, LookupError, SafetensorError) as error:
        cause = " ".join(str(error).split())[:300]
        raise UserError(f"{name}: {folder} cannot be loaded ({cause}): fetch it again, or name another") from None
