"""Options of a diffusers pipeline: sampling with its makers' defaults, fp8, compiled kernels. Fingerprints hold all."""

from __future__ import annotations

import inspect
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from gamut.asking.models.extras import require_package
from gamut.project.errors import UserError
from gamut.project.model_kinds import DiffusersModel

EMPTY_PROMPT = " "  # an empty negative prompt, as Qwen-Image's makers write it
LONGEST_PROMPTS = {
    "BriaPipeline": 512,
    "ChromaInpaintPipeline": 512,
    "Kandinsky5T2IPipeline": 1024,
    "Lumina2Pipeline": 512,
    "QwenImage": 1024,
    "StableDiffusion3": 512,
}
"""By the start of a pipeline's name: tokens of a prompt that its `check_inputs` permits, if its default is fewer
(diffusers 0.42). The weights name the pipeline, so the fingerprint includes this number."""


class IntendedCall(NamedTuple):
    """The intended arguments of a distilled pipeline. `guidance`: None if it has none; `longest`: tokens of a
    prompt.
    """

    steps: int
    guidance: float | None
    longest: int | None = None


SCHNELL = IntendedCall(4, None, 256)  # diffusers' page of FLUX.1: at most 256 tokens, no guidance, one to four steps
DISTILLED_BY_CONFIG = {"Flux2Klein": IntendedCall(4, None), "Krea2": IntendedCall(8, 0.0)}
"""By the start of the name of a pipeline whose model_index.json can say `is_distilled`: README of FLUX.2-klein,
pipeline_krea2.py."""
DISTILLED_BY_ID = {
    "z-image-turbo": IntendedCall(9, 0.0),
    "sdxl-turbo": IntendedCall(1, 0.0),
    "sd-turbo": IntendedCall(1, 0.0),
    "stable-diffusion-3.5-large-turbo": IntendedCall(4, 0.0),
    "hidream-i1-dev": IntendedCall(28, 0.0),
    "hidream-i1-fast": IntendedCall(16, 0.0),
}
"""By a part of the id, for weights that do not say it: the values in the examples of their model cards."""


def call_arguments(name: str, slug: str, model: DiffusersModel, pipeline: Any) -> dict[str, Any]:
    """Return sampling as the pipeline's arguments. UserError for unused ones, and ones that a distilled one lacks."""
    kind, accepted, intended = type(pipeline).__name__, parameters(pipeline), intended_call(model.id, pipeline)
    sampling = with_guidance(accepted, model.sampling.model_dump(exclude_none=True))
    if unused := unused_options(accepted, intended, sampling):
        raise UserError(f"{name}: {kind} does not use {unused[0]}: remove models.{slug}.sampling.{unused[0]}")
    if lacking := lacking_options(intended, sampling):
        raise UserError(
            f"{name}: {model.id} is distilled, so the defaults of {kind} do not suit it: set models.{slug}.sampling."
            f"{' and '.join(lacking)} in params.yaml, or your own values"
        )
    if "max_sequence_length" in accepted and (longest := (intended and intended.longest) or longest_prompt(kind)):
        sampling.setdefault("max_sequence_length", longest)
    return sampling


def parameters(pipeline: Any) -> Mapping[str, inspect.Parameter]:
    return inspect.signature(type(pipeline).__call__).parameters


def intended_call(id: str, pipeline: Any) -> IntendedCall | None:
    kind, core = type(pipeline).__name__, getattr(pipeline, "transformer", None)
    if core is not None and type(core).__name__ == "FluxTransformer2DModel" and not core.config.get("guidance_embeds"):
        return SCHNELL
    if getattr(pipeline, "config", {}).get("is_distilled"):
        return next((meant for start, meant in DISTILLED_BY_CONFIG.items() if kind.startswith(start)), None)
    return next((meant for part, meant in DISTILLED_BY_ID.items() if part in id.lower()), None)


def true_scale(accepted: Mapping[str, inspect.Parameter]) -> float:
    default = accepted["true_cfg_scale"].default if "true_cfg_scale" in accepted else None
    return default if isinstance(default, float) else 0.0


