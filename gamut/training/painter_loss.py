"""The loss of painters that match flows: of the velocity from a picture to noise, at a level of noise between them.

Levels are drawn logit-normally (Esser et al. 2024, section 3.1: mean 0, deviation 1), as diffusers' own training
scripts draw them, and shifted where the pipeline's scheduler shifts all alike.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

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

GUIDANCE = 3.5
"""What FLUX.1-dev, which was distilled from a guided model, is told while it learns, as diffusers' scripts have it."""


class Latents(NamedTuple):
    """A picture as its autoencoder has it, (channels, rows, columns), and its text's embeddings, the pooled one last.
    Each has a first dimension of 1.
    """

    picture: Any
    text: Any
    pooled: Any


def open_painter(name: str, slug: str, model: DiffusersModel, endpoint: Endpoint, recipe: Recipe) -> Learner:
    folder = weights_folder(name, slug, model.id, model.revision, endpoint, model.trust_remote_code, pipeline=True)
    pipeline = load_pipeline(name, slug, model, folder, device_of(name, slug, endpoint))
    if (kind := type(pipeline).__name__) not in VELOCITIES:
        known = " and ".join(VELOCITIES)
        raise UserError(f"{name}: a {kind} cannot be trained, {known} can: name another at models.{slug}.id")
    grid = 2 * pipeline.vae_scale_factor
    if not (recipe.width and recipe.height) or recipe.width % grid or recipe.height % grid:
        raise UserError(f"{name}: its recipe wants width and height of its pictures, in multiples of {grid} pixels")
    arguments = call_arguments(name, slug, model, pipeline)
    longest = {key: arguments[key] for key in ("max_sequence_length",) if key in arguments}
    readings, cut = watch_tokenizers(pipeline, arguments), list[str]()
    core = pipeline.transformer
    if core.device.type != "cpu":  # it saves memory, and costs time
        core.enable_gradient_checkpointing()

    def read(example: Example) -> Latents:
        if not isinstance(example.answer, Picture) or any(isinstance(part, Picture) for part in example.given):
            raise ValueError("a painter learns from texts with a picture as the answer")
        size = (recipe.width or 0, recipe.height or 0)
        picture = ImageOps.fit(decode_picture(example.answer), size, Image.Resampling.BICUBIC)
        readings.clear()
        text, pooled = encode_text(pipeline, number_pictures(example.given)[0], longest)
        if (remark := cut_remarks(readings, 1)[0]) and not cut:
            cut.append(example.id)
            print(f"{name}: example {example.id}, and maybe others: {remark}, as when it paints", file=sys.stderr)
        pixels = pipeline.image_processor.preprocess(picture).to(core.device, pipeline.vae.dtype)
        known = pipeline.vae.config
        encoded = pipeline.vae.encode(pixels).latent_dist.mode()
        return Latents((encoded - (known.shift_factor or 0)) * known.scaling_factor, text, pooled)

    def save_adapter(place: Path, tensors: dict[str, Any], config: Any) -> None:
        from safetensors.torch import save_file

        # diffusers takes α to be the rank where a file does not say it: what it is more or less becomes part of B
        scale = config.lora_alpha / config.r
        named = {f"transformer.{name.removeprefix('base_model.model.')}": tensor for name, tensor in tensors.items()}
        scaled = {name: tensor * scale if ".lora_B." in name else tensor for name, tensor in named.items()}
        save_file(scaled, place / ADAPTER_FILES[0], {"format": "pt"})

    def save_whole(place: Path) -> None:
        for part in (pipeline, *pipeline.components.values()):
            if hasattr(part, "register_to_config"):  # else it says in which folder it lies on this machine
                part.register_to_config(_name_or_path=model.id)
        pipeline.save_pretrained(place)

    return Learner(name, core, core, read, partial(painter_losses, pipeline), save_whole, save_adapter)


def encode_text(pipeline: Any, text: str, longest: dict[str, int]) -> tuple[Any, Any]:
    if type(pipeline).__name__ == "FluxPipeline":
        return tuple(pipeline.encode_prompt(prompt=text, prompt_2=None, **longest)[:2])
    found = pipeline.encode_prompt(text, None, None, do_classifier_free_guidance=False, **longest)
    return found[0], found[2]


def painter_losses(pipeline: Any, batch: Sequence[Latents], seeds: Sequence[int]) -> Any:
    import torch

    device, scheduler = pipeline.transformer.device, pipeline.scheduler.config
    pictures = torch.cat([one.picture for one in batch]).float()
    sources = [torch.Generator().manual_seed(seed) for seed in seeds]
    levels = torch.cat([torch.randn(1, generator=source) for source in sources]).sigmoid().to(device)
    noise = torch.stack([torch.randn(pictures.shape[1:], generator=source) for source in sources]).to(device)
    if not scheduler.use_dynamic_shifting:
        levels = scheduler.shift * levels / (1 + (scheduler.shift - 1) * levels)
    text, pooled = (torch.cat([getattr(one, part) for one in batch]) for part in ("text", "pooled"))
    share = levels[:, None, None, None]
    noised = ((1 - share) * pictures + share * noise).to(text.dtype)
    velocity = VELOCITIES[type(pipeline).__name__](pipeline, noised, levels, text, pooled)
    return (velocity.float() - (noise - pictures)).square().mean((1, 2, 3))


def flux_velocity(pipeline: Any, noised: Any, levels: Any, text: Any, pooled: Any) -> Any:
    import torch

    (batch, channels, rows, columns), where = noised.shape, {"device": noised.device, "dtype": text.dtype}
    core, scale = pipeline.transformer, pipeline.vae_scale_factor
    velocity = core(
        hidden_states=pipeline._pack_latents(noised, batch, channels, rows, columns),
        timestep=levels,
        guidance=levels.new_full((batch,), GUIDANCE) if core.config.guidance_embeds else None,
        pooled_projections=pooled,
        encoder_hidden_states=text,
        txt_ids=torch.zeros(text.shape[1], 3, **where),
        img_ids=pipeline._prepare_latent_image_ids(batch, rows // 2, columns // 2, **where),
        return_dict=False,
    )[0]
    return pipeline._unpack_latents(velocity, rows * scale, columns * scale, scale)


def sd3_velocity(pipeline: Any, noised: Any, levels: Any, text: Any, pooled: Any) -> Any:
    steps = levels * pipeline.scheduler.config.num_train_timesteps
    return pipeline.transformer(noised, text, pooled, steps, return_dict=False)[0]


VELOCITIES = {"FluxPipeline": flux_velocity, "StableDiffusion3Pipeline": sd3_velocity}
"""How the pipelines that can be trained are asked for velocities, of noised latents at levels from 0 to 1."""
