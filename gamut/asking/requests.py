"""Requests to a model, its replies, and the fingerprint of a request."""

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
"""How a reply ended. `missing`: an answer made elsewhere does not exist. `invalid`: the server rejected this request.
`transport_error`: no answer came."""


@dataclass(frozen=True)
class Picture:
    """An encoded image as it is sent, after preprocessing."""

    data: bytes
    media_type: str = "image/jpeg"

    @cached_property
    def digest(self) -> str:
        return hashlib.sha256(self.data).hexdigest()


def stored_picture(data: bytes) -> Picture:
    """Return a picture from a table of the build, which is a JPEG or a WebP."""
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
    """A chat request. `name` identifies the question and its schema; if the schema is empty, replies have no form."""

    name: str
    messages: tuple[Message, ...]
    schema: Mapping[str, Any]
    seed: int
    sample: int = 0
    record: str = ""
    logprobs: bool = False  # for a digit and its probability; in no fingerprint, since the store has a `Rate`


@dataclass(frozen=True, slots=True)
class Paint:
    """A request for a picture from a prompt; width and height in pixels. With pictures as input it is a `Create`."""

    prompt: str
    width: int
    height: int
    seed: int
    sample: int = 0
    record: str = ""


@dataclass(frozen=True, slots=True)
class Create:
    """The parts given to a contestant, and the modalities of the answer (`parts.unbundle` reads the reply).

    `modalities`: only text is free text; only a picture is an edit if pictures are given; both are texts and pictures
    in order. `width` and `height` of the requested pictures are in pixels; 0 if only text is requested.
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
    """A request for the embedding of a text, a picture or several texts. The reply is a `pack_vector`, with the vectors
    of several texts one after the other.
    """

    item: Part | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Nearest:
    """Groups of texts or pictures: a request for what the model knows that is nearest to each group."""

    groups: tuple[tuple[Part, ...], ...]


@dataclass(frozen=True, slots=True)
class Read:
    """A request to read the lettering of a picture. The reply is a JSON list of lines (`seeing.Line`)."""

    picture: Picture


@dataclass(frozen=True, slots=True)
class Detect:
    """A request to find things in a picture, by plain names. The reply is a JSON list (`seeing.Detection`)."""

    picture: Picture
    labels: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Rate:
    """A request for a score of a picture, a `name` of SCORERS, by its prompt `text` ("" for aesthetics)."""

    name: str
    picture: Picture
    text: str


Request = Chat | Paint | Create | Embed | Nearest | Read | Detect | Rate
"""`record` is the row's id, set only for a model that looks up its answers by id (`Model.by_record`)."""


@dataclass(frozen=True, slots=True)
class Reply:
    """The reply to a request. `content`: UTF-8 text, an encoded picture, several of both (`parts.bundle`), or the cause
    of a failure.

    `cost`: in the currency of run.toml's prices, if only the model knows it (the two models of a pair); not stored.
    """

    content: bytes
    finish: Finish = "stop"
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None


class Model(Protocol):
    """Anything that answers requests.

    `identity` (id, revision, numerics, sampling) is part of every fingerprint. `by_record`: answers are found by the
    row's id, so requests have it. `answer` returns a Reply, also for a failure of this request alone. It raises
    UserError for a failure of all requests (a wrong key), and ModelDied when it can answer no more (a broken GPU).
    """

    identity: Mapping[str, Any]
    by_record: bool

    @property
    def concurrency(self) -> int: ...

    async def answer(self, request: Request) -> Reply: ...

    async def close(self) -> None: ...


def fingerprint(request: Request, identity: Mapping[str, Any]) -> str:
    """Return the sha256 (hex) of a request to a model with this identity.

    Code, library versions, the engine and the endpoint's address are not part of it.
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
    elif isinstance(request, Rate):
        body["rate"] = [request.name, part_digest(request.picture), request.text]
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
    """Return a seed, 0 .. 2^31 - 1, from a name and the build's seed, so that the order of work changes nothing."""
    return int.from_bytes(hashlib.sha256(f"{seed}:{name}".encode()).digest()[:4]) >> 1


def part_digest(part: Part) -> Any:
    if isinstance(part, str):
        return part
    return [part.media_type, part.digest]


def tag_fields(fields: Mapping[str, str]) -> str:
    r"""Write fields as tagged blocks. Texts that could be read as closing tags get a backslash: `</name>` becomes
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
    """Match what could be read as a closing tag of these fields: in any case, with blanks or more after the name."""
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
        case Rate():
            return (request.picture, request.text)


def pictures_of(request: Request) -> list[bytes]:
    return [part.data for part in parts_of(request) if isinstance(part, Picture)]


def wants_picture(request: Request) -> bool:
    return isinstance(request, Paint) or (isinstance(request, Create) and "image" in request.modalities)


def number_pictures(parts: Sequence[Part]) -> tuple[str, tuple[Picture, ...]]:
    """Return parts as one text and its pictures. In the text, "image 1", "image 2" … replace the pictures.

    If all pictures come first, as in an edit, the text does not name them.
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
    """Return an embedding as the content of a reply: base64 of little-endian float32, as in the embeddings endpoint."""
    return base64.b64encode(np.ascontiguousarray(vector, dtype="<f4").tobytes())


def unpack_vector(content: bytes) -> npt.NDArray[np.float32]:
    vector = np.frombuffer(base64.b64decode(content, validate=True), "<f4").astype(np.float32)
    if not vector.size or not np.isfinite(vector).all():
        raise ValueError("the embedding is empty or has values that are not finite")
    return vector


def schema_in_words(schema: Mapping[str, Any]) -> str:
    """Ask in words for a reply with this JSON schema, for servers and models without structured output."""
    compact = orjson.dumps(schema, option=orjson.OPT_SORT_KEYS).decode()
    return f"Answer with only a JSON object that fits this JSON schema:\n{compact}"
