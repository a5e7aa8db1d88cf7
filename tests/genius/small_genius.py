"""A small item of GENIUS in the words that the embedded world understands, with painted pictures."""

from __future__ import annotations

from typing import Any

from stages.asking.requests import Picture
from stages.evaluation.defining.pictures import described
from stages.genius.shared.items import GeniusItem
from stages.tables.images import media_type
from tests.gapeval.small_items import painted

CATS, BIRDS = painted("two red cats, at night", 1), painted("a blue bird, at noon", 1)
GIVEN = {"cats": CATS, "birds": BIRDS}
RULE = "The picture shows two red cats to the left of a blue bird."
THINGS, LIGHT = (
    "The things in this picture stay as they are.",
    "The light and the mood of this picture stay as they are.",
)
MADE = painted("two red cats to the left of a blue bird, at noon", 2)
"""All of the rule, both kinds of things, and the light of one of the two."""


def genius_item(hints: int = 2, **changed: Any) -> GeniusItem:
    """An item with two pictures and as many hints, about one of them each."""
    both = [{"hint": THINGS, "reference": "cats"}, {"hint": LIGHT, "reference": "birds"}]
    values = {
        "id": "7",
        "task": "symbolic_constraint",
        "context": "What is in <image:cats> and <image:birds> goes together.",
        "prompt": "Bring them together.",
        "rule_hint": RULE,
        "consistency_hints": both[:hints],
        "images": [described(data, name, "input") for name, data in GIVEN.items()],
    }
    return GeniusItem.model_validate(values | changed)


def pictures_given() -> dict[str, Picture]:
    """The pictures of that item as a stage has them."""
    return {name: shown(data) for name, data in GIVEN.items()}


def shown(data: bytes) -> Picture:
    """A picture as a stage has it."""
    return Picture(data, media_type(data))
