"""The OpenAI wire format: what is sent for a request, and how replies and complaints are read. Pure functions.

vLLM-Omni's unified models (BAGEL) paint over chat: `pictures_from: chat` with `extra_body: {modalities: [image]}`, and
`think: true` in it turns thinking on. vLLM's chat models take `chat_template_kwargs: {enable_thinking: false}` there.
"""

from __future__ import annotations

import base64
import hashlib
import json
import time
from collections.abc import Collection, Iterator, Mapping
from email.utils import mktime_tz, parsedate_tz
from typing import Any, NamedTuple

import numpy as np
import orjson

from stages.asking.requests import (
    Chat,
    Embed,
    Message,
    Paint,
    Picture,
    Reply,
    Request,
    packed,
    schema_in_words,
    unpacked,
)
from stages.project.model_kinds import OpenAIModel

CHAT_SAMPLING = ("temperature", "top_p", "max_tokens")
PAINT_SAMPLING = ("guidance_scale", "num_inference_steps", "quality")
JSON = "application/json"
MEGABYTE = 1_000_000
LARGEST_TEXT, LARGEST_PICTURE = 8, 64  # megabytes of a whole reply
MOST_TOKENS = 2**31 - 1
ALPHABET = bytes.maketrans(b"-_", b"+/")  # of base64 in addresses and of base64 as such
NOT_FOLLOWED = (
    "the server gives the address of a picture instead of the picture, which is not followed: let it send pictures "
    "themselves (b64_json)"
)


class Post(NamedTuple):
    """A request as it is sent: path, body, the names of the body's fields, and the largest reply in megabytes."""

    path: str
    body: bytes
    content_type: str
    fields: Collection[str]
    largest: int


def posted(request: Request, model: OpenAIModel) -> Post:
    """Lay a request out. The seed sent is the request's plus its sample number, so that repeats differ."""
    sampling: tuple[str, ...] = ()  # what servers know of it: they reject what belongs to other kinds of request
    match request:
        case Paint() if model.pictures_from == "chat":
            asked = Message("user", (*request.pictures, request.prompt))
            fields = {"messages": [turn(asked)], "width": request.width, "height": request.height}
            fields |= {"seed": request.seed + request.sample}
            path, largest, sampling = "/chat/completions", LARGEST_PICTURE, CHAT_SAMPLING + PAINT_SAMPLING
        case Paint():
            fields = {"prompt": request.prompt, "n": 1, "size": f"{request.width}x{request.height}"}
            fields |= {"response_format": "b64_json", "seed": request.seed + request.sample}
            path = "/images/edits" if request.pictures else "/images/generations"
            largest, sampling = LARGEST_PICTURE, PAINT_SAMPLING
        case Chat():
            way = "instruction" if "response_format" in model.omit else model.structured_output
            fields = conversation(request, way) | {"seed": request.seed + request.sample}
            path, largest, sampling = "/chat/completions", LARGEST_TEXT, CHAT_SAMPLING
        case Embed(item=str(text)):
            fields = {"input": text, "encoding_format": "base64"}
            path, largest = "/embeddings", LARGEST_TEXT
        case _:
            raise TypeError(f"{request!r} is not asked over HTTP")
    chosen = {name: value for name in sampling if (value := getattr(model.sampling, name)) is not None}
    fields = {"model": model.id} | fields | chosen
    for name in model.omit:
        for field in ("size", "width", "height") if name == "size" else (name,):
            fields.pop(field, None)
    fields |= model.extra_body
    if isinstance(request, Paint) and path == "/images/edits":
        return Post(path, *form(fields, request.pictures), tuple(fields), largest)
    return Post(path, orjson.dumps(fields), JSON, tuple(fields), largest)


def conversation(request: Chat, structured_output: str) -> dict[str, Any]:
    """Return the messages of a chat, and its reply's form: as a schema, or in words at the end of the last message."""
    messages = list(request.messages)
    if structured_output != "json_schema":
        last = messages[-1]
        messages[-1] = Message(last.role, (*last.parts, schema_in_words(request.schema)))
    fields: dict[str, Any] = {"messages": [turn(message) for message in messages]}
    if structured_output == "json_schema":
        schema = {"name": request.name, "schema": request.schema, "strict": True}
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif structured_output == "json_object":
        fields["response_format"] = {"type": "json_object"}
    return fields


def turn(message: Message) -> dict[str, Any]:
    """Return one message in the protocol's form."""
    return {"role": message.role, "content": [laid_out(part) for part in message.parts]}


def laid_out(part: str | Picture) -> dict[str, Any]:
    """Return a part of a message in the protocol's form; a picture travels inside, as a data URL."""
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def form(fields: Mapping[str, Any], pictures: Collection[Picture]) -> tuple[bytes, str]:
    """Return a multipart form and its content type: plain fields, then the pictures as files `image[]`."""
    parts = []
    for name, value in fields.items():
        text = value if isinstance(value, str) else orjson.dumps(value).decode()
        parts.append(f'Content-Disposition: form-data; name="{name}"\r\n\r\n{text}'.encode())
    for number, picture in enumerate(pictures):
        file = f'filename="{number}.{picture.media_type.rpartition("/")[2]}"\r\nContent-Type: {picture.media_type}'
        parts.append(f'Content-Disposition: form-data; name="image[]"; {file}\r\n\r\n'.encode() + picture.data)
    boundary = hashlib.sha256(b"".join(parts)).hexdigest()  # the content cannot contain its own digest
    lines = b"".join(b"--%b\r\n%b\r\n" % (boundary.encode(), part) for part in parts)
    return lines + b"--%b--\r\n" % boundary.encode(), f"multipart/form-data; boundary={boundary}"


