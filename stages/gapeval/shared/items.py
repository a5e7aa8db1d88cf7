"""Items of GapEval: one question in two settings, with the right answers in words and as a picture.

"Quantifying the Gap between Understanding and Generation within Unified Multimodal Models", sections 2.1 and 2.2.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal, Self, get_args

from pydantic import Field, model_validator

from gamut.asking.requests import Part
from gamut.evaluation.defining.editions import Item, Text
from gamut.evaluation.defining.pictures import pictures_of_role
from gamut.evaluation.defining.questions import Pictures, Prompt
from gamut.evaluation.running.placing import place_pictures

Setting = Literal["und", "gen"]
SETTINGS: tuple[Setting, ...] = get_args(Setting)
"""`und`: answered in text; `gen`: answered in a picture."""


def question_text(item: GapItem, setting: str) -> str:
    return item.question if setting == "und" else item.prompt


def prompt(item: GapItem, setting: str, pictures: Pictures) -> Prompt:
    """Return the question's pictures and words. A wanted picture has the size of the first given one."""
    parts = place_pictures(question_text(item, setting), pictures_of_role(item, pictures, "question"))
    if setting == "und":
        return Prompt(parts, ("text",))
    shown = item.of_role("question")
    return Prompt(parts, ("image",), (shown[0].width, shown[0].height) if shown else None)


def reference(item: GapItem, setting: str, pictures: Pictures) -> Sequence[Part]:
    """Return a right answer if there is one: the reference's text or its picture."""
    return [item.reference_text] if setting == "und" else [*pictures_of_role(item, pictures, "reference").values()]


Category = Literal["world_knowledge", "numerical", "instruction_following", "reasoning"]
CATEGORIES: tuple[Category, ...] = get_args(Category)


class GapItem(Item):
    """An item. It is asked in words (`question`) and for a picture (`prompt`), both with the pictures of role
    `question`.

    The right answer in words is `reference_text`, and as a picture the one of role `reference`. If `drawn`, a program
    drew the reference from the question's picture, such as a marked choice, so that a right answer is nearly a copy of
    it.
    """

    category: Category
    subcategory: Annotated[str, Field(min_length=1)]
    question: Text
    reference_text: Text
    drawn: bool = False

    @model_validator(mode="after")
    def _has_what_it_needs(self) -> Self:
        if other := {picture.role for picture in self.images} - {"question", "reference"}:
            raise ValueError(f"its pictures cannot have the role {min(other)!r}: use question or reference")
        if len(self.of_role("reference")) > 1:
            raise ValueError("it has more than one reference picture: leave one")
        return self
