"""Chat models as transformers loads them, and conversations in the form that they read: tokens and pictures.

For each supported family that sees, gamut knows how pictures become tokens; Emu3 has tokens of its own. Any other
network that sees is refused, because transformers would open several of them only for text.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from inspect import signature
from pathlib import Path
from typing import Any

from gamut.asking.models.batches import decode_picture
from gamut.asking.models.torch.adapters import merge_into_network
from gamut.asking.models.torch.networks import config_of, device_of, load_beside, load_network
from gamut.asking.models.weights import require_template_variables
from gamut.asking.requests import Chat, Create, Message, Picture, schema_in_words
from gamut.project.errors import UserError
from gamut.project.model_kinds import ChatWeights, UnifiedModel
from gamut.project.settings import Endpoint

MAX_TOKENS = 1024  # of a reply, by default
QWEN = ("qwen2_vl", "qwen2_5_vl", "qwen3_vl", "qwen3_vl_moe", "qwen3_5", "qwen3_5_moe")
INTERNVL = ("internvl",)
JANUS, EMU3 = "janus", "emu3"
UNIFIED = (JANUS, EMU3)
SEEING = QWEN + INTERNVL + UNIFIED
VISION_KEYS = ("vision_config", "visual", "img_processor", "mm_vision_tower")
"""Keys of config.json; a network that sees has one of them."""


@dataclass(frozen=True)
class Network:
    """An opened chat model. `look` is None if it sees no pictures. An Emu3 that paints may have no template."""

    name: str
    kind: str
    device: str
    weights: Any
    tokenizer: Any
    chat_template: str
    look: Any
    ends: Sequence[int]
    context: int | None
    model: ChatWeights

    @property
    def max_tokens(self) -> int:
        return self.model.sampling.max_tokens or MAX_TOKENS


def open_chat(name: str, slug: str, model: ChatWeights, endpoint: Endpoint, folder: Path) -> Network:
    import transformers
    from transformers.models.auto.modeling_auto import MODEL_FOR_CAUSAL_LM_MAPPING_NAMES

    if "sanitize_control_tokens" not in signature(transformers.PreTrainedTokenizerBase.apply_chat_template).parameters:
        # An older version would read it as a variable of the template, and records could write control tokens.
        raise UserError(f"{name}: transformers {transformers.__version__} is too old: pip install -U transformers")
    config, device = config_of(name, folder), device_of(name, slug, endpoint)
    kind = str(config["model_type"])
    options = {"trust_remote_code": model.trust_remote_code}
    sees = kind in SEEING
    if not sees and any(config.get(key) is not None for key in VISION_KEYS):
        raise UserError(
            f"{name}: {folder} is a {kind!r}, which is not supported; models that see pictures may be "
            f"{', '.join(SEEING)}: name one of them, or the kind vllm, at models.{slug}"
        )
    if not sees and kind not in MODEL_FOR_CAUSAL_LM_MAPPING_NAMES and not model.trust_remote_code:
        raise UserError(
            f"{name}: {folder} is a {kind!r}, which is not supported; supported are {', '.join(SEEING)} and "
            f"causal language models: name another at models.{slug}.id"
        )
    tokenizer = load_beside(name, folder, transformers.AutoTokenizer, **options)
    look = load_beside(name, folder, transformers.AutoImageProcessor, backend="pil", **options) if sees else None
    template = chat_template(folder) or tokenizer.chat_template
    if not template and not (kind == EMU3 and isinstance(model, UnifiedModel) and model.painting):
        raise UserError(f"{name}: {folder} has no chat template: name an instruction-tuned model at models.{slug}.id")
    require_template_variables(name, slug, model.chat_template_kwargs or {}, template or "")
    if template and kind in UNIFIED:
        template = tokenizer.bos_token + system_prompt(kind, folder) + template
    architecture = transformers.AutoModelForImageTextToText if sees else transformers.AutoModelForCausalLM
    weights = load_network(name, folder, architecture.from_pretrained, model.dtype, device, **options)
    if model.adapter is not None:
        weights = merge_into_network(name, slug, model.adapter, weights)
    ends = weights.generation_config.eos_token_id
    ends = tokenizer.eos_token_id if ends is None else ends
    context = getattr(weights.config.get_text_config(), "max_position_embeddings", None)
    ends = ends if isinstance(ends, list) else [ends]
    # A new one, because values unset in a call would come from the model's file.
    weights.generation_config = transformers.GenerationConfig(
        do_sample=False,
        max_new_tokens=model.sampling.max_tokens or MAX_TOKENS,
        eos_token_id=ends,
        pad_token_id=ends[0] if tokenizer.pad_token_id is None else tokenizer.pad_token_id,
    )
    return Network(name, kind, device, weights, tokenizer, template or "", look, ends, context, model)


def chat_template(folder: Path) -> str | None:
    try:
        return str(json.loads((folder / "chat_template.json").read_bytes())["chat_template"])
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        return None


def system_prompt(kind: str, folder: Path) -> str:
    """Return the text that Janus' own processor puts before a conversation to be answered in words."""
    from transformers.models.janus.processing_janus import DEFAULT_SYSTEM_PROMPT

    try:
        wanted = json.loads((folder / "processor_config.json").read_bytes())["use_default_system_prompt"]
    except (FileNotFoundError, ValueError, LookupError, TypeError):
        wanted = False
    return DEFAULT_SYSTEM_PROMPT if kind == JANUS and wanted else ""


