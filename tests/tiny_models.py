"""Diffusers pipelines with tiny random weights, made on the spot, in FLUX's layout; networks that score pictures.

A pipeline made in code differs from itself loaded again by 1/255 here and there: compare loaded ones."""

from __future__ import annotations

import string
from pathlib import Path

import diffusers
import torch
from diffusers import AutoencoderKL, FlowMatchEulerDiscreteScheduler, FluxTransformer2DModel
from transformers import (
    CLIPConfig,
    CLIPImageProcessorPil,
    CLIPModel,
    CLIPTextConfig,
    CLIPTextModel,
    CLIPTokenizer,
    T5Config,
    T5EncoderModel,
    T5TokenizerFast,
    ViTConfig,
    ViTForImageClassification,
    ViTImageProcessorPil,
)


def flux(folder: Path, kind: str = "FluxPipeline") -> Path:
    """Save a pipeline of FLUX's layout (`kind` may be another of the same parts); 2 MB. Return its folder."""
    torch.manual_seed(0)
    clip, t5 = clip_tokenizer(), t5_tokenizer()
    sizes = {"d_model": 32, "d_kv": 8, "d_ff": 32, "num_layers": 1, "num_heads": 4}
    pipeline = getattr(diffusers, kind)(
        scheduler=FlowMatchEulerDiscreteScheduler(),
        vae=autoencoder(),
        text_encoder=CLIPTextModel(clip_sizes(len(clip))),
        tokenizer=clip,
        text_encoder_2=T5EncoderModel(T5Config(vocab_size=len(t5), **sizes)),
        tokenizer_2=t5,
        transformer=FluxTransformer2DModel(
            in_channels=16,
            num_layers=1,
            num_single_layers=1,
            attention_head_dim=16,
            num_attention_heads=2,
            joint_attention_dim=32,
            pooled_projection_dim=32,
            guidance_embeds=True,
            axes_dims_rope=(4, 6, 6),
        ),
    )
    pipeline.save_pretrained(folder)
    return folder


def autoencoder() -> AutoencoderKL:
    """Eight pixels to a latent one, as FLUX has it, with 4 channels of 16."""
    blocks = 4
    return AutoencoderKL(
        down_block_types=("DownEncoderBlock2D",) * blocks,
        up_block_types=("UpDecoderBlock2D",) * blocks,
        block_out_channels=(4,) * blocks,
        layers_per_block=1,
        norm_num_groups=1,
        latent_channels=4,
        use_quant_conv=False,
        use_post_quant_conv=False,
        shift_factor=0.0,
        scaling_factor=1.0,
    )


def clip_sizes(vocabulary: int) -> CLIPTextConfig:
    return CLIPTextConfig(
        vocab_size=vocabulary,
        hidden_size=32,
        intermediate_size=32,
        num_hidden_layers=1,
        num_attention_heads=4,
        projection_dim=32,
        bos_token_id=0,
        eos_token_id=1,
        pad_token_id=1,
    )


def clip_tokenizer() -> CLIPTokenizer:
    """One token a letter."""
    tokens = [
        "<|startoftext|>",
        "<|endoftext|>",
        *string.ascii_lowercase,
        *(f"{x}</w>" for x in string.ascii_lowercase),
    ]
    return CLIPTokenizer(vocab={token: n for n, token in enumerate(tokens)}, merges=[], model_max_length=77)


def t5_tokenizer() -> T5TokenizerFast:
    """One token a letter."""
    tokens = [("<pad>", 0.0), ("</s>", 0.0), ("<unk>", 0.0), ("▁", -2.0), *((x, -2.0) for x in string.ascii_lowercase)]
    return T5TokenizerFast(vocab=tokens, extra_ids=0, model_max_length=512)


def scoring_clip(folder: Path) -> Path:
    """A CLIP that reads 77 letters, with its tokenizer."""
    torch.manual_seed(7)
    words = clip_tokenizer()
    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    texts = clip_sizes(len(words)).to_dict() | tower
    look = tower | {"image_size": 32, "patch_size": 8}
    CLIPModel(CLIPConfig(text_config=texts, vision_config=look, projection_dim=16)).save_pretrained(folder)
    words.save_pretrained(folder)
    CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder


def classifier(folder: Path) -> Path:
    """A classifier of pictures with two labels."""
    torch.manual_seed(8)
    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    labels = {0: "plain", 1: "aesthetic"}
    config = ViTConfig(**tower, image_size=32, patch_size=8, id2label=labels, label2id={"plain": 0, "aesthetic": 1})
    ViTForImageClassification(config).save_pretrained(folder)
    ViTImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder
