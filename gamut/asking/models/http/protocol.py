"""The OpenAI wire format: what is sent for a request, and how replies are read. Pure functions.

Unified models paint over chat (`pictures_from: chat`): `modalities` names what they answer with. vLLM-Omni takes `text`
or `image` in it, OpenRouter rejects what a model cannot make. `extra_body` has a server's own switches, such as
BAGEL's `think: true` or vLLM's `chat_template_kwargs: {enable_thinking: false}`.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Collection, Mapping
from typing import Any, NamedTuple

import orjson

from gamut.asking.models.http import wire_replies
from gamut.asking.models.http.host_words import Complaint, complaint_of, error_inside, is_limit, is_refusal
from gamut.asking.models.http.rating import read_rating
from gamut.asking.models.http.wire_parts import completion_of, is_stream, parse_json
from gamut.asking.requests import (
    Chat,
    Create,
    Embed,
    Message,
    Modality,
    Paint,
    Picture,
    Reply,
    Request,
    number_pictures,
    parts_of,
    schema_in_words,
    wants_picture,
)
from gamut.project.model_kinds import OpenAIModel

CHAT_SAMPLING = ("temperature", "top_p", "max_tokens", "top_k", "repetition_penalty")
PAINT_SAMPLING = ("guidance_scale", "num_inference_steps", "quality", "negative_prompt", "true_cfg_scale")
OMITTED_WITH = {"size": ("size", "width", "height"), "logprobs": ("logprobs", "top_logprobs")}
MOST_LIKELY = 20  # tokens whose probability is given, in OpenAI's API at most
JSON = "application/json"
MEGABYTE = 1_000_000
LARGEST_TEXT, LARGEST_PICTURE = 8, 64  # megabytes of a whole reply


class Post(NamedTuple):
    """A request as it is sent: path, body, the names of the body's fields, and the largest reply in megabytes."""

    path: str
    body: bytes
    content_type: str
    fields: Collection[str]
    largest: int


def build_post(request: Request, model: OpenAIModel) -> Post:
    """Lay a request out. The seed sent is the request's plus its sample number, so that repeats differ."""
    sampling: tuple[str, ...] = ()  # fields that servers know; they reject those of other kinds of request
    pictures: tuple[Picture, ...] = ()  # sent as files next to the fields
    match request:
        case Paint() | Create() if wants_picture(request) and model.pictures_from == "images":
            prompt, pictures = number_pictures(parts_of(request))
            fields = {"prompt": prompt, "n": 1, "size": f"{request.width}x{request.height}"}
            fields |= {"response_format": "b64_json", "seed": request.seed + request.sample}
            path = "/images/edits" if pictures else "/images/generations"
            largest, sampling = LARGEST_PICTURE, PAINT_SAMPLING
        case Paint() | Create() if wants_picture(request):
            fields = {
                "messages": [message_fields(Message("user", parts_of(request)))],
                "modalities": modalities(request),
            }
            fields |= {"width": request.width, "height": request.height, "seed": request.seed + request.sample}
            path, largest, sampling = "/chat/completions", LARGEST_PICTURE, CHAT_SAMPLING + PAINT_SAMPLING
        case Create():
            fields = {
                "messages": [message_fields(Message("user", request.parts))],
                "seed": request.seed + request.sample,
            }
            if model.pictures_from == "chat":  # otherwise it would paint
                fields |= {"modalities": modalities(request)}
            path, largest, sampling = "/chat/completions", LARGEST_TEXT, CHAT_SAMPLING
        case Chat():
            way = "instruction" if "response_format" in model.omit else model.structured_output
            fields = conversation(request, way) | {"seed": request.seed + request.sample}
            fields |= {"logprobs": True, "top_logprobs": MOST_LIKELY} if request.logprobs else {}
            path, largest, sampling = "/chat/completions", LARGEST_TEXT, CHAT_SAMPLING
        case Embed(item=str() | tuple() as texts):
            fields = {"input": texts, "encoding_format": "base64"}
            path, largest = "/embeddings", LARGEST_TEXT
        case _:
            raise TypeError(f"{request!r} is not asked over HTTP")
    chosen = {name: value for name in sampling if (value := getattr(model.sampling, name)) is not None}
    fields = {"model": model.id} | fields | chosen
    for name in model.omit:
        for field in OMITTED_WITH.get(name, (name,)):
            fields.pop(field, None)
    fields |= model.extra_body
    if pictures:
        return Post(path, *multipart_form(fields, pictures), tuple(fields), largest)
    return Post(path, orjson.dumps(fields), JSON, tuple(fields), largest)