def with_guidance(accepted: Mapping[str, inspect.Parameter], sampling: dict[str, Any]) -> dict[str, Any]:
    """Give a pipeline with `true_cfg_scale` a negative prompt, because without one it is not guided.

    If that guidance is its default (Qwen-Image), `guidance_scale` sets it.
    """
    default = true_scale(accepted)
    if default > 1:
        if "true_cfg_scale" not in sampling and "guidance_scale" in sampling:
            sampling["true_cfg_scale"] = sampling.pop("guidance_scale")
        sampling.setdefault("true_cfg_scale", default)
    if "true_cfg_scale" in accepted and sampling.get("true_cfg_scale", default) > 1:
        sampling.setdefault("negative_prompt", EMPTY_PROMPT)
    return sampling


def unused_options(
    accepted: Mapping[str, inspect.Parameter], intended: IntendedCall | None, sampling: Mapping[str, Any]
) -> list[str]:
    unused = [key for key in sampling if key not in accepted]
    if "guidance_scale" in sampling and (true_scale(accepted) > 1 or (intended and intended.guidance is None)):
        unused.append("guidance_scale")
    scale = sampling.get("true_cfg_scale", true_scale(accepted)) if "true_cfg_scale" in accepted else None
    unguided = sampling.get("guidance_scale") == 0 if scale is None else scale <= 1
    if "negative_prompt" in sampling and unguided:
        unused.append("negative_prompt")
    return unused


def lacking_options(intended: IntendedCall | None, sampling: Mapping[str, Any]) -> list[str]:
    """Return the options that a distilled pipeline needs and lacks: its defaults are those of undistilled ones."""
    if intended is None:
        return []
    wanted = {"num_inference_steps": intended.steps, "guidance_scale": intended.guidance}
    return [f"{key}: {value}" for key, value in wanted.items() if value is not None and key not in sampling]


def longest_prompt(kind: str) -> int | None:
    """Return how many tokens of a prompt such a pipeline may read; None if that is its default."""
    return next((longest for start, longest in LONGEST_PROMPTS.items() if kind.startswith(start)), None)


FP8_CAPABILITY = (8, 9)  # the first cards that multiply in fp8: Ada, Hopper


def require_fp8(name: str, slug: str, model: DiffusersModel, device: str) -> None:
    """Raise UserError if a model is to be quantised to fp8, but package, card or dtype does not allow it."""
    import torch

    if not model.quantization:
        return
    require_package(name, "torchao", "speed")
    card = torch.cuda.get_device_capability(device) if device.startswith("cuda") else (0, 0)
    if card < FP8_CAPABILITY:
        raise UserError(
            f"{name}: fp8 needs an NVIDIA GPU of compute capability 8.9 or more, {device} is not one: remove "
            f"models.{slug}.quantization in params.yaml, or fix `[models.{slug}] device` in run.toml"
        )
    if model.dtype != "bfloat16":
        raise UserError(f"{name}: fp8 works only with bfloat16: fix models.{slug}.dtype in params.yaml")


def fp8(folder: Path) -> Any:
    """Quantise the denoiser's linear layers: weights, and activations when they occur, in fp8 with a scale per row."""
    from diffusers import PipelineQuantizationConfig, TorchAoConfig
    from torchao.quantization import Float8DynamicActivationFloat8WeightConfig, PerRow

    parts = json.loads((folder / "model_index.json").read_bytes())
    core = "transformer" if "transformer" in parts else "unet"
    scheme = TorchAoConfig(Float8DynamicActivationFloat8WeightConfig(granularity=PerRow()))
    return PipelineQuantizationConfig(quant_mapping={core: scheme})


def settle_core(name: str, slug: str, model: DiffusersModel, pipeline: Any) -> None:
    """Compile a denoiser if asked, and set PyTorch's attention, as DIFFUSERS_ATTN_BACKEND is in no fingerprint."""
    core = getattr(pipeline, "transformer", None) or getattr(pipeline, "unet", None)
    if core is None:
        if model.compile:
            kind = type(pipeline).__name__
            raise UserError(f"{name}: {kind} has no transformer to compile: remove models.{slug}.compile")
        return
    processors = [module.processor for module in core.modules() if hasattr(module, "processor")]
    if any(hasattr(one, "_attention_backend") for one in processors):  # others have an attention of their own
        core.set_attention_backend("native")
    if model.compile:  # one of its blocks where all are alike, else all of it
        (core.compile_repeated_blocks if getattr(core, "_repeated_blocks", None) else core.compile)()
