"""Tiny networks with random weights, made on the spot and saved as the published ones are: nothing is downloaded.

Their tokenizer knows single bytes and the control tokens; many bytes end a reply, so that replies are short.
"""

from __future__ import annotations

import json
import string
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import pre_tokenizers

torch.set_num_threads(1)  # on networks this small more threads only wait for each other

CONTROL = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<|vision_start|>", "<|vision_end|>", "<|image_pad|>",
           "<|video_pad|>", "<img>", "</img>", "<IMG_CONTEXT>")  # fmt: skip
BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())
ID = {token: number for number, token in enumerate([*BYTES, *CONTROL])}
CONTEXT = 8192

TURNS = """\
{% for message in messages %}<|im_start|>{{ message['role'] }}
{% if message['content'] is string %}{{ message['content'] }}{% else %}{% for part in message['content'] %}\
{% if part['type'] == 'image' %}PICTURE{% else %}{{ part['text'] }}{% endif %}{% endfor %}{% endif %}<|im_end|>
{% endfor %}{% if add_generation_prompt %}<|im_start|>assistant
{% endif %}"""
QWEN_TEMPLATE = TURNS.replace("PICTURE", "<|vision_start|><|image_pad|><|vision_end|>")
INTERNVL_TEMPLATE = TURNS.replace("PICTURE", "{{ '<IMG_CONTEXT>\n' }}")
TEXT_TEMPLATE = """\
{% for message in messages %}{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>\n' }}\
{% endfor %}{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}"""

LANGUAGE: dict[str, Any] = {
    "vocab_size": len(ID),
    "hidden_size": 32,
    "intermediate_size": 64,
    "num_hidden_layers": 2,
    "num_attention_heads": 2,
    "num_key_value_heads": 1,
    "max_position_embeddings": CONTEXT,
    "initializer_range": 0.3,
    "pad_token_id": ID["<|endoftext|>"],
    "bos_token_id": None,
    "eos_token_id": ID["<|im_end|>"],
}
EYES = {"depth": 2, "hidden_size": 32, "intermediate_size": 64, "num_heads": 2, "out_hidden_size": 32}
MROPE = {"rope_type": "default", "mrope_section": [2, 3, 3], "rope_theta": 10_000.0}
PLACES = {
    "image_token_id": ID["<|image_pad|>"],
    "video_token_id": ID["<|video_pad|>"],
    "vision_start_token_id": ID["<|vision_start|>"],
    "vision_end_token_id": ID["<|vision_end|>"],
}


def tokenizer(template: str | None) -> Any:
    made = transformers.Qwen2Tokenizer(
        vocab=ID, merges=[], eos_token="<|im_end|>", pad_token="<|endoftext|>", additional_special_tokens=list(CONTROL)
    )
    made.chat_template = template
    return made


def save(folder: Path, network: Any, template: str | None, look: Any = None) -> Path:
    words = tokenizer(template)
    assert {token: words.convert_tokens_to_ids(token) for token in CONTROL} == {t: ID[t] for t in CONTROL}
    ends = [ID["<|im_end|>"], *range(0, len(BYTES), 8)]
    network.generation_config = transformers.GenerationConfig(
        eos_token_id=ends, pad_token_id=ID["<|endoftext|>"], do_sample=True, top_k=1, repetition_penalty=5.0
    )  # as published ones have it, and other than what is asked for
    network.save_pretrained(folder)
    words.save_pretrained(folder)
    if look is not None:
        look.save_pretrained(folder)
    return folder


def qwen2_5_vl(folder: Path) -> Path:
    torch.manual_seed(1)
    config = transformers.Qwen2_5_VLConfig(
        text_config=LANGUAGE | {"rope_parameters": MROPE},
        vision_config=EYES | {"window_size": 56, "fullatt_block_indexes": [1]},
        **PLACES,
    )
    look = transformers.Qwen2VLImageProcessorPil(size={"shortest_edge": 28 * 28, "longest_edge": 28 * 28 * 12})
    return save(folder, transformers.Qwen2_5_VLForConditionalGeneration(config), QWEN_TEMPLATE, look)


def qwen3_5(folder: Path) -> Path:
    """With a layer of linear attention and one of the usual."""
    torch.manual_seed(11)
    linear = {f"linear_{part}_head_dim": 16 for part in ("key", "value")}
    linear |= {f"linear_num_{part}_heads": 2 for part in ("key", "value")}
    text = {"head_dim": 32, "layer_types": ["linear_attention", "full_attention"]}
    rope = MROPE | {"mrope_interleaved": True, "partial_rotary_factor": 0.5}
    config = transformers.Qwen3_5Config(
        text_config=LANGUAGE | linear | text | {"rope_parameters": rope},
        vision_config=EYES | {"num_position_embeddings": 16},
        **PLACES,
    )
    look = transformers.Qwen2VLImageProcessorPil(
        size={"shortest_edge": 32 * 32, "longest_edge": 32 * 32 * 12}, patch_size=16
    )
    return save(folder, transformers.Qwen3_5ForConditionalGeneration(config), QWEN_TEMPLATE, look)