PROMPT_TAIL = 16  # tokens at the end of a prompt where a chat template writes tags of thinking
THINKING_TAG = re.compile(r"<think(?:ing)?>\s*\Z")


@dataclass(frozen=True)
class Prompt:
    """A conversation as a network reads it. `thinks`: it ends with the tag that begins thinking."""

    tokens: Sequence[int]
    pictures: Mapping[str, Any]
    seed: int
    thinks: bool


def prompt_of(network: Network, request: Chat | Create, answer_tokens: int | None = None) -> Prompt:
    """Turn a conversation into tokens and pixels. Raise ValueError if a picture is damaged, or the whole is too long
    together with `answer_tokens` (by default the most of a text).

    The template's placeholder is repeated for each token of a picture. Control tokens in texts are read as plain text,
    so that no record can end its turn or claim a picture.
    """
    from jinja2 import TemplateError

    turns = request.messages if isinstance(request, Chat) else (Message("user", request.parts),)
    schema = request.schema if isinstance(request, Chat) else None
    last = max(number for number, message in enumerate(turns) if message.role == "user")
    messages = [
        {"role": message.role, "content": message_content(network, message.parts, schema if number == last else None)}
        for number, message in enumerate(turns)
    ]
    pictures = [part for message in turns for part in message.parts if isinstance(part, Picture)]
    try:
        tokens = network.tokenizer.apply_chat_template(
            messages,
            chat_template=network.chat_template,
            add_generation_prompt=True,
            sanitize_control_tokens=True,
            return_dict=False,
            **network.model.chat_template_kwargs or {},
        )
    except TemplateError as error:
        raise UserError(f"{network.name}: its chat template does not accept this conversation: {error}") from None
    tensors: Mapping[str, Any] = {}
    if pictures:
        tensors, places = picture_tensors(network, pictures)
        tokens = fill_placeholders(tokens, network.weights.config.image_token_id, places)
    most = network.max_tokens if answer_tokens is None else answer_tokens
    if network.context and len(tokens) + most > network.context:
        raise ValueError(
            f"the conversation is {len(tokens):,} tokens and its answer may be {most:,}, more than the "
            f"model's context of {network.context:,}"
        )
    thinks = THINKING_TAG.search(network.tokenizer.decode(tokens[-PROMPT_TAIL:])) is not None
    return Prompt(tokens, tensors, request.seed + request.sample, thinks)


