"""How the replies of the OpenAI wire format are read, one reader a kind of reply; LookupError, TypeError, ValueError or
AttributeError where it is none. Pure functions.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from stages.asking.models.wire_parts import (
    address_of,
    elsewhere,
    images_of,
    is_data,
    made,
    parts_of,
    text_of,
    unencoded,
)
from stages.asking.parts import bundled
from stages.asking.requests import Reply, packed, unpacked

MOST_TOKENS = 2**31 - 1
NOT_FOLLOWED = (
    "the server gives the address of a picture instead of the picture, which is not followed: let it send pictures "
    "themselves (b64_json)"
)


def read_chat(body: Any) -> Reply:
    """Read a chat completion."""
    choice = body["choices"][0]
    if refusal := refused(choice):
        return Reply(refusal.encode(), "refused", *tokens(body))
    text = text_of(choice["message"])
    return Reply(text.encode(), "length" if choice.get("finish_reason") == "length" else "stop", *tokens(body))


def read_chat_picture(body: Any) -> Reply:
    """Read a chat completion that holds a picture, in any of its choices: unified models put their thinking first."""
    choices = choices_of(body)
    if refusal := refused_in(choices):
        return Reply(refusal.encode(), "refused", *tokens(body))
    messages = [choice["message"] for choice in choices]
    for part in (part for message in messages for part in [*images_of(message), *parts_of(message)]):
        if address := address_of(part):
            return picture_at(address, body)
    text = "".join(map(text_of, messages))
    cause = f"text instead of a picture: {text}" if text else "the reply has no picture"
    return Reply(cause.encode(), "missing", *tokens(body))


def read_created(body: Any, of_pictures: bool) -> Reply:
    """Read a chat completion that holds texts, and pictures where they were asked for: all of its choices, which are
    one answer.
    """
    choices = choices_of(body)
    if refusal := refused_in(choices):
        return Reply(refusal.encode(), "refused", *tokens(body))
    messages = [choice["message"] for choice in choices]
    if any(map(elsewhere, messages)):
        return Reply(NOT_FOLLOWED.encode(), "transport_error")
    answers = [made(message, of_pictures) for message in messages]
    parts = [part for answer in answers for part in answer.parts]
    thinking = "\n\n".join(answer.thinking for answer in answers if answer.thinking)
    if any(choice.get("finish_reason") == "length" for choice in choices):
        return Reply(bundled(parts, thinking), "length", *tokens(body))
    if not parts:
        cause = f"nothing but thinking: {thinking}" if thinking else "the reply has neither text nor picture"
        return Reply(cause.encode(), "missing", *tokens(body))
    return Reply(bundled(parts, thinking), "stop", *tokens(body))


def choices_of(body: Any) -> list[Mapping[str, Any]]:
    """Return the choices of a chat completion that hold a message; LookupError when none does."""
    choices: list[Mapping[str, Any]] = [
        c for c in body["choices"] if isinstance(c, dict) and isinstance(c.get("message"), dict)
    ]
    choices[0]
    return choices


def refused_in(choices: Iterable[Mapping[str, Any]]) -> str:
    """Return the words of the first refusal among choices; empty when there is none."""
    return next(filter(None, map(refused, choices)), "")


def picture_at(address: str, body: Any) -> Reply:
    """Read a picture from its data URL."""
    if not is_data(address):
        return Reply(NOT_FOLLOWED.encode(), "transport_error")
    return Reply(unencoded(address), "stop", *tokens(body))


def refused(choice: Mapping[str, Any]) -> str:
    """Return the words of a refusal; empty when it is none."""
    refusal = choice["message"].get("refusal")
    if refusal or choice.get("finish_reason") == "content_filter":
        return str(refusal or text_of(choice["message"]) or "content_filter")
    return ""


def read_pictures(body: Any) -> Reply:
    """Read an image generation or edit as an answer."""
    reply = read_picture(body)
    if reply.finish != "stop":
        return reply
    if not reply.content:
        return replace(reply, content=b"the reply has no picture", finish="missing")
    return replace(reply, content=bundled([reply.content]))


def read_picture(body: Any) -> Reply:
    """Read an image generation or edit."""
    image = body["data"][0] if body["data"] else {}
    image = {"b64_json": image} if isinstance(image, str) else image
    if image.get("url") and not image.get("b64_json"):
        return picture_at(image["url"], body)
    return Reply(unencoded(image.get("b64_json") or ""), "stop", *tokens(body))


def read_embedding(body: Any) -> Reply:
    """Read an embedding, base64 or floats."""
    vector = body["data"][0]["embedding"]
    with np.errstate(over="ignore"):  # what is too large for float32 is infinite, and that is refused
        floats = np.frombuffer(unencoded(vector), "<f4") if isinstance(vector, str) else np.array(vector, "<f4")
    content = packed(floats.reshape(-1))
    unpacked(content)
    return Reply(content, "stop", *tokens(body))


def tokens(body: Mapping[str, Any]) -> tuple[int, int]:
    """Return tokens read and written, by either of the protocol's names; 0 where the server does not say."""
    usage = body.get("usage")
    if not isinstance(usage, dict):
        return 0, 0
    read, written = (
        usage.get("prompt_tokens") or usage.get("input_tokens"),
        usage.get("completion_tokens") or usage.get("output_tokens"),
    )
    return counted(read), counted(written)


def counted(tokens: Any) -> int:
    """Return a number of tokens as tables and the store keep it; 0 for what is none."""
    return int(min(max(0, tokens), MOST_TOKENS)) if isinstance(tokens, int | float) else 0
