"""Functions for all networks that torch runs: device and configuration, loading, batches that fit into memory."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

from gamut.asking.models.extras import first_line
from gamut.project.errors import ModelDied, UserError
from gamut.project.settings import Endpoint

Item = TypeVar("Item")
Result = TypeVar("Result")
BROKEN_GPU = ("CUDA error", "cuDNN error", "HIP error", "NCCL error")
"""After one of these nothing more can be computed in this process."""


def device_of(name: str, slug: str, endpoint: Endpoint) -> str:
    import torch

    device = endpoint.device or ("cuda" if torch.cuda.is_available() else "cpu")
    try:
        torch.empty(1, device=device)
    except (RuntimeError, AssertionError) as error:  # a torch without CUDA asserts
        cause = str(error).splitlines()[0].rstrip(".")
        raise UserError(
            f"{name}: device {device!r} cannot be used here ({cause}): fix `[models.{slug}] device` in run.toml"
        ) from None
    return device


def model_type(name: str, folder: Path) -> str:
    return str(config_of(name, folder)["model_type"])


def config_of(name: str, folder: Path) -> dict[str, Any]:
    try:
        config = json.loads((folder / "config.json").read_bytes())
        config["model_type"]
    except (OSError, ValueError, LookupError, TypeError):
        raise UserError(f"{name}: {folder}/config.json names no model_type: is this a transformers model?") from None
    return dict(config)


def load_network(name: str, folder: Path, load: Callable[..., Any], dtype: str, device: str, **options: Any) -> Any:
    """Load a network from local safetensors. Raise UserError for missing weights, which transformers would invent."""
    import torch
    from safetensors import SafetensorError
    from transformers.utils import logging

    logging.set_verbosity_error()
    logging.disable_progress_bar()
    try:
        network, report = load(
            folder,
            dtype=getattr(torch, dtype),
            device_map=device,
            use_safetensors=True,
            local_files_only=True,
            output_loading_info=True,
            **options,
        )
    except torch.OutOfMemoryError:
        raise UserError(f"{name}: {folder} does not fit on {device}: take a larger GPU or a smaller model") from None
    except (OSError, ValueError, RuntimeError, ImportError, SafetensorError) as error:
        raise UserError(
            f"{name}: {folder} cannot be loaded ({first_line(error)}): fetch it again, or name another"
        ) from None
    if missing := sorted(report["missing_keys"]):
        raise UserError(f"{name}: {folder} lacks {len(missing)} weights, such as {missing[0]}: fetch all of it again")
    return network.eval()


def load_beside(name: str, folder: Path, kind: Any, **options: Any) -> Any:
    """Load a tokenizer, or an image processor, which always uses Pillow (`backend`). torchvision, which some models'
    own processors need for videos, resizes to other pixels.
    """
    try:
        return kind.from_pretrained(folder, local_files_only=True, **options)
    except (OSError, ValueError, ImportError) as error:
        raise UserError(f"{name}: {folder} has no usable tokenizer or image processor ({first_line(error)})") from None


def in_batches(
    name: str, slug: str, device: str, items: Sequence[Item], run: Callable[[Sequence[Item]], Sequence[Result]]
) -> list[Result]:
    """Run a batch; results come in order.

    The CPU runs one item at a time, because sums over a padded batch differ in their last bits. A GPU runs all at once,
    or halves of a batch that is too large for its memory. Raise ModelDied when the GPU is broken.
    """
    import torch

    if device.startswith("cpu"):
        return [result for item in items for result in run([item])]
    try:
        return list(run(items))
    except torch.OutOfMemoryError:
        pass  # frees what was computed before the halves run
    except RuntimeError as error:
        cause = str(error).splitlines()[0]
        if not any(words in cause for words in BROKEN_GPU):
            raise
        raise ModelDied(f"{name}: the GPU failed ({cause}): run it again to go on") from None
    if len(items) == 1:
        raise UserError(
            f"{name}: one request alone needs more than the GPU's memory: take a larger GPU, a smaller or quantised "
            f"model, or smaller pictures (models.{slug} in params.yaml)"
        )
    torch.cuda.empty_cache()
    half = len(items) // 2
    return [result for some in (items[:half], items[half:]) for result in in_batches(name, slug, device, some, run)]