def unsupported_reason(request: Request, model: OpenAIModel) -> str:
    if isinstance(request, Create) and len(request.modalities) > 1 and model.pictures_from == "images":
        return "an images endpoint writes no text beside a picture (a server that does both has `pictures_from: chat`)"
    return ""


def modalities(request: Paint | Create) -> tuple[Modality, ...]:
    return request.modalities if isinstance(request, Create) else ("image",)


def conversation(request: Chat, structured_output: str) -> dict[str, Any]:
    """Return the messages of a chat, and its reply's form: as a schema, or in words at the end of the last message."""
    messages = list(request.messages)
    if not request.schema:
        return {"messages": [message_fields(message) for message in messages]}
    if structured_output != "json_schema":
        last = messages[-1]
        messages[-1] = Message(last.role, (*last.parts, schema_in_words(request.schema)))
    fields: dict[str, Any] = {"messages": [message_fields(message) for message in messages]}
    if structured_output == "json_schema":
        schema = {"name": request.name, "schema": request.schema, "strict": True}
        fields["response_format"] = {"type": "json_schema", "json_schema": schema}
    elif structured_output == "json_object":
        fields["response_format"] = {"type": "json_object"}
    return fields


def message_fields(message: Message) -> dict[str, Any]:
    return {"role": message.role, "content": [part_fields(part) for part in message.parts]}


def part_fields(part: str | Picture) -> dict[str, Any]:
    if isinstance(part, str):
        return {"type": "text", "text": part}
    data = base64.b64encode(part.data).decode()
    return {"type": "image_url", "image_url": {"url": f"data:{part.media_type};base64,{data}"}}


def multipart_form(fields: Mapping[str, Any], pictures: Collection[Picture]) -> tuple[bytes, str]:
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


class ErrorInside(ValueError):
    """An error in a response with a good status: it counts as its code says, whatever else is in the response."""

    def __init__(self, complaint: Complaint) -> None:
        super().__init__(f"the server says: {complaint.message}")
        self.complaint = complaint


def read_reply(request: Request, model: OpenAIModel, data: bytes) -> Reply:
    """Read an answer to a request. Raise ValueError in a few words if there is none (NoAnswer, ErrorInside)."""
    streams = is_stream(data)
    try:
        body = completion_of(data) if streams else parse_json(data)
    except (AttributeError, RecursionError, TypeError, ValueError):
        what = "a stream of events that is no whole completion" if streams else "no JSON"
        raise ValueError(f"{what}: {data.decode(errors='replace')}") from None
    if error := error_inside(body):
        raise ErrorInside(complaint_of(error, data.decode(errors="replace")))
    try:
        match request:
            case Paint() if model.pictures_from == "chat":
                return wire_replies.read_chat_picture(body)
            case Paint():
                return wire_replies.read_picture(body)
            case Create() if wants_picture(request) and model.pictures_from == "images":
                return wire_replies.read_pictures(body)
            case Create():
                return wire_replies.read_created(body, wants_picture(request))
            case Chat(logprobs=True):
                return read_rating(body)
            case Embed(item=texts):
                return wire_replies.read_embeddings(body, len(texts) if isinstance(texts, tuple) else 1)
            case _:
                return wire_replies.read_chat(body)
    except wire_replies.NoAnswer:
        raise
    except (AttributeError, LookupError, OverflowError, RecursionError, TypeError, ValueError) as error:
        holds_more = isinstance(body, dict) and (body.get("choices") or body.get("data"))  # what others have written
        complaint = complaint_of({} if holds_more else body, data.decode(errors="replace"))
        if complaint.status or is_refusal(complaint) or is_limit(complaint):
            raise ErrorInside(complaint) from None
        raise ValueError(f"unreadable: {error!r}: {data.decode(errors='replace')}") from None