def internvl(folder: Path) -> Path:
    torch.manual_seed(3)
    eyes = {
        "hidden_size": 32,
        "intermediate_size": 64,
        "num_hidden_layers": 2,
        "num_attention_heads": 2,
        "image_size": 28,
        "patch_size": 7,
    }
    config = transformers.InternVLConfig(
        text_config=LANGUAGE | {"model_type": "qwen2"},
        vision_config=eyes,
        image_token_id=ID["<IMG_CONTEXT>"],
        image_seq_length=4,  # (28 / 7)^2 patches, halved each way
    )
    look = transformers.GotOcr2ImageProcessorPil(size={"height": 28, "width": 28}, max_patches=4)
    return save(folder, transformers.InternVLForConditionalGeneration(config), INTERNVL_TEMPLATE, look)


def qwen2(folder: Path, template: str | None = TEXT_TEMPLATE) -> Path:
    torch.manual_seed(4)
    return save(folder, transformers.Qwen2ForCausalLM(transformers.Qwen2Config(**LANGUAGE)), template)


def clip(folder: Path) -> Path:
    torch.manual_seed(5)
    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    config = transformers.CLIPConfig(
        text_config=tower | {"vocab_size": 100},
        vision_config=tower | {"image_size": 32, "patch_size": 8},
        projection_dim=16,
    )
    transformers.CLIPModel(config).save_pretrained(folder)
    look = transformers.CLIPImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 32, "width": 32})
    look.save_pretrained(folder)
    return folder


def dinov2(folder: Path) -> Path:
    torch.manual_seed(6)
    config = transformers.Dinov2Config(
        hidden_size=32, num_hidden_layers=2, num_attention_heads=2, image_size=28, patch_size=7
    )
    transformers.Dinov2Model(config).save_pretrained(folder)
    look = transformers.BitImageProcessorPil(size={"shortest_edge": 32}, crop_size={"height": 28, "width": 28})
    look.save_pretrained(folder)
    return folder


def dinov3(folder: Path) -> Path:
    """Its image processor's file has the published one's keys, and a smaller size."""
    torch.manual_seed(8)
    config = transformers.DINOv3ViTConfig(
        hidden_size=32, intermediate_size=64, num_hidden_layers=2, num_attention_heads=2, image_size=32, patch_size=8
    )
    transformers.DINOv3ViTModel(config).save_pretrained(folder)
    look = {
        "image_processor_type": "DINOv3ViTImageProcessorFast",
        "crop_size": None,
        "do_center_crop": None,
        "do_convert_rgb": None,
        "do_normalize": True,
        "do_rescale": True,
        "do_resize": True,
        "image_mean": [0.485, 0.456, 0.406],
        "image_std": [0.229, 0.224, 0.225],
        "resample": 2,
        "rescale_factor": 1 / 255,
        "size": {"height": 32, "width": 32},
    }
    (folder / "preprocessor_config.json").write_text(json.dumps(look))
    return folder


def owlv2(folder: Path) -> Path:
    torch.manual_seed(9)
    tower = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 1, "num_attention_heads": 2}
    config = transformers.Owlv2Config(
        text_config=tower
        | {"vocab_size": len(ID), "max_position_embeddings": 24, "bos_token_id": 0, "eos_token_id": 1},
        vision_config=tower | {"image_size": 32, "patch_size": 8},
        projection_dim=32,
    )
    network = transformers.Owlv2ForObjectDetection(config)
    with torch.no_grad():
        for weight in network.box_head.parameters():
            weight.mul_(0.05)  # else all boxes are as large as can be
    network.save_pretrained(folder)
    tokenizer(None).save_pretrained(folder)
    transformers.Owlv2ImageProcessorPil(size={"height": 32, "width": 32}).save_pretrained(folder)
    return folder


def grounding_dino(folder: Path) -> Path:
    """Its tokenizer knows letters; the tokens that end a name have the published one's numbers, which are in code."""
    torch.manual_seed(10)
    backbone = transformers.SwinConfig(
        image_size=32,
        patch_size=4,
        embed_dim=8,
        depths=[1, 1, 1, 1],
        num_heads=[1, 1, 1, 1],
        window_size=2,
        out_features=["stage2", "stage3", "stage4"],
    )
    words = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 1, "num_attention_heads": 1}
    config = transformers.GroundingDinoConfig(
        backbone_config=backbone,
        text_config={"model_type": "bert", "vocab_size": 1100} | words,
        num_queries=6,
        d_model=32,
        encoder_layers=1,
        decoder_layers=2,
        encoder_ffn_dim=16,
        decoder_ffn_dim=16,
        encoder_attention_heads=2,
        decoder_attention_heads=2,
        encoder_n_points=2,
        decoder_n_points=2,
    )
    transformers.GroundingDinoForObjectDetection(config).save_pretrained(folder)
    tokens = {f"[unused{number}]": number for number in range(1, 1100)} | {"[PAD]": 0}
    known = {"[UNK]": 100, "[CLS]": 101, "[SEP]": 102, "[MASK]": 103, ".": 1012, "?": 1029}
    letters = [f"{mark}{letter}" for letter in string.ascii_lowercase for mark in ("", "##")]
    for token, number in (known | {token: 200 + n for n, token in enumerate(letters)}).items():
        del tokens[f"[unused{number}]"]
        tokens[token] = number
    transformers.BertTokenizer(vocab=tokens).save_pretrained(folder)
    size = {"shortest_edge": 96, "longest_edge": 160}
    transformers.GroundingDinoImageProcessorPil(size=size).save_pretrained(folder)
    return folder
