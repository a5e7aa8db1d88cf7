"""The loss of models that write and paint, Janus and Emu3: of each token of an answer, after those before it.

An example is laid out by the functions that lay out a request when the model answers, and the answer stands where it
would be drawn: a text behind the conversation, with the token that ends it; a picture as the codes of the model's own
picture tokenizer, behind what is read before painting. Guidance is how pictures are drawn, and no part of training.
"""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PIL import Image

from gamut.asking.models.batches import decode_picture
from gamut.asking.models.torch.adapters import ADAPTER_CONFIG, ADAPTER_FILES
from gamut.asking.models.torch.chat_network import JANUS, Network, emu3_codes, prompt_of
from gamut.asking.models.torch.picture_codes import canvas_of, size_in_codes
from gamut.asking.models.torch.unified import open_network, unsupported_reason
from gamut.asking.models.weights import WANTED_FILES
from gamut.asking.requests import Create
from gamut.project.files import write_json
from gamut.project.model_kinds import UnifiedModel
from gamut.project.settings import Endpoint
from gamut.training.examples import Example
from gamut.training.learners import Learner

AS_TEXT = "{{ messages[0]['content'] }}"
"""A template of nothing but a text: control tokens in it are read as plain text, as those of a question are."""


class Layout(NamedTuple):
    """An example as a network reads it. `scored`: which tokens of the answer are its own; the ends of Emu3's rows are
    given to it. `codes`: the answer is Janus' codes, which are read and drawn by layers of their own.
    """

    context: Sequence[int]
    pictures: Mapping[str, Any]
    answer: Sequence[int]
    scored: Sequence[bool]
    codes: bool


def open_unified(name: str, slug: str, model: UnifiedModel, endpoint: Endpoint) -> Learner:
    network, folder = open_network(name, slug, model, endpoint)
    layers = network.weights.get_decoder()
    if not network.device.startswith("cpu"):  # it saves memory, and costs time
        layers.activation_checkpointing_enable()

    def save_whole(place: Path) -> None:
        network.weights.save_pretrained(place)
        for pattern in WANTED_FILES:  # tokenizer, image processor, chat template, how it generates
            for file in folder.glob(pattern):
                if file.name != "config.json" and "safetensors" not in file.name:
                    shutil.copyfile(file, place / file.name)

    def save_adapter(place: Path, tensors: dict[str, Any], config: Any) -> None:
        from safetensors.torch import save_file

        save_file(tensors, place / ADAPTER_FILES[1], {"format": "pt"})
        said = config.to_dict() | {"base_model_name_or_path": model.id, "inference_mode": True}
        write_json(place / ADAPTER_CONFIG, {k: sorted(v) if isinstance(v, set) else v for k, v in said.items()})

    read, losses = partial(lay_out, network), partial(unified_losses, network)
    return Learner(name, network.weights, layers, read, losses, save_whole, save_adapter)


def lay_out(network: Network, example: Example) -> Layout:
    """ValueError for a damaged picture, one of a size that the model does not paint, and what is too long."""
    if isinstance(example.answer, str):
        request = Create(example.given, ("text",), 0, 0, 0)
        require_supported(network, request)
        # Templates end with a colon, behind which their makers' answers begin with a space.
        message = {"role": "user", "content": f" {example.answer}"}
        answer = network.tokenizer.apply_chat_template(
            [message], chat_template=AS_TEXT, sanitize_control_tokens=True, return_dict=False
        )
        answer = [*answer, network.ends[0]]
        prompt = prompt_of(network, request, len(answer))
        return Layout(prompt.tokens, prompt.pictures, answer, [True] * len(answer), codes=False)
    picture = decode_picture(example.answer)
    request = Create(example.given, ("image",), *picture.size, 0)
    require_supported(network, request)
    canvas = canvas_of(network, request)
    codes = picture_codes(network, picture)
    end_of_row = None if network.kind == JANUS else network.weights.vocabulary_mapping.eol_token_id
    return Layout(canvas.tokens, {}, codes, [code != end_of_row for code in codes], network.kind == JANUS)


def require_supported(network: Network, request: Create) -> None:
    if why := unsupported_reason(network, request):
        raise ValueError(why)


def picture_codes(network: Network, picture: Image.Image) -> list[int]:
    """Return the codes of a picture in the size that the model would paint it in, Emu3's as tokens with the ends of
    rows between them.
    """
    import torch

    if network.kind != JANUS:
        cell = network.weights.model.vqmodel.vision_spatial_factor
        rows, columns = size_in_codes(network, *picture.size)
        resized = picture.resize((columns * cell, rows * cell), Image.Resampling.BICUBIC)
        return emu3_codes(network, resized, do_resize=False)[0][:-1]
    tokenizer = network.weights.model.vqmodel
    pixels = network.look(images=[picture], return_tensors="pt")["pixel_values"].to(network.device, tokenizer.dtype)
    # Its decoder takes entries of the codebook at length 1, whereas its `encode` compares them at their own length.
    entries = torch.nn.functional.normalize(tokenizer.quantize.embedding.weight, dim=-1)
    with torch.inference_mode():
        cells = tokenizer.quant_conv(tokenizer.encoder(pixels))
        return torch.einsum("bchw,nc->bhwn", cells, entries).argmax(-1).flatten().tolist()


def unified_losses(network: Network, layouts: Sequence[Layout], seeds: Sequence[int]) -> Any:
    """Return of each example the mean cross-entropy over its answer: a picture's hundreds of codes count as much as a
    text's few tokens. There is no noise to be seeded.
    """
    import torch
    from torch.nn.functional import cross_entropy

    weights, padding = network.weights, network.weights.generation_config.pad_token_id
    longest = max(len(one.context) + len(one.answer) - 1 for one in layouts)
    tokens = torch.full((len(layouts), longest), padding)
    mask, codes = torch.zeros_like(tokens), torch.zeros_like(tokens, dtype=torch.bool)
    for row, one in enumerate(layouts):
        read = [*one.context, *one.answer[:-1]]
        tokens[row, : len(read)] = torch.tensor(read)
        mask[row, : len(read)] = 1
        codes[row, len(one.context) : len(read)] = one.codes
    tokens, mask, codes = (tensor.to(network.device) for tensor in (tokens, mask, codes))
    embedded = weights.get_input_embeddings()(tokens.masked_fill(codes, padding))
    if codes.any():
        painted = weights.prepare_embeddings_for_image_generation(tokens.masked_fill(~codes, 0))
        embedded = torch.where(codes[..., None], painted, embedded)
    names = {name for one in layouts for name in one.pictures}
    pictures = {name: torch.cat([one.pictures[name] for one in layouts if name in one.pictures]) for name in names}
    pictures = {name: tensor.to(network.device) for name, tensor in pictures.items()}
    seen = weights.model(inputs_embeds=embedded, attention_mask=mask, use_cache=False, **pictures).last_hidden_state
    losses = []
    for row, one in enumerate(layouts):
        head = weights.model.generation_head if one.codes else weights.lm_head
        scored = torch.tensor(one.scored, device=network.device)
        states = seen[row, len(one.context) - 1 :][: len(one.answer)][scored]
        losses.append(cross_entropy(head(states).float(), torch.tensor(one.answer, device=network.device)[scored]))
    return torch.stack(losses)