def read(request: Request, model: OpenAIModel, data: bytes) -> Reply:
    """Read an answer to a request. ValueError, in a few words, when it is none."""
    try:
        body = parsed(data)
    except ValueError:
        raise ValueError(f"no JSON: {data.decode(errors='replace')}") from None
    try:
        match request:
            case Paint() if model.pictures_from == "chat":
                return read_chat_picture(body)
            case Paint():
                return read_picture(body)
            case Embed():
                return read_embedding(body)
            case _:
                return read_chat(body)
    except (AttributeError, LookupError, TypeError, ValueError) as error:
        said = f"the server says: {complaint(data)[0]}" if isinstance(body, dict) and body.get("error") else ""
        raise ValueError(said or f"unreadable: {error!r}: {data.decode(errors='replace')}") from None


def parsed(data: bytes) -> Any:
    """Read JSON, also with a byte order mark or with NaN, as some servers write it; ValueError when it is none."""
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        try:
            return json.loads(data)
        except RecursionError:
            raise ValueError("too deeply nested") from None


def read_chat(body: Any) -> Reply:
    """Read a chat completion."""
    choice = body["choices"][0]
    if refusal := refused(choice):
        return Reply(refusal.encode(), "refused", *tokens(body))
    text = text_of(choice["message"])
    return Reply(text.encode(), "length" if choice.get("finish_reason") == "length" else "stop", *tokens(body))


def read_chat_picture(body: Any) -> Reply:
    """Read a chat completion that holds a picture, in any of its choices: unified models put their thinking first."""
    choices = [c for c in body["choices"] if isinstance(c, dict) and isinstance(c.get("message"), dict)]
    choices[0]
    for choice in choices:
        if refusal := refused(choice):
            return Reply(refusal.encode(), "refused", *tokens(body))
    messages = [choice["message"] for choice in choices]
    for part in (part for message in messages for part in [*images_of(message), *parts_of(message)]):
        if address := address_of(part):
            return picture_at(address, body)
    text = "".join(map(text_of, messages))
    cause = f"text instead of a picture: {text}" if text else "the reply has no picture"
    return Reply(cause.encode(), "missing", *tokens(body))


def images_of(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the `images` that stand beside a reply's content: parts like its own, or only their data URLs or base64."""
    images = message.get("images")
    for image in images if isinstance(images, list) else []:
        if isinstance(image, str):
            yield {"image_url": image if ":" in image[:9] else f"data:,{image}"}
        elif isinstance(image, dict):
            yield image


def address_of(part: Mapping[str, Any]) -> str:
    """Return the address or the data URL of a part that is a picture; empty for others."""
    image = part.get("image_url") or ""
    return image if isinstance(image, str) else image.get("url") or ""


def picture_at(address: str, body: Any) -> Reply:
    """Read a picture from its data URL."""
    if address[:5].lower() != "data:":
        return Reply(NOT_FOLLOWED.encode(), "transport_error")
    return Reply(unencoded(address), "stop", *tokens(body))


def unencoded(text: str) -> bytes:
    """Decode base64 of either alphabet, in lines or not, alone or in a data URL; ValueError when it is none."""
    encoded = text.partition(",")[2] if text[:5].lower() == "data:" else text
    return base64.b64decode(encoded.encode("ascii").translate(ALPHABET, b" \t\r\n"), validate=True)


def parts_of(message: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the parts of a reply's content, be it a text or a list."""
    content = message.get("content") or []
    if not isinstance(content, str | list):
        raise TypeError("the content is neither a text nor a list of parts")
    for part in [content] if isinstance(content, str) else content:
        yield {"text": part} if isinstance(part, str) else part


def text_of(message: Mapping[str, Any]) -> str:
    """Return the text of a reply, be its content a text or a list of parts."""
    return "".join(part.get("text") or "" for part in parts_of(message))


def refused(choice: Mapping[str, Any]) -> str:
    """Return the words of a refusal; empty when it is none."""
    refusal = choice["message"].get("refusal")
    if refusal or choice.get("finish_reason") == "content_filter":
        return str(refusal or text_of(choice["message"]) or "content_filter")
    return ""


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


def complaint(body: bytes) -> tuple[str, set[str]]:
    """Return what a server says went wrong, and the names (code, type and parameter) that it gives to it."""
    text = body.decode(errors="replace")
    try:
        error = parsed(body)
        error = error.get("error", error)
        return str(error.get("message") or text), {str(error.get(name)) for name in ("code", "type", "param")}
    except (AttributeError, ValueError):
        return text, set()


def retry_after(value: str | None, now: str | None = None) -> float:
    """Return seconds that a Retry-After header (a number or an HTTP date) asks for; 0 when absent or unreadable.

    A date counts from the server's own clock, where its Date header (`now`) tells it.
    """
    try:
        return max(0.0, float(value or 0))
    except ValueError:
        then, clock = date(value), date(now)
        return 0.0 if then is None else max(0.0, then - (time.time() if clock is None else clock))


def date(value: str | None) -> float | None:
    """Return the time of an HTTP date, in seconds since 1970; None when there is none, or none that a calendar has."""
    try:
        parts = parsedate_tz(value)
        return mktime_tz(parts) if parts else None
    except (ValueError, OverflowError):
        return None
