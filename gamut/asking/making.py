"""Conversations that make something: a picture, or texts and pictures in order, which may be criticised and remade."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from PIL.PngImagePlugin import PngInfo

from gamut.asking.as_shown import bounds_remarks, picture_as_shown
from gamut.asking.material import enclose, restore_material, tag_names
from gamut.asking.outcomes import STATUS_OF_FINISH, Outcome, Status, failure_reason
from gamut.asking.parts import Created, text_of_content, unbundle
from gamut.asking.requests import Create, Modality, Paint, Part, Reply, Request, seed_of
from gamut.project.model_kinds import LEAST_SIDE
from gamut.project.plain_text import amount, shorten_to_line
from gamut.tables.containers import end_of
from gamut.tables.images import MOST_PADDING, causes_in_words, open_carefully, picture_size, visible_differences

QUOTED_BYTES = 40  # bytes that are quoted of what is no picture


@dataclass(frozen=True)
class Painting:
    """A request for a picture. `convert` returns the form that is kept, or raises ValueError when it cannot be used.

    The outcome is `ok` with a remark when the picture has another size, its painter has a remark, or it is shown in
    another form than made.
    """

    request: Paint
    convert: Callable[[bytes], bytes]

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        if not replies:
            return self.request
        reply = replies[-1]
        if reply.finish != "stop":
            return failed_outcome(reply)
        if not reply.content:
            return Outcome("missing_output", reason="the reply has no image")
        try:
            value, width, height = convert_picture(reply.content, self.convert)
        except ValueError as error:
            return Outcome("parse_error", reason=f"the image {error}{text_beginning(reply.content)}")
        return Outcome("ok", value, join_remarks(picture_remarks(reply.content, value, width, height, self.request)))


@dataclass(frozen=True)
class Creating:
    """A request for texts and pictures. The value is a `Created`; it is `missing_output` if a modality is missing."""

    request: Create
    convert: Callable[[bytes], bytes]

    def next(self, replies: Sequence[Reply]) -> Request | Outcome:
        if not replies:
            return self.request
        reply = replies[-1]
        if reply.finish != "stop":
            return failed_outcome(reply)
        remarks: list[str] = []
        parts: list[str | bytes] = []
        try:
            created = unbundle(reply.content)
            remarks += [created.remark] if created.remark else []
            for part in created.parts:
                if isinstance(part, str):
                    parts.append(part)
                    continue
                picture, width, height = convert_picture(part, self.convert)
                parts.append(picture)
                remarks += picture_remarks(part, picture, width, height, self.request)
        except ValueError as error:
            return Outcome("parse_error", reason=f"the answer {error}")
        answer = Created(tuple(parts), created.thinking)
        if missing := [modality for modality in self.request.modalities if not has_modality(answer, modality)]:
            return Outcome("missing_output", answer if parts else None, f"the reply has no {' and no '.join(missing)}")
        remarks += [*bounds_remarks(parts), *unasked_remarks(answer, self.request.modalities)]
        return Outcome("ok", answer, join_remarks(remarks))


def text_beginning(data: bytes) -> str:
    """Quote the start of bytes that should be a picture but are a text; "" if they are no text."""
    start = data[:QUOTED_BYTES]
    is_text = start.isascii() and start.decode("ascii").isprintable()
    return f' ({amount(len(data), "byte")}, at the start "{start.decode("ascii")}")' if is_text else ""


def unasked_remarks(created: Created, modalities: Sequence[Modality]) -> Iterator[str]:
    if "text" not in modalities and has_modality(created, "text"):
        yield "a text that was not asked for"
    if "image" not in modalities and created.pictures:
        yield "a picture that was not asked for"
    if modalities == ("image",) and len(created.pictures) > 1:
        yield f"{len(created.pictures)} pictures, of which the first counts"


def failed_outcome(reply: Reply) -> Outcome:
    in_words = replace(reply, content=text_of_content(reply.content).encode())  # what was cut off may be a bundle
    status: Status = "refused_generation" if reply.finish == "refused" else STATUS_OF_FINISH[reply.finish]
    return Outcome(status, reason=failure_reason(in_words))


def convert_picture(picture: bytes, convert: Callable[[bytes], bytes]) -> tuple[bytes, int, int]:
    converted = convert(picture)
    width, height = picture_size(converted)
    if min(width, height) < LEAST_SIDE:
        raise ValueError(f"has {width}x{height} pixels, too few to be a picture")
    return converted, width, height


def picture_remarks(made: bytes, kept: bytes, width: int, height: int, request: Paint | Create) -> Iterator[str]:
    """Yield remarks about a picture: another size than asked, shown in another form than made, its painter's words."""
    if request.width and (width, height) != (request.width, request.height):
        yield f"{width}x{height} pixels instead of {request.width}x{request.height}"
    yield from visible_differences(kept)
    if (behind := len(made) - end_of(made)) > MOST_PADDING:
        yield f"shown without {behind:,} bytes behind its end"
    if remark := read_remark(made):
        yield remark


