"""What is made to order: a picture, or texts and pictures in order, also criticised in words and made again."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from PIL import Image
from PIL.PngImagePlugin import PngInfo

from gamut.asking.as_shown import beyond_bounds, picture_as_shown
from gamut.asking.material import as_written, enclosed, named_in
from gamut.asking.outcomes import FAILED, Outcome, reason
from gamut.asking.parts import Created, in_words, unbundled
from gamut.asking.requests import Create, Modality, Paint, Part, Reply, Request, seed_of
from gamut.project.model_kinds import LEAST_SIDE
from gamut.project.plain_text import amount, one_line
from gamut.tables.containers import end_of
from gamut.tables.images import FORMATS, MOST_PADDING, causes, seen_otherwise, size

BEGINNING = 40  # bytes that are quoted of what is no picture


@dataclass(frozen=True)
class Painting:
    """A picture asked for; `convert` returns it as it is kept, or raises ValueError saying why it is not usable.

    One of another size than asked for, with words of its painter, or that everybody sees otherwise than it was made, is
    `ok` with a remark. With a side below LEAST_SIDE it is none.
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
    """Texts and pictures asked for; its value is a `Created` with something of every modality asked for, else it is
    `missing_output` and has what came. `convert` and remarks as in `Painting`.
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


MARK = "gamut: "  # what these comments begin with: files from elsewhere have comments of other kinds
LONGEST = 200  # characters of a remark that are read


def png_comment(remark: str) -> PngInfo | None:
    if not remark:
        return None
    chunks = PngInfo()
    chunks.add_text("comment", MARK + remark)  # by this name Pillow hands it on to a JPEG's comment
    return chunks


def remark_in(picture: bytes) -> str:
    with causes(), Image.open(io.BytesIO(picture), formats=FORMATS) as opened:
        comment = opened.info.get("comment") or ""
    said = comment.decode("utf-8", errors="replace") if isinstance(comment, bytes) else str(comment)
    return one_line(said.removeprefix(MARK), LONGEST) if said.startswith(MARK) else ""


@dataclass(frozen=True)
class Reflecting:
    """A picture asked for, then, in each of `rounds`, a critique of it in words and another picture by that; its value
    is what came last. Of earlier rounds nothing is shown; each request has a seed of its own.

    What fails in any round fails the answer: who kept its earlier picture by saying nothing could choose between the
    two.
    """

    request: Create
    critique: str
    again: str
    rounds: int
    convert: Callable[[bytes], bytes]

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        step = Creating(self.request, self.convert).next(replies[:1])
        for number in range(1, self.rounds + 1):
            if not isinstance(step, Outcome) or step.status != "ok":
                break
            said, made = replies[2 * number - 1 : 2 * number], replies[2 * number : 2 * number + 1]
            before = (*self.request.parts, *shown(step.value))
            step = failed_in(f"the critique of round {number}", self.criticised(before, number).next(said))
            if not isinstance(step, Outcome) or step.status != "ok":
                return replace(step, value=None) if isinstance(step, Outcome) else step
            step = failed_in(f"the picture of round {number}", self.made_again(before, step.value, number).next(made))
        return step

    def criticised(self, before: tuple[Part, ...], number: int) -> Creating:
        parts, seed = (*before, f"{self.critique}\n"), seed_of(f"critique {number}", self.request.seed)
        return Creating(Create(parts, ("text",), 0, 0, seed, self.request.sample), self.convert)

    def made_again(self, before: tuple[Part, ...], said: Created, number: int) -> Creating:
        critique = as_written(enclosed("critique", ["\n".join(said.texts)]), {"picture", *named_in(self.again)})
        parts = (*before, *critique, f"{self.again}\n")
        seed = seed_of(f"picture {number}", self.request.seed)
        return Creating(replace(self.request, parts=parts, seed=seed), self.convert)


def shown(made: Created) -> tuple[Part, ...]:
    """Return the picture that counts of an answer as everybody sees it, in a block that begins on a line of its own."""
    opening, *rest = enclosed("picture", [picture_as_shown(made.pictures[0])])
    return (f"\n{opening}", *rest)


def failed_in(where: str, step: Request | Outcome) -> Request | Outcome:
    if isinstance(step, Outcome) and step.status != "ok":
        return replace(step, reason=f"{where}: {step.reason}")
    return step
