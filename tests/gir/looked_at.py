"""What the observers of the laptop say of an answer: the world detects and embeds, a reader reads."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from gamut.asking.models.world import sandbox
from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Embed, Part, Picture, Read, Reply, Request
from gamut.asking.seeing import LINES, Line
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.editions import EditionPicture
from gamut.evaluation.defining.questions import Pictures
from gamut.evaluation.running.judging import observe_answer
from gamut.tables.columns import Row
from gamut.tables.images import media_type, picture_size
from stages.gir.shared.checks import MEASURES, checks
from stages.gir.shared.items import GirItem


def seen(request: Request, read: Callable[[Read], Reply]) -> Reply:
    if isinstance(request, Read):
        return read(request)
    return sandbox.answer(request, {}, "image_embedder" if isinstance(request, Embed) else "detector")


def rows_of(
    item: GirItem, setting: str, answer: Sequence[Part], pictures: Pictures, read: Callable[[Read], Reply]
) -> list[Row]:
    record = {"id": "t2i-0-00000000", "item": item.id, "setting": setting, "sample": 0, "answer": answer}
    visit = observe_answer(record, checks(item, setting), pictures, MEASURES)
    answers = []
    for conversation in next(visit):
        replies: list[Reply] = []
        while not isinstance(step := conversation.next(replies), Outcome):
            replies.append(seen(step, read))
        answers.append(Answer(step, "laptop", ()))
    try:
        visit.send(answers)
    except StopIteration as end:
        rows: list[Row] = end.value
        return rows
    raise AssertionError("one round is enough")


def values(
    item: GirItem, setting: str, answer: bytes | str, pictures: Pictures | None = None, lines: Sequence[Line] = ()
) -> dict[str, float | None]:
    """By measure; `lines`: what is read in the answer."""
    part = answer if isinstance(answer, str) else Picture(answer, media_type(answer))
    rows = rows_of(item, setting, [part], pictures or {}, lambda request: Reply(LINES.dump_json([*lines])))
    return {row["question"]: row["value"] for row in rows}


def named(name: str, role: str, data: bytes) -> EditionPicture:
    width, height = picture_size(data)
    fields = {"name": name, "role": role, "media_type": media_type(data), "width": width, "height": height}
    return EditionPicture(**fields, sha256=Picture(data).digest)  # type: ignore[arg-type]
