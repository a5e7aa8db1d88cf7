"""What is sent to a model and what comes back: requests, replies, and a request's fingerprint."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Literal, Protocol

import numpy as np
import orjson

if TYPE_CHECKING:
    import numpy.typing as npt

Finish = Literal["stop", "length", "refused", "unsupported", "missing", "invalid", "transport_error"]
"""How a reply ended. `missing`: an answer made elsewhere is not there; `invalid`: the server rejected this one request;
`transport_error`: no answer came."""


@dataclass(frozen=True)
class Picture:
    """An encoded image as it is sent, already preprocessed."""

    data: bytes
    media_type: str = "image/jpeg"

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def stored_picture(data: bytes) -> Picture:
    """Return a picture of a table of the build, which is a JPEG or a WebP."""
    return Picture(data, "image/webp" if data.startswith(b"RIFF") else "image/jpeg")


Part = str | Picture  # A text or a picture, as one of several in order
Modality = Literal["text", "image"]


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of a chat: texts and pictures in order."""

    role: Literal["system", "user", "assistant"]
    parts: tuple[Part, ...]


@dataclass(frozen=True, slots=True)
class Chat:
    """A chat request. `name` identifies question and schema; an empty schema asks for no form."""

    name: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    seed: int
    sample: int = 0
    record: str = ""


@dataclass(frozen=True, slots=True)
class Paint:
    """A request for a picture; width and height in pixels. What pictures are to be made of is asked by `Create`."""

    prompt: str
    width: int
    height: int
    seed: int
    sample: int = 0
    record: str = ""


@dataclass(frozen=True, slots=True)
class Create:
    """What a contestant is given, and what it is to answer with (`parts.unbundle` reads the reply).

    `modalities`: text alone is free text; a picture alone is an edit where pictures are given; both are texts and
    pictures in order. `width` and `height` of the pictures wanted, in pixels; 0 where only text is.
    """

    parts: tuple[Part, ...]
    modalities: tuple[Modality, ...]
    width: int
    height: int
    seed: int
    sample: int = 0
    record: str = ""


@dataclass(frozen=True, slots=True)
class Embed:
    """A text or a picture whose embedding is wanted, or several texts; the reply is `pack_vector`: of several texts
    all their vectors in a row.
    """

    item: Part | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Nearest:
    """Texts or pictures, in groups: wanted is what lies nearest to each group of all that the model knows."""

    groups: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A picture whose lettering is to be read; the reply is a JSON list of lines (`seeing.Line`)."""

    picture: Picture


@dataclass(frozen=True, slots=True)
class Detect:
    """Things looked for in a picture, by plain names; the reply is a JSON list (`seeing.Detection`)."""

    picture: Picture
    labels: tuple[str, ...]


Request = Chat | Paint | Create | Embed | Nearest | Read | Detect
"""`record` is the row's id, set only for a model that finds its answers by id (`Model.by_record`)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `content`: UTF-8 text, an encoded picture, several of both (`parts.bundle`), or the cause of a
    failure.

    `cost`, in the currency of run.toml's prices, where only the model can tell (a pair's two models); not stored.
    """

    content: bytes
    finish: Finish = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class Model(Protocol):
    """Anything that answers requests.

    `identity` (id, revision, numerics, sampling) is part of every fingerprint. `by_record`: answers are found by the
    row's id, so requests carry it. `answer` gives a Reply for what concerns this request, UserError for what concerns
    all (a wrong key), and ModelDied when no more can be answered (a broken GPU).
    """

    identity: Mapping[str, Any]
    by_record: bool

    @property
    def concurrency(self) -> int: ...

    async def answer(self, request: Request) -> Reply: ...

    async def close(self) -> None: ...


def fingerprint(request: Request, identity: Mapping[str, Any]) -> str:
    """Return the sha256 (hex) of a request as sent to a model of this identity.

    Not in it: code, library versions, the engine, the endpoint's address.
    """
    body: dict[str, Any] = {"model": identity}
    if isinstance(request, Embed):
        body["embed"] = request.item if isinstance(request.item, tuple) else part_digest(request.item)
    elif isinstance(request, Nearest):
        body["nearest"] = [list(map(part_digest, group)) for group in request.groups]
    elif isinstance(request, Read):
        body["read"] = part_digest(request.picture)
    elif isinstance(request, Detect):
        body["detect"] = [part_digest(request.picture), *request.labels]
    else:
        body |= {"seed": request.seed, "sample": request.sample}
        if request.record:
            body["record"] = request.record
        if isinstance(request, Paint):
            body["paint"] = [request.prompt, request.width, request.height]
        elif isinstance(request, Create):
            body["create"] = [part_digest(part) for part in request.parts]
            body["answer"] = [request.modalities, request.width, request.height]
        else:
            body["chat"] = request.name
            body["messages"] = [[m.role, *(part_digest(p) for p in m.parts)] for m in request.messages]
            body["schema"] = request.schema
    return hashlib.sha256(orjson.dumps(body, option=orjson.OPT_SORT_KEYS)).hexdigest()


def seed_of(name: str, seed: int) -> int:
    """Return a seed, 0 .. 2^31 - 1, for what has this name, from the build's seed: order changes nothing."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:4]) >> 1


