"""LoRA adapters (Hu et al. 2021: W + weight · α/r · B·A), merged when a model is opened. Only safetensors are read."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from gamut.asking.models.extras import first_line, require_package
from gamut.asking.models.weights import PICKLES, digest, fetch_from_hub, is_whole
from gamut.project.errors import UserError
from gamut.project.model_kinds import Adapter
from gamut.project.places import path_on_disk

ADAPTER_FILES = ("pytorch_lora_weights.safetensors", "adapter_model.safetensors")
"""Names of an adapter's weights in diffusers and peft."""
ADAPTER_CONFIG = "adapter_config.json"
ADAPTER_NAME = "adapter"
FIRST_FACTORS = ("lora_A", "lora.down", "lora_down")
"""Parts of the names of factors A; each adapted layer has one such factor."""


def adapter_file(name: str, slug: str, adapter: Adapter) -> Path:
    require_package(name, "peft", "models")
    if adapter.path is None:
        assert adapter.id is not None  # it is one of the two
        folder = fetch_from_hub(name, slug, adapter.id, adapter.revision, trust_remote_code=False, pipeline=False)
        return require_adapter(name, folder, f"fix models.{slug}.adapter in params.yaml")
    if not (folder := path_on_disk(adapter.path)).is_dir():
        raise UserError(f"{name}: there is no folder {folder}: fix the `path` of its adapter in params.yaml")
    file = require_adapter(name, folder, f"fix models.{slug}.adapter in params.yaml")
    if (found := digest(folder)) != adapter.revision:
        raise UserError(
            f"{name}: the digest of the adapter {folder} is {found}, but params.yaml has {adapter.revision}: undo what "
            f"has changed, or run `gamut pin {slug}` to record the new digest"
        )
    return file


def require_adapter(name: str, folder: Path, fix: str) -> Path:
    known = [folder / file for file in ADAPTER_FILES if (folder / file).is_file()]
    files = known or sorted(folder.glob("*.safetensors"))
    if not files:
        if pickles := sorted(path.name for path in folder.iterdir() if path.suffix in PICKLES):
            raise UserError(
                f"{name}: {folder} has its adapter only as pickle ({pickles[0]}), which can run code: save it as "
                "safetensors (`safe_serialization=True`)"
            )
        raise UserError(f"{name}: {folder} holds no adapter ({' or '.join(ADAPTER_FILES)}): {fix}")
    if len(files) > 1:
        raise UserError(f"{name}: {folder} holds {files[0].name} and {files[1].name}: keep only the one that you mean")
    if not is_whole(files[0]):
        raise UserError(f"{name}: {files[0]} is cut off or damaged: save or fetch it again")
    return files[0]


def merge_into_pipeline(name: str, slug: str, adapter: Adapter, pipeline: Any) -> None:
    file = adapter_file(name, slug, adapter)
    from safetensors import safe_open

    if not hasattr(pipeline, "load_lora_weights"):
        raise UserError(f"{name}: {type(pipeline).__name__} takes no adapters: leave out models.{slug}.adapter")
    try:
        pipeline.load_lora_weights(
            str(file.parent), weight_name=file.name, adapter_name=ADAPTER_NAME, local_files_only=True
        )
    except (ValueError, RuntimeError, KeyError, AttributeError, IndexError, TypeError) as error:
        raise misfit_error(name, file, first_line(error)) from None
    adapted = [
        part for part in pipeline._lora_loadable_modules if hasattr(getattr(pipeline, part, None), "peft_config")
    ]
    placed = sum(
        ADAPTER_NAME in getattr(layer, "lora_A", ()) for part in adapted for layer in getattr(pipeline, part).modules()
    )
    with safe_open(file, "pt") as weights:
        wanted = sum(any(part in key for part in FIRST_FACTORS) for key in weights.keys())  # noqa: SIM118
    if placed < wanted or not placed:
        raise misfit_error(name, file, f"the model has {placed} of its {wanted} layers")
    try:
        pipeline.fuse_lora(
            components=adapted, lora_scale=adapter.weight, safe_fusing=True, adapter_names=[ADAPTER_NAME]
        )
    except ValueError as error:  # weights that are no numbers
        raise misfit_error(name, file, first_line(error)) from None
    pipeline.unload_lora_weights()


def merge_into_network(name: str, slug: str, adapter: Adapter, network: Any) -> Any:
    file = adapter_file(name, slug, adapter)
    import peft
    from peft.tuners.lora import LoraLayer
    from safetensors.torch import load_file

    if not (file.parent / ADAPTER_CONFIG).is_file():
        raise UserError(
            f"{name}: {file.parent} has no {ADAPTER_CONFIG}, which says what its numbers mean: save it with peft"
        )
    try:
        config = peft.PeftConfig.from_pretrained(str(file.parent))
        if config.peft_type != peft.PeftType.LORA:
            raise misfit_error(name, file, f"its type is {config.peft_type}, only LORA is supported")
        config.inference_mode = True
        with warnings.catch_warnings(action="ignore", category=FutureWarning):  # of a name that peft reads
            adapted = peft.get_peft_model(network, config, adapter_name=ADAPTER_NAME)
        report: Any = peft.set_peft_model_state_dict(adapted, load_file(file), adapter_name=ADAPTER_NAME)
    except (ValueError, RuntimeError, KeyError, TypeError, OSError) as error:
        raise misfit_error(name, file, first_line(error)) from None
    missing = [key for key in report.missing_keys if f".{ADAPTER_NAME}." in key]
    if strange := sorted([*report.unexpected_keys, *missing]):
        cause = f"{len(strange)} of its weights have no place in the model, or are missing: {strange[0]}"
        raise misfit_error(name, file, cause)
    for layer in adapted.modules():
        if isinstance(layer, LoraLayer):
            layer.scale_layer(adapter.weight)
    try:
        return adapted.merge_and_unload(safe_merge=True).eval()
    except ValueError as error:
        raise misfit_error(name, file, first_line(error)) from None


def misfit_error(name: str, file: Path, why: str) -> UserError:
    return UserError(f"{name}: the adapter {file} does not fit this model ({why}): use the model that it was made for")