def message_content(network: Network, parts: Sequence[str | Picture], schema: Mapping[str, Any] | None) -> Any:
    if schema:
        parts = [*parts, schema_in_words(schema)]
    content: list[dict[str, str]] = []
    for part in parts:
        if isinstance(part, Picture):
            if network.look is None:
                raise UserError(
                    f"{network.name}: a {network.kind!r} cannot see pictures: name one that can in params.yaml"
                )
            content.append({"type": "image"})
        elif content and content[-1]["type"] == "text":
            content[-1]["text"] += part if content[-1]["text"].endswith("\n") else f"\n{part}"
        else:
            content.append({"type": "text", "text": part})
    alone = len(content) == 1 and "text" in content[0] and network.kind not in UNIFIED  # their templates need lists
    return content[0]["text"] if alone else content


def picture_tensors(network: Network, pictures: Sequence[Picture]) -> tuple[Mapping[str, Any], list[list[int]]]:
    """Return the tensors of a conversation's pictures, and for each picture its tokens."""
    decoded_pictures = []
    for number, picture in enumerate(pictures, 1):
        try:
            decoded_pictures.append(decode_picture(picture, network.model.largest_picture))
        except ValueError as error:
            raise ValueError(f"picture {number} of {len(pictures)} {error}") from None
    config, image = network.weights.config, network.weights.config.image_token_id
    words = network.tokenizer
    if network.kind == EMU3:
        return {}, [emu3_tokens(network, picture) for picture in decoded_pictures]
    if network.kind == JANUS:
        seen = [image] * config.vision_config.num_image_tokens
        place = [words.convert_tokens_to_ids(words.boi_token), *seen, words.convert_tokens_to_ids(words.eoi_token)]
        return dict(network.look(images=decoded_pictures, return_tensors="pt")), [place] * len(decoded_pictures)
    if network.kind in QWEN:
        tensors = network.look(images=decoded_pictures, return_tensors="pt")
        patches = tensors["image_grid_thw"].prod(-1) // network.look.merge_size**2
        return dict(tensors), [[image] * count for count in patches.tolist()]
    # In tiles, as its own processor does; the image processor's file does not say that.
    tensors = network.look(images=decoded_pictures, return_tensors="pt", crop_to_patches=True)
    start, end = words.convert_tokens_to_ids(["<img>", "</img>"])
    tiles = [int(count) for count in tensors["num_patches"]]
    places = [[start, *[image] * config.image_seq_length * count, end] for count in tiles]
    return {"pixel_values": tensors["pixel_values"]}, places


def emu3_tokens(network: Network, picture: Any) -> list[int]:
    """Return the tokens by which Emu3 reads a picture: its codes row by row, between marks that say its size."""
    words = network.tokenizer
    codes, rows, columns = emu3_codes(network, picture)
    end = words.convert_tokens_to_ids([words.eof_token, words.eoi_token])
    return [*emu3_opening(network, rows, columns), *codes, *end]


def emu3_codes(network: Network, picture: Any, **look: Any) -> tuple[list[int], int, int]:
    """Return a picture's codes as tokens, each row with its end, and the numbers of rows and columns.

    Each picture is encoded alone, because padding to another's size would change codes at its edges.
    """
    import torch

    seen = network.look(images=[picture], return_tensors="pt", **look)
    with torch.inference_mode():
        codes = network.weights.model.get_image_tokens(seen["pixel_values"].to(network.device), seen["image_sizes"])
    cell = network.weights.model.vqmodel.vision_spatial_factor
    rows, columns = (int(side) // cell for side in seen["image_sizes"][0])
    return codes.tolist(), rows, columns


def emu3_opening(network: Network, rows: int, columns: int) -> list[int]:
    """Return the tokens after which Emu3 reads or paints the codes of a picture."""
    words = network.tokenizer
    size = words(f"{rows}*{columns}", add_special_tokens=False)["input_ids"]
    first, last = words.convert_tokens_to_ids([words.boi_token, words.image_wrapper_token])
    return [first, *size, last]


def fill_placeholders(tokens: Sequence[int], image: int, places: Sequence[Sequence[int]]) -> list[int]:
    if tokens.count(image) != len(places):
        raise ValueError(f"the chat template has places for {tokens.count(image)} of {len(places)} pictures")
    following = iter(places)
    return [token for read in tokens for token in (next(following) if read == image else [read])]