def part_digest(part: Part) -> Any:
    if isinstance(part, str):
        return part
    return [part.media_type, part.digest]


def tag_fields(fields: Mapping[str, str]) -> str:
    r"""Lay fields out as tagged blocks. What may be read as their closing tag gets a backslash: `</name>` becomes
    `<\/name>`.
    """
    closing = closing_tags(tuple(fields))
    escaped = {name: closing.sub(r"\1\\\2", value) for name, value in fields.items()}
    return "\n".join(f"<{name}>\n{value}\n</{name}>" for name, value in escaped.items())


def untag_fields(text: str) -> dict[str, str]:
    fields = dict(re.findall(r"<(\w+)>\n(.*?)\n</\1>", text, flags=re.DOTALL))
    closing = closing_tags(tuple(fields))
    as_it_was = partial(closing.sub, lambda tag: tag[1].removesuffix("\\") + tag[2])
    return {name: as_it_was(value) for name, value in fields.items()}


@cache
def closing_tags(names: tuple[str, ...]) -> re.Pattern[str]:
    """Match what may be read as a closing tag of these fields: any case, with blanks, whatever behind it."""
    return re.compile(rf"(<\s*\\*)(/\s*(?:{'|'.join(map(re.escape, names))})\b)", re.IGNORECASE)


def fields_of(request: Chat) -> dict[str, str]:
    """Return the record fields that a chat request carries: the last part of its opening message."""
    last = request.messages[0].parts[-1]
    return untag_fields(last) if isinstance(last, str) and last.startswith("<") else {}


def parts_of(request: Request) -> tuple[Part, ...]:
    match request:
        case Chat():
            return tuple(part for message in request.messages for part in message.parts)
        case Paint():
            return (request.prompt,)
        case Create():
            return request.parts
        case Embed():
            return request.item if isinstance(request.item, tuple) else (request.item,)
        case Nearest():
            return tuple(part for group in request.groups for part in group)
        case Read():
            return (request.picture,)
        case Detect():
            return (request.picture, *request.labels)


def pictures_of(request: Request) -> list[bytes]:
    return [part.data for part in parts_of(request) if isinstance(part, Picture)]


def wants_picture(request: Request) -> bool:
    return isinstance(request, Paint) or (isinstance(request, Create) and "image" in request.modalities)


def number_pictures(parts: Sequence[Part]) -> tuple[str, tuple[Picture, ...]]:
    """Return parts as one text, and its pictures beside it; "image 1", "image 2" … stand where the pictures stood.

    Where all pictures come first, as in an edit, the text is left alone.
    """
    pictures = tuple(part for part in parts if isinstance(part, Picture))
    numbers = (f"image {number}" for number, _ in enumerate(pictures, 1))
    before = not any(isinstance(part, Picture) for part in parts[len(pictures) :])
    text = ""
    for part in parts[len(pictures) :] if before else parts:
        words = part if isinstance(part, str) else next(numbers)
        apart = text and words and not (text[-1].isspace() or words[0].isspace() or words[0] in CLOSING_SIGNS)
        text += f" {words}" if apart else words
    return text, pictures


CLOSING_SIGNS = ".,;:!?)]}'’”。，；：！？、）"  # what follows a word without a space


def pack_vector(vector: npt.NDArray[np.float32]) -> bytes:
    """Return an embedding as a reply holds it: base64 of little-endian float32, as in the embeddings endpoint."""
    return base64.b64encode(np.ascontiguousarray(vector, dtype="<f4").tobytes())


def unpack_vector(content: bytes) -> npt.NDArray[np.float32]:
    vector = np.frombuffer(base64.b64decode(content, validate=True), "<f4").astype(np.float32)
    if not vector.size or not np.isfinite(vector).all():
        raise ValueError("the embedding is empty or has values that are not finite")
    return vector


def schema_in_words(schema: Mapping[str, Any]) -> str:
    """Ask in words for a reply of this JSON schema, for servers and models that know no other way."""
    compact = orjson.dumps(schema, option=orjson.OPT_SORT_KEYS).decode()
    return f"Answer with only a JSON object that fits this JSON schema:\n{compact}"
