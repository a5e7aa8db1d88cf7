"""What makes a diffusers pipeline faster and its pictures a little different: fp8, compiled kernels, FlashAttention-3,
a cache from step to step. All of it is in the fingerprint; nothing of it has been tried on a GPU here.
"""

from __future__ import annotations

import json
import logging
from pathlib import Path
from typing import Any

from stages.asking.models.extras import first_line, require
from stages.project.errors import UserError
from stages.project.model_kinds import DiffusersModel

FP8_CAPABILITY = (8, 9)
"""Of the first cards that multiply in fp8: Ada, Hopper."""
HOPPER = 9
"""First number of the compute capability of the cards that FlashAttention-3 is written for."""
BACKENDS = {None: "native", "flash_3": "_flash_3_hub"}
"""As diffusers calls them. The default is set too: else DIFFUSERS_ATTN_BACKEND would choose it, which is in no
fingerprint."""
CACHE = {"Fn_compute_blocks": 8, "Bn_compute_blocks": 0, "max_warmup_steps": 8, "residual_diff_threshold": 0.08}
"""What `cache_dit` is in a fingerprint: the defaults of cache-dit 1.5. From the ninth step on, where the first eight
blocks change little (0.08 of their mean), what the others changed the step before is taken again."""


def require_speed(name: str, slug: str, model: DiffusersModel, device: str) -> None:
    """Raise UserError when what is to make a pipeline faster is not installed, or this device or dtype cannot."""
    if model.quantization:
        require(name, "torchao", "speed")
        require_fp8(name, slug, model, device)
    if model.attention:
        require(name, "kernels", "speed")
        require_flash(name, slug, model, device)
    if model.cache:
        require(name, "cache_dit", "speed")


def require_fp8(name: str, slug: str, model: DiffusersModel, device: str) -> None:
    """Raise UserError when this device or dtype cannot multiply in fp8."""
    if capability(device) < FP8_CAPABILITY:
        raise UserError(
            f"{name}: fp8 wants an NVIDIA GPU of compute capability 8.9 or more, {device} is none: leave out "
            f"models.{slug}.quantization in params.yaml, or mend run.toml, `[models.{slug}] device`"
        )
    if model.dtype != "bfloat16":
        raise UserError(f"{name}: fp8 goes with bfloat16 alone: mend models.{slug}.dtype in params.yaml")


def require_flash(name: str, slug: str, model: DiffusersModel, device: str) -> None:
    """Raise UserError when this device or dtype cannot attend by FlashAttention-3."""
    if capability(device)[0] != HOPPER:
        raise UserError(
            f"{name}: FlashAttention-3 wants an NVIDIA GPU of the Hopper generation (H100, H200), {device} is none: "
            f"leave out models.{slug}.attention in params.yaml, or mend run.toml, `[models.{slug}] device`"
        )
    if model.dtype == "float32":
        raise UserError(f"{name}: FlashAttention-3 wants 16 bits: mend models.{slug}.dtype in params.yaml")


def capability(device: str) -> tuple[int, int]:
    """Return the compute capability of a device; (0, 0) of what is no NVIDIA GPU."""
    import torch

    return torch.cuda.get_device_capability(device) if device.startswith("cuda") else (0, 0)


def fp8(folder: Path) -> Any:
    """Quantise the denoiser's linear layers: weights, and activations as they come, in fp8 with a scale a row.

    Tried with torchao 0.18 on a processor alone (its check of the hardware left out), on no GPU yet.
    """
    from diffusers import PipelineQuantizationConfig, TorchAoConfig

    parts = json.loads((folder / "model_index.json").read_bytes())
    core = "transformer" if "transformer" in parts else "unet"
    return PipelineQuantizationConfig(quant_mapping={core: TorchAoConfig(fp8_scheme())})


def fp8_scheme() -> Any:
    from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, PerRow

    return Float8DynamicActivationFloat8WeightConfig(granularity=PerRow())


def hasten(name: str, slug: str, model: DiffusersModel, pipeline: Any) -> None:
    """Make a loaded pipeline faster as its model says; UserError where it has nothing that can be made so."""
    core = getattr(pipeline, "transformer", None) or getattr(pipeline, "unet", None)
    wanted = [key for key in ("attention", "cache", "compile") if getattr(model, key)]
    if core is None and wanted:
        raise UserError(
            f"{name}: {type(pipeline).__name__} has no transformer that could be made faster: remove "
            f"models.{slug}.{wanted[0]}"
        )
    if core is not None:
        attend(name, slug, model, core)
    if model.cache:
        cache(name, slug, model, pipeline)
    if core is not None and model.compile:  # one of its blocks where all are alike, else all of it
        (core.compile_repeated_blocks if getattr(core, "_repeated_blocks", None) else core.compile)()


def attend(name: str, slug: str, model: DiffusersModel, core: Any) -> None:
    """Choose how the denoiser attends; UserError when it chooses itself, or the kernels cannot be had."""
    processors = (module.processor for module in core.modules() if hasattr(module, "processor"))
    if not any(hasattr(part, "_attention_backend") for part in processors):
        if model.attention:
            own = f"{type(core).__name__} has an attention of its own"
            raise UserError(f"{name}: {own}: remove models.{slug}.attention in params.yaml")
        return
    try:
        core.set_attention_backend(BACKENDS[model.attention])
    except (RuntimeError, ValueError, ImportError, OSError) as error:
        raise UserError(
            f"{name}: FlashAttention-3 cannot be had ({first_line(error)}): its kernels come from the Hub, or leave "
            f"out models.{slug}.attention in params.yaml"
        ) from None


def cache(name: str, slug: str, model: DiffusersModel, pipeline: Any) -> None:
    """Let cache-dit leave out what changes little; UserError where it does not know the pipeline or saves nothing."""
    import cache_dit

    for handler in logging.getLogger("CACHE_DIT").handlers:  # the one that all its loggers share
        handler.setLevel(logging.ERROR)
    remove = f"remove models.{slug}.cache in params.yaml"
    steps = model.sampling.num_inference_steps
    if steps is not None and steps <= CACHE["max_warmup_steps"]:
        raise UserError(
            f"{name}: cache_dit leaves nothing out of the first {CACHE['max_warmup_steps']} steps: {remove}"
        )
    if not cache_dit.BlockAdapterRegister.is_supported(pipeline):
        raise UserError(f"{name}: cache_dit does not know {type(pipeline).__name__}: {remove}")
    cache_dit.enable_cache(pipeline, cache_config=cache_dit.DBCacheConfig(**CACHE))