def join_remarks(remarks: Iterable[str]) -> str | None:
    return "; ".join(dict.fromkeys(remarks)) or None


def has_modality(created: Created, modality: Modality) -> bool:
    return any(text.strip() for text in created.texts) if modality == "text" else bool(created.pictures)


COMMENT_MARK = "gamut: "  # what these comments begin with: files from elsewhere have comments of other kinds
LONGEST_REMARK = 200  # characters of a remark that are read


def png_comment(remark: str) -> PngInfo | None:
    if not remark:
        return None
    chunks = PngInfo()
    chunks.add_text("comment", COMMENT_MARK + remark)  # by this name Pillow hands it on to a JPEG's comment
    return chunks


def read_remark(picture: bytes) -> str:
    with causes_in_words():
        comment = open_carefully(picture)[0].info.get("comment") or ""
    text = comment.decode("utf-8", errors="replace") if isinstance(comment, bytes) else str(comment)
    return shorten_to_line(text.removeprefix(COMMENT_MARK), LONGEST_REMARK) if text.startswith(COMMENT_MARK) else ""


@dataclass(frozen=True)
class Reflecting:
    """A picture, then `rounds` times a critique in words and a new picture made from it. The value is the last picture.

    A failure in any round fails the answer; otherwise a painter could keep an earlier picture by failing.
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
            said, picture = replies[2 * number - 1 : 2 * number], replies[2 * number : 2 * number + 1]
            before = (*self.request.parts, *picture_block(step.value))
            step = locate_failure(f"the critique of round {number}", self.critique_step(before, number).next(said))
            if not isinstance(step, Outcome) or step.status != "ok":
                return replace(step, value=None) if isinstance(step, Outcome) else step
            repainting = self.next_picture(before, step.value, number)
            step = locate_failure(f"the picture of round {number}", repainting.next(picture))
        return step

    def critique_step(self, before: tuple[Part, ...], number: int) -> Creating:
        parts, seed = (*before, f"{self.critique}\n"), seed_of(f"critique {number}", self.request.seed)
        return Creating(Create(parts, ("text",), 0, 0, seed, self.request.sample), self.convert)

    def next_picture(self, before: tuple[Part, ...], words: Created, number: int) -> Creating:
        critique = restore_material(enclose("critique", ["\n".join(words.texts)]), {"picture", *tag_names(self.again)})
        parts = (*before, *critique, f"{self.again}\n")
        seed = seed_of(f"picture {number}", self.request.seed)
        return Creating(replace(self.request, parts=parts, seed=seed), self.convert)


def picture_block(created: Created) -> tuple[Part, ...]:
    """Return the picture that counts, in the form that is shown, in a block that begins on a new line."""
    opening, *rest = enclose("picture", [picture_as_shown(created.pictures[0])])
    return (f"\n{opening}", *rest)


def locate_failure(where: str, step: Request | Outcome) -> Request | Outcome:
    if isinstance(step, Outcome) and step.status != "ok":
        return replace(step, reason=f"{where}: {step.reason}")
    return step
