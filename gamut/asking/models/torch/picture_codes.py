"""Painting by Janus and Emu3: they draw the codes of a picture one after the other, and decode them to pixels.

Guidance is classifier-free: it leads away from the scores of a context without the task. Every picture has its own
random generator.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field, replace
from typing import Any

from PIL import Image

from gamut.asking.models.torch.chat_network import JANUS, Network, emu3_opening, prompt_of
from gamut.asking.models.torch.transformers import sampler
from gamut.asking.requests import Create, Paint, Reply
from gamut.project.model_kinds import PictureSampling, UnifiedModel

EMU3_AREA = 720 * 720  # pixels of the pictures that Emu3 was trained to paint, and its own processor's default
EMU3_TEMPLATE = (
    "{% for part in messages[0]['content'] %}{% if part['type'] == 'image' %}{{ picture }}"
    "{% elif loop.last %}{{ part['text'].rstrip() }}{% else %}{{ part['text'] }}{% endif %}{% endfor %}"
)
"""A task as Emu3 reads it before it paints: only its texts and pictures, in order."""
PNG_LEVEL = 1  # of compression; the GPU waits meanwhile


@dataclass(frozen=True)
class Canvas:
    """A picture to paint: the tokens read before it, those that guidance leads away from, rows and columns of codes.
    `bias`: one for each token read, if attention is adjusted.
    """

    tokens: Sequence[int]
    without: Sequence[int]
    rows: int
    columns: int
    seed: int
    bias: Sequence[float] = field(default=())


Attending = Callable[[Sequence[Sequence[float]], int], AbstractContextManager[Any]]
"""Adjusts attention while a batch is painted, with the bias of each context, padded on the left to a length."""


def painting_of(network: Network) -> PictureSampling:
    assert isinstance(network.model, UnifiedModel) and network.model.painting is not None
    return network.model.painting


def canvas_of(network: Network, request: Create | Paint) -> Canvas:
    """Prepare the tokens that are read before a picture is painted. Raise ValueError if a given picture is damaged, or
    the whole is too long.
    """
    if isinstance(request, Paint):
        sides = (request.width, request.height)
        request = Create((request.prompt,), ("image",), *sides, request.seed, request.sample)
    words, seed = network.tokenizer, request.seed + request.sample
    padding = network.weights.generation_config.pad_token_id
    rows, columns = size_in_codes(network, request.width, request.height)
    if network.kind == JANUS:
        from transformers.models.janus.processing_janus import DEFAULT_SYSTEM_PROMPT

        plain = replace(network, chat_template=network.chat_template.replace(DEFAULT_SYSTEM_PROMPT, "", 1))
        begin = words.convert_tokens_to_ids(words.boi_token)
        tokens = [*prompt_of(plain, request, rows * columns + 1).tokens, begin]
        kept = (words.bos_token_id, begin)
        without = [token if token in kept else padding for token in tokens]
        return Canvas(tokens, without, rows, columns, seed)
    opening = emu3_opening(network, rows, columns)
    template = words.bos_token + EMU3_TEMPLATE.replace("{{ picture }}", words.image_token)
    task = prompt_of(replace(network, chat_template=template), request, len(opening) + rows * (columns + 1)).tokens
    negative = words(painting_of(network).negative_prompt, add_special_tokens=False)["input_ids"]
    return Canvas([*task, *opening], [words.bos_token_id, *negative, *opening], rows, columns, seed)


def size_in_codes(network: Network, width: int, height: int) -> tuple[int, int]:
    """Return rows and columns: fixed for Janus; for Emu3 in the requested shape, with the area of its training."""
    if network.kind == JANUS:
        side = network.weights.config.vq_config.num_patches
        return side, side
    cell, scale = network.weights.model.vqmodel.vision_spatial_factor, min(1.0, (EMU3_AREA / (width * height)) ** 0.5)
    rows, columns = (max(1, round(side * scale / cell)) for side in (height, width))
    return rows, columns


def paint(network: Network, canvases: Sequence[Canvas], attending: Attending | None = None) -> list[Reply]:
    """Paint pictures of one size in one batch."""
    import torch

    with torch.inference_mode():
        codes = draw_codes(network, canvases, attending)
        pixels = decode_codes(network, codes).float().cpu().numpy()
    replies = []
    for canvas, one in zip(canvases, pixels, strict=True):
        look = network.look  # as its own processor does, pixels are cut to whole numbers, not rounded
        values = ((one * look.image_std + look.image_mean) / look.rescale_factor).clip(0, 255).astype("uint8")
        out = io.BytesIO()
        Image.fromarray(values).save(out, "PNG", compress_level=PNG_LEVEL)
        replies.append(Reply(out.getvalue(), "stop", len(canvas.tokens), canvas.rows * canvas.columns))
    return replies


def draw_codes(network: Network, canvases: Sequence[Canvas], attending: Attending | None = None) -> Any:
    """Return the codes of pictures of one size, (batch, rows, columns)."""
    import torch
    from transformers import DynamicCache

    painting, decoder = painting_of(network), network.weights.get_decoder()
    guided, (rows, columns) = painting.guidance_scale > 1, (canvases[0].rows, canvases[0].columns)
    contexts = [one.tokens for one in canvases] + [one.without for one in canvases] * guided
    longest = max(map(len, contexts))
    padding = network.weights.generation_config.pad_token_id
    tokens = torch.tensor([[padding] * (longest - len(one)) + list(one) for one in contexts], device=network.device)
    mask = torch.tensor([[0] * (longest - len(one)) + [1] * len(one) for one in contexts], device=network.device)
    choose = None
    if painting.temperature:
        choose = sampler(network.device, painting.temperature, 1, [one.seed for one in canvases], painting.top_k)
    cache, read = DynamicCache(config=decoder.config), network.weights.get_input_embeddings()(tokens)
    codes: list[Any] = []
    of_codes = None  # Emu3's tokens, in the order of the codes
    if network.kind != JANUS:
        of_codes = network.weights.vocabulary_mapping.img2bpe_mapping_tensor.long().to(network.device)
    biases = [one.bias for one in canvases] + [()] * (len(contexts) - len(canvases))
    with attending(biases, longest) if attending and any(biases) else nullcontext():
        for place in range(rows * columns):
            if codes:
                read = embed_code(network, codes[-1], of_codes, row_ends=place % columns == 0)
                read = torch.cat([read, read]) if guided else read
                mask = torch.cat([mask, mask.new_ones(len(mask), read.shape[1])], dim=1)
            seen = decoder(
                inputs_embeds=read,
                attention_mask=mask,
                position_ids=(mask.cumsum(-1) - 1).clamp(min=0)[:, -read.shape[1] :],
                past_key_values=cache,
                use_cache=True,
            )
            scores = score_codes(network, seen.last_hidden_state[:, -1], of_codes).float()
            if guided:
                given, without = scores.chunk(2)
                scores = without + painting.guidance_scale * (given - without)
            codes.append((choose(None, scores) if choose else scores).argmax(-1))
    return torch.stack(codes, dim=1).view(len(canvases), rows, columns)


def score_codes(network: Network, hidden: Any, tokens: Any) -> Any:
    if network.kind == JANUS:
        return network.weights.model.generation_head(hidden)
    return network.weights.lm_head(hidden)[:, tokens]


def embed_code(network: Network, code: Any, tokens: Any, row_ends: bool) -> Any:
    """Return the embedding that is read after a code, for Emu3 also that of the end of a row."""
    import torch

    if network.kind == JANUS:
        return network.weights.prepare_embeddings_for_image_generation(code[:, None])
    read = tokens[code][:, None]
    if row_ends:
        read = torch.cat([read, torch.full_like(read, network.weights.vocabulary_mapping.eol_token_id)], dim=1)
    return network.weights.get_input_embeddings()(read)


def decode_codes(network: Network, codes: Any) -> Any:
    """Return pixels before they are scaled back, (batch, height, width, 3)."""
    if network.kind == JANUS:
        return network.weights.decode_image_tokens(codes.flatten(1))
    return network.weights.model.vqmodel.decode(codes).permute(0, 2, 3, 1)
