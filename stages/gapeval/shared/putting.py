"""How items are put: one question, answered in text on one side and in a picture on the other (section 2.1)."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

from stages.asking.requests import Part
from stages.evaluation.defining.inquiries import Pictures, Put
from stages.evaluation.defining.pictures import of_role
from stages.evaluation.running.placing import placed
from stages.gapeval.shared.items import GapItem

Side = Literal["und", "gen"]
SIDES: tuple[Side, ...] = get_args(Side)
"""`und`: answered in text; `gen`: answered in a picture."""


def asked_on(item: GapItem, side: str) -> str:
    """Return in which words an item asks on a side."""
    return item.question if side == "und" else item.prompt


def put(item: GapItem, side: str, pictures: Pictures) -> Put:
    """Return the question's pictures and words; a picture in return has the size of the first one given."""
    parts = placed(asked_on(item, side), of_role(item, pictures, "question"), "in_place")
    if side == "und":
        return Put(parts, ("text",))
    shown = item.of_role("question")
    return Put(parts, ("image",), (shown[0].width, shown[0].height) if shown else None)


def reference(item: GapItem, side: str, pictures: Pictures) -> Sequence[Part]:
    """Return a right answer: the reference's text or its picture, where there is one."""
    return [item.reference_text] if side == "und" else [*of_role(item, pictures, "reference").values()]
