"""Conversations as networks read them: tokens by the model's own chat template, and tensors of pictures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from stages.asking.models.chat_network import QWEN, Network
from stages.asking.models.grammars import Thinking, thinking_after
from stages.asking.models.pictures import decoded
from stages.asking.requests import Chat, Create, Message, Picture, schema_in_words
from stages.project.errors import UserError

TAIL = 16
"""Tokens at the end of a prompt in which a chat template's tags of thinking stand."""


@dataclass(frozen=True)
class Prompt:
    """A conversation as a network reads it; `schema` is that of its reply, None where that is free text."""

    tokens: Sequence[int]
    pictures: Mapping[str, Any]
    seed: int
    schema: Mapping[str, Any] | None
    thinking: Thinking


def prompt_of(network: Network, request: Chat | Create) -> Prompt:
    """Lay a conversation out as tokens and pixels; ValueError when a picture is damaged or all is too long.

    The chat template writes one placeholder a picture, which is then repeated for as many tokens as the picture
    takes. Control tokens in the texts are read as plain text: a record cannot end its turn or claim a picture. The
    reply's form is asked for in words where no grammar binds it: questions name their keys, so one that does need not.
    """
    from jinja2 import TemplateError

    turns = request.messages if isinstance(request, Chat) else (Message("user", request.parts),)
    schema = request.schema or None if isinstance(request, Chat) else None
    last = max(number for number, message in enumerate(turns) if message.role == "user")
    in_words = schema if network.follow is None else None
    messages = [
        {"role": message.role, "content": laid_out(network, message.parts, in_words if number == last else None)}
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
        raise UserError(f"{network.name}: its chat template takes no such conversation: {error}") from None
    tensors: Mapping[str, Any] = {}
    if pictures:
        tensors, places = looked_at(network, pictures)
        tokens = filled(tokens, network.weights.config.image_token_id, places)
    if network.context and len(tokens) + network.max_tokens > network.context:
        raise ValueError(
            f"the conversation is {len(tokens):,} tokens and its answer may be {network.max_tokens:,}, more than the "
            f"model's context of {network.context:,}"
        )
    thinking = thinking_after(network.tokenizer.decode(tokens[-TAIL:]), network.chat_template)
    return Prompt(tokens, tensors, request.seed + request.sample, schema, thinking)


def laid_out(network: Network, parts: Sequence[str | Picture], schema: Mapping[str, Any] | None) -> Any:
    """Return a message as the chat template takes it: parts with pictures between them, or one text."""
    if schema:
        parts = [*parts, schema_in_words(schema)]
    content: list[dict[str, str]] = []
    for part in parts:
        if isinstance(part, Picture):
            if network.look is None:
                raise UserError(
                    f"{network.name}: a {network.kind!r} sees no pictures: name one that does in params.yaml"
                )
            content.append({"type": "image"})
        elif content and content[-1]["type"] == "text":
            content[-1]["text"] += part if content[-1]["text"].endswith("\n") else f"\n{part}"
        else:
            content.append({"type": "text", "text": part})
    return content[0]["text"] if len(content) == 1 and "text" in content[0] else content


def looked_at(network: Network, pictures: Sequence[Picture]) -> tuple[Mapping[str, Any], list[list[int]]]:
    """Return the tensors of a conversation's pictures, and of each the tokens that stand for it."""
    decoded_pictures = []
    for number, picture in enumerate(pictures, 1):
        try:
            decoded_pictures.append(decoded(picture, network.model.largest_picture))
        except ValueError as error:
            raise ValueError(f"picture {number} of {len(pictures)} {error}") from None
    config, image = network.weights.config, network.weights.config.image_token_id
    if network.kind in QWEN:
        seen = network.look(images=decoded_pictures, return_tensors="pt")
        patches = seen["image_grid_thw"].prod(-1) // network.look.merge_size**2
        return dict(seen), [[image] * count for count in patches.tolist()]
    # In tiles, as its own processor has it; the image processor's file says nothing of that.
    seen = network.look(images=decoded_pictures, return_tensors="pt", crop_to_patches=True)
    start, end = network.tokenizer.convert_tokens_to_ids(["<img>", "</img>"])
    tiles = [int(count) for count in seen["num_patches"]]
    places = [[start, *[image] * config.image_seq_length * count, end] for count in tiles]
    return {"pixel_values": seen["pixel_values"]}, places


def filled(tokens: Sequence[int], image: int, places: Sequence[Sequence[int]]) -> list[int]:
    if tokens.count(image) != len(places):
        raise ValueError(f"the chat template leaves room for {tokens.count(image)} of {len(places)} pictures")
    following = iter(places)
    return [token for read in tokens for token in (next(following) if read == image else [read])]
