"""The loss of painters trained by flow matching: of the velocity from a picture to noise, at a level of noise between.

Levels are drawn logit-normally (Esser et al. 2024, section 3.1), mean 0, deviation 1, as diffusers' scripts draw them.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any

from PIL import Image, ImageOps

from gamut.asking.models.batches import decode_picture
from gamut.asking.models.torch.adapters import ADAPTER_FILES
from gamut.asking.models.torch.diffusers import cut_remarks, load_pipeline, watch_tokenizers
from gamut.asking.models.torch.networks import device_of
from gamut.asking.models.torch.painting_options import call_arguments
from gamut.asking.models.weights import weights_folder
from gamut.asking.requests import Picture, number_pictures
from gamut.project.errors import UserError
from gamut.project.model_kinds import DiffusersModel
from gamut.project.settings import Endpoint
from gamut.training.examples import Example
from gamut.training.learners import Learner
from gamut.training.recipes import Recipe

GUIDANCE = 3.5  # as diffusers' scripts tell FLUX.1-dev while it learns, which was distilled from a guided model


def open_painter(name: str, slug: str, model: DiffusersModel, endpoint: Endpoint, recipe: Recipe) -> Learner:
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code, pipeline=True)
    pipeline = load_pipeline(name, slug, model, folder, device_of(name, slug, endpoint))
    if (kind := type(pipeline).__name__) != "FluxPipeline":
        raise UserError(f"{name}: a {kind} cannot be trained, only a FluxPipeline: name another at models.{slug}.id")
    size, grid = (recipe.width or 0, recipe.height or 0), 2 * pipeline.vae_scale_factor
    if not all(size) or any(side % grid for side in size):
        raise UserError(f"{name}: its recipe needs `width` and `height` of pictures, in multiples of {grid} pixels")
    core, vae, arguments = pipeline.transformer, pipeline.vae, call_arguments(name, slug, model, pipeline)
    longest = {key: value for key, value in arguments.items() if key == "max_sequence_length"}
    readings, cut = watch_tokenizers(pipeline, arguments), list[str]()
    if core.device.type != "cpu":  # saves memory, costs time
        core.enable_gradient_checkpointing()

    def read(example: Example) -> tuple[Any, Any, Any]:
        if not isinstance(example.answer, Picture) or any(isinstance(part, Picture) for part in example.given):
            raise ValueError("a painter can only learn from texts with a picture as the answer")
        picture = ImageOps.fit(decode_picture(example.answer), size, Image.Resampling.BICUBIC)
        readings.clear()
        text, pooled, _ = pipeline.encode_prompt(number_pictures(example.given)[0], **longest)
        if (remark := cut_remarks(readings, 1)[0]) and not cut:
            cut.append(example.id)
            print(f"{name}: example {example.id}, and perhaps others: {remark}, as when it paints", file=sys.stderr)
        pixels = pipeline.image_processor.preprocess(picture).to(core.device, vae.dtype)
        latents = vae.encode(pixels).latent_dist.mode()
        return (latents - (vae.config.shift_factor or 0)) * vae.config.scaling_factor, text, pooled

    def save_whole(place: Path) -> None:
        for part in (pipeline, *pipeline.components.values()):
            if hasattr(part, "register_to_config"):  # else it says in which folder it lies on this machine
                part.register_to_config(_name_or_path=model.id)
        pipeline.save_pretrained(place)

    def save_adapter(place: Path, tensors: dict[str, Any], config: Any) -> None:
        from safetensors.torch import save_file

        # diffusers takes α to be the rank where a file does not say it: what it is more or less becomes part of B.
        scaled = {key: one * (config.lora_alpha / config.r if "lora_B" in key else 1) for key, one in tensors.items()}
        named = {key.replace("base_model.model", "transformer", 1): one for key, one in scaled.items()}
        save_file(named, place / ADAPTER_FILES[0], {"format": "pt"})

    return Learner(name, core, core, read, partial(painter_losses, pipeline), save_whole, save_adapter)


def painter_losses(pipeline: Any, batch: Sequence[tuple[Any, Any, Any]], seeds: Sequence[int]) -> Any:
    import torch

    pictures, text, pooled = (torch.cat(parts) for parts in zip(*batch, strict=True))
    device, (count, channels, rows, columns) = pictures.device, pictures.shape
    sources = [torch.Generator().manual_seed(seed) for seed in seeds]
    levels = torch.cat([torch.randn(1, generator=source) for source in sources]).sigmoid().to(device)
    noise = torch.stack([torch.randn(pictures.shape[1:], generator=source) for source in sources]).to(device)
    share = levels[:, None, None, None]
    noised = ((1 - share) * pictures.float() + share * noise).to(text.dtype)
    core, scale = pipeline.transformer, pipeline.vae_scale_factor
    places = pipeline._prepare_latent_image_ids(count, rows // 2, columns // 2, device, text.dtype)
    guidance = levels.new_full((count,), GUIDANCE) if core.config.guidance_embeds else None
    asked = {"timestep": levels, "guidance": guidance, "pooled_projections": pooled}
    asked |= {"encoder_hidden_states": text, "txt_ids": places.new_zeros(text.shape[1], 3), "img_ids": places}
    packed = pipeline._pack_latents(noised, count, channels, rows, columns)
    velocity = core(hidden_states=packed, return_dict=False, **asked)[0]
    velocity = pipeline._unpack_latents(velocity, rows * scale, columns * scale, scale)
    return (velocity.float() - (noise - pictures.float())).square().mean((1, 2, 3))
