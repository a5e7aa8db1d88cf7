"""What is made to order: conversations that end with a picture, or with texts and pictures in order."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from stages.asking.as_shown import beyond_bounds
from stages.asking.outcomes import FAILED, Outcome, reason
from stages.asking.parts import Created, in_words, unbundled
from stages.asking.remarks import remark_in
from stages.asking.requests import Create, Modality, Paint, Reply, Request
from stages.project.model_kinds import LEAST_SIDE
from stages.project.plain_text import amount
from stages.tables.containers import end_of
from stages.tables.images import MOST_PADDING, seen_otherwise, size

BEGINNING = 40
"""Bytes that are quoted of what is no picture."""


@dataclass(frozen=True)
class Painting:
    """A picture asked for; `convert` returns it as it is kept, or raises ValueError saying why it is not usable.

    One of another size than asked for is `ok`, with a remark: many models paint in sizes of their own. So is one whose
    painter has something to say of it (`remarks`), and one that everybody sees otherwise than it was made. With a side
    below LEAST_SIDE it is none: nobody could see in it what was asked for.
    """

    request: Paint
    convert: Callable[[bytes], bytes]

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        if not replies:
            return self.request
        reply = replies[-1]
        if reply.finish != "stop":
            return not_made(reply)
        if not reply.content:
            return Outcome("missing_output", reason="the reply has no image")
        try:
            value, width, height = converted(reply.content, self.convert)
        except ValueError as error:
            return Outcome("parse_error", reason=f"the image {error}{text_beginning(reply.content)}")
        return Outcome("ok", value, said_of(remarks_on(reply.content, value, width, height, self.request)))


@dataclass(frozen=True)
class Creating:
    """Texts and pictures asked for; its value is a `Created` with something of every modality asked for.

    Where one is missing, say a text came without the picture, the outcome is `missing_output` and still has the value:
    what came is worth reading. `convert` is as in `Painting`, for each picture, and so are remarks.
    """

    request: Create
    convert: Callable[[bytes], bytes]

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        if not replies:
            return self.request
        reply = replies[-1]
        if reply.finish != "stop":
            return not_made(reply)
        remarks: list[str] = []
        parts: list[str | bytes] = []
        try:
            created = unbundled(reply.content)
            remarks += [created.remark] if created.remark else []
            for part in created.parts:
                if isinstance(part, str):
                    parts.append(part)
                    continue
                picture, width, height = converted(part, self.convert)
                parts.append(picture)
                remarks += remarks_on(part, picture, width, height, self.request)
        except ValueError as error:
            return Outcome("parse_error", reason=f"the answer {error}")
        made = Created(tuple(parts), created.thinking)
        if missing := [modality for modality in self.request.modalities if not has(made, modality)]:
            return Outcome("missing_output", made if parts else None, f"the reply has no {' and no '.join(missing)}")
        remarks += [*beyond_bounds(parts), *unasked(made, self.request.modalities)]
        return Outcome("ok", made, said_of(remarks))


def text_beginning(data: bytes) -> str:
    """Quote the start of a picture that is a text (JSON, a page, an address); "" where its first bytes are none."""
    start = data[:BEGINNING]
    is_text = start.isascii() and start.decode("ascii").isprintable()
    return f' ({amount(len(data), "byte")}, at the start "{start.decode("ascii")}")' if is_text else ""


def unasked(made: Created, modalities: Sequence[Modality]) -> Iterator[str]:
    if "text" not in modalities and has(made, "text"):
        yield "a text that was not asked for"
    if "image" not in modalities and made.pictures:
        yield "a picture that was not asked for"
    if modalities == ("image",) and len(made.pictures) > 1:
        yield f"{len(made.pictures)} pictures, of which the first counts"


def not_made(reply: Reply) -> Outcome:
    said = replace(reply, content=in_words(reply.content).encode())  # what was cut off may be a bundle
    return Outcome("refused_generation" if reply.finish == "refused" else FAILED[reply.finish], reason=reason(said))


def converted(picture: bytes, convert: Callable[[bytes], bytes]) -> tuple[bytes, int, int]:
    """Return a picture as it is kept, its width and height; ValueError saying why it is not usable."""
    kept = convert(picture)
    width, height = size(kept)
    if min(width, height) < LEAST_SIDE:
        raise ValueError(f"has {width}x{height} pixels, too few to be a picture")
    return kept, width, height


def remarks_on(picture: bytes, kept: bytes, width: int, height: int, asked: Paint | Create) -> Iterator[str]:
    """Yield what is odd about a picture: another size, shown otherwise than made, its painter's words."""
    if asked.width and (width, height) != (asked.width, asked.height):
        yield f"{width}x{height} pixels instead of {asked.width}x{asked.height}"
    yield from seen_otherwise(kept)
    if (behind := len(picture) - end_of(picture)) > MOST_PADDING:
        yield f"shown without {behind:,} bytes behind its end"
    if said := remark_in(kept):
        yield said


def said_of(remarks: Iterable[str]) -> str | None:
    return "; ".join(dict.fromkeys(remarks)) or None


def has(made: Created, modality: Modality) -> bool:
    return any(text.strip() for text in made.texts) if modality == "text" else bool(made.pictures)
