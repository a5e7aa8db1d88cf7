"""Reads the content of chat replies in the OpenAI wire format.

It may be JSON with half characters, NaN or a stream. Pictures are among the parts (vLLM-Omni), next to them as `images`
(OpenRouter, LiteLLM, Vercel) or in Markdown. Thinking is `reasoning_content` (DeepSeek), `reasoning` (vLLM,
OpenRouter), a part (Mistral), or before the text.
"""

from __future__ import annotations

import base64
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

import orjson

from gamut.asking.parts import Created, split_thinking

ALPHABET = bytes.maketrans(b"-_", b"+/")  # of base64 in addresses and of base64 as such
THINKING_TYPES = ("thinking", "reasoning")  # types of parts that hold it
REASONING_FIELDS = ("reasoning_content", "reasoning")  # of messages; if both are there, they are the same
DRAWING = re.compile(r"!\[[^\[\]]{0,200}\]\((data:image/[\w.+-]+;base64,[\w+/=-]+)\)", re.ASCII)
"""A picture in Markdown. A match ends where the next could begin, so that a long text is searched once."""
PICTURE_PLACE = "<image>"
"""The place of a picture that is next to the text. Models write such places, none of the servers above does."""


def read_message(message: Mapping[str, Any], of_pictures: bool) -> Created:
    """Return a message's texts and pictures in order, and its thinking. Raise ValueError, TypeError or AttributeError
    if it is broken.

    Texts are searched for pictures only if these were asked for.
    """
    thoughts = [thinking_beside(message)]
    parts: list[str | bytes] = []
    for part in parts_of(message):
        if part.get("type") in THINKING_TYPES:
            thoughts.append(part_thinking(part))
        elif address := address_of(part):
            parts.append(decode_base64(address))
        else:
            parts.append(text_in(part))
    parts = list(join_texts(parts))
    if parts and isinstance(parts[0], str):
        thought, parts[0] = split_thinking(parts[0])
        thoughts.append(thought)
    if of_pictures:
        parts = [piece for part in parts for piece in (split_drawings(part) if isinstance(part, str) else [part])]
    beside = [decode_base64(address_of(image)) for image in images_of(message)]
    parts = place_pictures(parts, [picture for picture in beside if picture])
    kept = tuple(part for part in parts if (part.strip() if isinstance(part, str) else part))
    return Created(kept, "\n\n".join(filter(None, thoughts)))


def thinking_beside(message: Mapping[str, Any]) -> str:
    return next((said for name in REASONING_FIELDS if isinstance(said := message.get(name), str) and said.strip()), "")


def join_texts(parts: Iterable[str | bytes]) -> Iterator[str | bytes]:
    for are_texts, some in groupby(parts, lambda part: isinstance(part, str)):
        alike = list(some)
        yield from ["".join(map(str, alike))] if are_texts else alike


def split_drawings(text: str) -> Iterator[str | bytes]:
    """Yield a text's pieces and the pictures drawn in it as Markdown; one that cannot be decoded stays text."""
    start = 0
    for drawing in DRAWING.finditer(text):
        try:
            picture = decode_base64(drawing[1])
        except ValueError:
            continue
        yield text[start : drawing.start()]
        yield picture
        start = drawing.end()
    yield text[start:]


def place_pictures(parts: Sequence[str | bytes], beside: Sequence[bytes]) -> list[str | bytes]:
    """Put pictures into their places in the texts, or after all texts if the numbers differ."""
    if sum(part.count(PICTURE_PLACE) for part in parts if isinstance(part, str)) != len(beside):
        return [*parts, *beside]
    following = iter(beside)
    placed: list[str | bytes] = []
    for part in parts:
        first, *others = part.split(PICTURE_PLACE) if isinstance(part, str) else [part]
        placed.append(first)
        for piece in others:
            placed += [next(following), piece]
    return placed


