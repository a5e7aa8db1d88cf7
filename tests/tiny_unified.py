"""Tiny Janus and Emu3 with random weights, made on the spot and saved as the published ones are: nothing is downloaded.

Their tokenizer knows single bytes and the control tokens; many bytes end a reply, so that replies are short.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import torch
import transformers
from tokenizers import pre_tokenizers

from gamut.asking.models.torch import chat_network, unified
from gamut.asking.models.torch.chat_network import Network
from gamut.asking.models.weights import digest
from gamut.asking.requests import Reply, Request
from gamut.project.model_kinds import UnifiedModel
from gamut.project.settings import Endpoint

torch.set_num_threads(1)  # on networks this small more threads only wait for each other

BYTES = sorted(pre_tokenizers.ByteLevel.alphabet())
CODES = 24
JANUS_SIDE = 64  # pixels of its pictures: 4 x 4 codes
VISUAL = [f"<|visual token {number:06d}|>" for number in range(CODES)]
ENDS = range(0, len(BYTES), 8)
JANUS_TOKENS = ("<pad>", "<bos>", "<eos>", "<image_placeholder>", "<begin_of_image>", "<end_of_image>")
EMU3_TOKENS = ("<pad>", "<|extra_203|>", "<|extra_204|>", "<image>", "<|image start|>", "<|image end|>",
               "<|image token|>", "<|extra_201|>", "<|extra_200|>", *VISUAL)  # fmt: skip
TEMPLATE = """\
{% for message in messages %}{{ message['role'].upper() + ': ' }}{% for part in message['content'] %}\
{% if part['type'] == 'image' %}PICTURE{% else %}{{ part['text'] + ' ' }}{% endif %}{% endfor %}{% endfor %}\
{% if add_generation_prompt %}ASSISTANT:{% endif %}"""


def text_sizes(tokens: dict[str, int], **others: Any) -> dict[str, Any]:
    sizes = {"hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 2}
    return sizes | {"num_key_value_heads": 2, "vocab_size": len(tokens), "initializer_range": 0.3} | others


def tokenizer(tokens: dict[str, int], control: tuple[str, ...], template: str | None, **named: str) -> Any:
    made = transformers.Qwen2Tokenizer(
        vocab=tokens,
        merges=[],
        bos_token=control[1],
        eos_token=control[2],
        pad_token=control[0],
        extra_special_tokens=named,
    )
    made.add_tokens(list(control), special_tokens=True)
    made.chat_template = template
    return made


def save(folder: Path, network: Any, words: Any, look: Any, system_prompt: bool = False) -> Path:
    network.generation_config = transformers.GenerationConfig(
        bos_token_id=words.bos_token_id,
        eos_token_id=[words.eos_token_id, *ENDS],
        pad_token_id=words.pad_token_id,
        do_sample=True,
        guidance_scale=5.0,
        generation_kwargs={"boi_token_id": words.convert_tokens_to_ids("<begin_of_image>")},
    )
    network.save_pretrained(folder)
    words.save_pretrained(folder)
    look.save_pretrained(folder)
    (folder / "processor_config.json").write_text(json.dumps({"use_default_system_prompt": system_prompt}))
    return folder


def janus(folder: Path, seed: int = 21, system_prompt: bool = True) -> Path:
    torch.manual_seed(seed)
    tokens = {token: number for number, token in enumerate([*BYTES, *JANUS_TOKENS])}
    side = {"image_size": JANUS_SIDE, "patch_size": 16}
    config = transformers.JanusConfig(
        text_config=text_sizes(tokens, max_position_embeddings=2048, pad_token_id=tokens["<pad>"])
        | {"model_type": "llama", "bos_token_id": tokens["<bos>"], "eos_token_id": tokens["<eos>"]},
        vision_config={"hidden_size": 32, "num_hidden_layers": 1, "num_attention_heads": 2, "projection_dim": 32}
        | {"num_image_tokens": (JANUS_SIDE // 16) ** 2}
        | side,
        vq_config={"embed_dim": 8, "num_embeddings": CODES, "latent_channels": 32, "base_channels": 32}
        | {"num_res_blocks": 1, "projection_dim": 32, "image_token_embed_dim": 32}
        | {"channel_multiplier": [1, 1, 1, 1, 1]},
        image_token_id=tokens["<image_placeholder>"],
    )
    named = {"image_token": "<image_placeholder>", "boi_token": "<begin_of_image>", "eoi_token": "<end_of_image>"}
    words = tokenizer(tokens, JANUS_TOKENS, TEMPLATE.replace("PICTURE", "<image_placeholder>"), **named)
    look = transformers.JanusImageProcessorPil(
        size={"height": JANUS_SIDE, "width": JANUS_SIDE}, image_mean=[0.5] * 3, image_std=[0.5] * 3
    )
    return save(folder, transformers.JanusForConditionalGeneration(config), words, look, system_prompt)


def emu3(folder: Path, seed: int = 22, chats: bool = True) -> Path:
    """The published one that paints has no chat template; this one neither unless it `chats`."""
    torch.manual_seed(seed)
    tokens = {token: number for number, token in enumerate([*BYTES, *EMU3_TOKENS])}
    config = transformers.Emu3Config(
        vq_config={"codebook_size": CODES, "embed_dim": 4, "latent_channels": 4, "base_channels": 32}
        | {"channel_multiplier": [1, 1, 1, 1], "num_res_blocks": 1, "attn_resolutions": [], "hidden_size": 32},
        text_config=text_sizes(tokens, max_position_embeddings=4096, pad_token_id=tokens["<pad>"])
        | {"bos_token_id": tokens["<|extra_203|>"], "eos_token_id": tokens["<|extra_204|>"]}
        | {"rope_parameters": {"rope_type": "default", "rope_theta": 10_000.0}},
        vocabulary_map=tokens,
    )
    named = {"image_token": "<image>", "boi_token": "<|image start|>", "eoi_token": "<|image end|>"}
    named |= {"image_wrapper_token": "<|image token|>", "eof_token": "<|extra_201|>"}
    words = tokenizer(tokens, EMU3_TOKENS, TEMPLATE.replace("PICTURE", "<image>") if chats else None, **named)
    look = transformers.Emu3ImageProcessor(min_pixels=32 * 32, max_pixels=64 * 64)
    return save(folder, transformers.Emu3ForConditionalGeneration(config), words, look)


def model(folder: Path, **values: Any) -> UnifiedModel:
    fixed = {"kind": "unified", "id": "org/tiny", "revision": digest(folder), "dtype": "float32"}
    sampling = {"max_tokens": 24} | values.pop("sampling", {})
    return UnifiedModel.model_validate(fixed | {"painting": {"guidance_scale": 3}, "sampling": sampling} | values)


def opened(folder: Path, **values: Any) -> Network:
    endpoint = Endpoint(device="cpu")
    return chat_network.open_chat("contestant (tiny)", "tiny", model(folder, **values), endpoint, folder)


def ask(network: Network, *requests: Request) -> list[Reply]:
    return unified.generate_replies(network, "tiny", requests)
