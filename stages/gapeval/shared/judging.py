"""How answers are judged: right or not, by one question of the item's category and the side (section 2.3).

A picture that is nearly a copy of the reference, or of a picture that was given, is worth nothing, and nobody is asked.
Of an item whose reference was drawn from the question's picture the reference is what a right answer looks like.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from stages.asking.material import enclosed
from stages.asking.requests import Part
from stages.evaluation.defining.inquiries import Inquiry, Judged, Pictures
from stages.evaluation.defining.pictures import of_role
from stages.evaluation.running.copies import TOLERANCE, known_copy
from stages.gapeval.shared.instructions import AGAIN, QUESTIONS, Verdict
from stages.gapeval.shared.items import GapItem
from stages.gapeval.shared.parameters import GapEval
from stages.gapeval.shared.putting import asked_on

MEASURE = "right"


def inquiries(item: GapItem, side: str) -> Sequence[Inquiry]:
    """Return what people are asked, too: without a second look, and whether or not the answer is a copy."""
    question = QUESTIONS[item.category, side]
    return [Inquiry(question, {}, (MEASURE,), read, shown(item, side))]


def posed(block: GapEval, item: GapItem, side: str) -> Sequence[Inquiry]:
    """Return what a judge is asked; of a second look only what it says then counts."""
    key = item.category, side
    known = partial(known_copy, names=held_against(item), tolerance=TOLERANCE) if side == "gen" else None
    if block.second_look == "both" or (block.second_look == "released" and side == "und"):
        first = Inquiry(QUESTIONS[key], {}, (), lambda reply: [], shown(item, side), known=known)
        return [first, Inquiry(AGAIN[key], {}, (MEASURE,), read, follows=QUESTIONS[key])]
    return [Inquiry(QUESTIONS[key], {}, (MEASURE,), read, shown(item, side), known=known)]


def held_against(item: GapItem) -> tuple[str, ...]:
    """Return the names of an item's pictures that an answer may not be a copy of."""
    return tuple(picture.name for picture in item.images if picture.role == "question" or not item.drawn)


def read(reply: Verdict) -> Sequence[Judged]:
    """Return what a reply says."""
    return [Judged(reply.score, reply.reason)]


def shown(item: GapItem, side: str) -> Callable[[Sequence[Part], Pictures], Sequence[Part]]:
    """Return what shows a judge an answer, behind question and reference; blocks of what there is not are left out."""

    def material(answer: Sequence[Part], pictures: Pictures) -> Sequence[Part]:
        blocks: dict[str, list[Part]] = {
            "question": [asked_on(item, side)],
            "question_picture": [*of_role(item, pictures, "question").values()],
            "reference_text": [item.reference_text],
            "reference_picture": [*of_role(item, pictures, "reference").values()],
        }
        before = (part for name, parts in blocks.items() if parts for part in enclosed(name, parts))
        return (*before, *enclosed("answer", answer))

    return material
