"""The loss of models that write and paint, Janus and Emu3: of each token of an answer, after those before it.

An example is converted like a request to the model, followed by the answer. A text follows the conversation, with the
token that ends it. A picture follows, as codes, the tokens that are read before painting.
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

AS_TEXT = "{{ messages[0]['content'] }}"  # a template, so that control tokens in an answer are read as plain text


class Layout(NamedTuple):
    """Tokens of an example. `scored`: answer tokens that are not ends of Emu3's rows; `codes`: they are Janus codes."""

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
        for file in {file for pattern in WANTED_FILES for file in folder.glob(pattern)}:  # tokenizer, how it generates
            if file.name != "config.json" and "safetensors" not in file.name:
                shutil.copyfile(file, place / file.name)

    def save_adapter(place: Path, tensors: dict[str, Any], config: Any) -> None:
        from safetensors.torch import save_file

        save_file(tensors, place / ADAPTER_FILES[1], {"format": "pt"})
        said = config.to_dict() | {"base_model_name_or_path": None, "inference_mode": True}
        write_json(place / ADAPTER_CONFIG, {k: sorted(v) if isinstance(v, set) else v for k, v in said.items()})

    losses = partial(unified_losses, network)
    return Learner(name, network.weights, layers, partial(lay_out, network), losses, save_whole, save_adapter)


def lay_out(network: Network, example: Example) -> Layout:
    """Convert an example. Raise ValueError if a picture is damaged, it is too long, or the model cannot answer so."""
    picture = None if isinstance(example.answer, str) else decode_picture(example.answer)
    request = Create(example.given, *((("image",), *picture.size) if picture else (("text",), 0, 0)), seed=0)
    if why := unsupported_reason(network, request):
        raise ValueError(why)
    if picture:
        codes, context = picture_codes(network, picture), canvas_of(network, request).tokens
        end_of_row = None if network.kind == JANUS else network.weights.vocabulary_mapping.eol_token_id
        return Layout(context, {}, codes, [code != end_of_row for code in codes], network.kind == JANUS)
    # Both templates end with a colon, behind which their makers' answers begin with a space.
    message = {"role": "user", "content": f" {example.answer}"}
    read = partial(network.tokenizer.apply_chat_template, sanitize_control_tokens=True, return_dict=False)
    answer = [*read([message], chat_template=AS_TEXT), network.ends[0]]
    prompt = prompt_of(network, request, len(answer))
    return Layout(prompt.tokens, prompt.pictures, answer, [True] * len(answer), codes=False)


def picture_codes(network: Network, picture: Image.Image) -> list[int]:
    """Return a picture's codes at the size in which it would be painted; Emu3's are tokens with ends of rows."""
    import torch

    tokenizer = network.weights.model.vqmodel
    if network.kind != JANUS:
        cell, (rows, columns) = tokenizer.vision_spatial_factor, size_in_codes(network, *picture.size)
        resized = picture.resize((columns * cell, rows * cell), Image.Resampling.BICUBIC)
        return emu3_codes(network, resized, do_resize=False)[0][:-1]
    pixels = network.look(images=[picture], return_tensors="pt")["pixel_values"].to(network.device, tokenizer.dtype)
    # Its decoder takes entries of the codebook at length 1, whereas its `encode` compares them at their own length.
    entries = torch.nn.functional.normalize(tokenizer.quantize.embedding.weight, dim=-1)
    cells = tokenizer.quant_conv(tokenizer.encoder(pixels))
    return list(torch.einsum("bchw,nc->bhwn", cells, entries).argmax(-1).flatten().tolist())


def unified_losses(network: Network, layouts: Sequence[Layout], seeds: Sequence[int]) -> Any:
    """Return the mean cross-entropy of each answer: a picture's many codes count as much as a text's few tokens."""
    import torch
    from torch.nn.utils.rnn import pad_sequence

    weights, padding = network.weights, network.weights.generation_config.pad_token_id
    rows = [torch.tensor([*one.context, *one.answer[:-1]]) for one in layouts]
    coded = [(torch.arange(len(row)) >= len(one.context)) & one.codes for row, one in zip(rows, layouts, strict=True)]
    tokens = pad_sequence(rows, batch_first=True, padding_value=padding).to(network.device)
    mask = pad_sequence([torch.ones_like(row) for row in rows], batch_first=True).to(network.device)
    codes = pad_sequence(coded, batch_first=True).to(network.device)
    embedded = weights.get_input_embeddings()(tokens.masked_fill(codes, padding))
    if codes.any():
        painted = weights.prepare_embeddings_for_image_generation(tokens.masked_fill(~codes, 0))
        embedded = torch.where(codes[..., None], painted, embedded)
    seen = [one.pictures for one in layouts if one.pictures]
    pictures = {name: torch.cat([one[name] for one in seen]).to(network.device) for name in (seen or [{}])[0]}
    read = weights.model(inputs_embeds=embedded, attention_mask=mask, use_cache=False, **pictures).last_hidden_state
    losses = []
    for states, one in zip(read, layouts, strict=True):
        head = weights.model.generation_head if one.codes else weights.lm_head
        scored, answer = (torch.tensor(values, device=network.device) for values in (one.scored, one.answer))
        scores = head(states[len(one.context) - 1 :][: len(one.answer)][scored])
        losses.append(torch.nn.functional.cross_entropy(scores.float(), answer[scored]))
    return torch.stack(losses)