def part_thinking(part: Mapping[str, Any]) -> str:
    """Return the words of a part that holds thinking: a text, or a list of parts with texts."""
    thinking = part.get(part["type"]) or part.get("text") or part.get("summary") or ""
    if isinstance(thinking, list):
        thinking = "".join(text_in(one) for one in thinking)
    return str(thinking)


def points_elsewhere(message: Mapping[str, Any]) -> bool:
    addresses = map(address_of, [*parts_of(message), *images_of(message)])
    return any(address and not is_data_url(address) for address in addresses)


def images_of(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    images = message.get("images")
    for image in images if isinstance(images, list) else []:
        if isinstance(image, str):
            yield {"image_url": image if ":" in image[:9] else f"data:,{image}"}
        elif isinstance(image, dict):
            yield image


def parts_of(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    content = message.get("content") or []
    if not isinstance(content, str | list):
        raise TypeError("the content is neither a text nor a list of parts")
    for part in [content] if isinstance(content, str) else content:
        yield {"text": part} if isinstance(part, str) else part


def text_of(message: Mapping[str, Any]) -> str:
    return "".join(text_in(part) for part in parts_of(message) if part.get("type") not in THINKING_TYPES)


def text_in(part: Mapping[str, Any]) -> str:
    text = part.get("text") or ""
    if not isinstance(text, str):
        raise TypeError("the text of a part is not a text")
    return text


def address_of(part: Mapping[str, Any]) -> str:
    image = part.get("image_url") or ""
    return image if isinstance(image, str) else image.get("url") or ""


def is_data_url(address: str) -> bool:
    return address[:5].lower() == "data:"


def decode_base64(text: str) -> bytes:
    """Decode base64 of either alphabet, in lines or not, alone or in a data URL. Raise ValueError for other text."""
    encoded = text.partition(",")[2] if is_data_url(text) else text
    return base64.b64decode(encoded.encode("ascii").translate(ALPHABET, b" \t\r\n"), validate=True)


def parse_json(data: bytes) -> Any:
    """Read JSON, also with NaN or a byte order mark; half a character becomes U+FFFD. ValueError for other text."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return with_whole_characters(json.loads(data))
        except RecursionError:
            raise ValueError("too deeply nested") from None


def with_whole_characters(value: Any) -> Any:
    # Two halves of a character become the character, and one alone U+FFFD.
    text = json.dumps(value, ensure_ascii=False).encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return json.loads(text)


def is_stream(data: bytes) -> bool:
    """Return whether a body is a stream of events, which was not asked for: some servers answer in no other way."""
    return data.lstrip()[:6].startswith((b"data:", b"event:", b"id:", b"retry:", b":"))


def completion_of(data: bytes) -> Any:
    """Return the chat completion that a stream adds up to. Raise ValueError if a choice has no end."""
    body: dict[str, Any] = {"choices": []}
    other: Any = None
    choices: dict[int, dict[str, Any]] = {}
    events = (line[5:].strip() for line in data.splitlines() if line.startswith(b"data:"))
    for chunk in (json.loads(event) for event in events if event != b"[DONE]"):  # the last event of a stream
        if chunk.get("error"):
            return {"error": chunk["error"]}
        other = other if "choices" in chunk else chunk
        body |= {"usage": chunk["usage"]} if chunk.get("usage") else {}
        for piece in chunk.get("choices") or []:
            choice = choices.setdefault(piece.get("index", 0), {"message": {}, "finish_reason": None})
            choice |= {"finish_reason": piece["finish_reason"]} if piece.get("finish_reason") else {}
            add_delta(choice["message"], piece.get("delta") or piece.get("message") or {})
    if not choices and other:
        return other
    if not choices or any(choice["finish_reason"] is None for choice in choices.values()):
        raise ValueError("the stream of events broke off")
    return with_whole_characters(body | {"choices": [choices[index] for index in sorted(choices)]})


def add_delta(message: dict[str, Any], delta: Mapping[str, Any]) -> None:
    for key, value in delta.items():
        grows = isinstance(value, str | list) and key != "role" and isinstance(message.get(key), type(value))
        if value is not None:
            message[key] = message[key] + value if grows else value
