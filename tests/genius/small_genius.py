"""A small item of GENIUS in the words that the embedded world understands, with painted pictures."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from gamut.asking.requests import Picture
from gamut.evaluation.defining.pictures import describe_picture
from gamut.project.validation import check_values
from gamut.tables.images import media_type
from stages.genius.shared.benchmark import GENIUS, Genius, Params
from stages.genius.shared.items import GeniusItem
from tests import fakes
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
    both = [{"hint": THINGS, "reference": "cats"}, {"hint": LIGHT, "reference": "birds"}]
    values = {
        "id": "7",
        "task": "symbolic_constraint",
        "context": "What is in <image:cats> and <image:birds> goes together.",
        "prompt": "Bring them together.",
        "rule_hint": RULE,
        "consistency_hints": both[:hints],
        "images": [describe_picture(data, name, "input") for name, data in GIVEN.items()],
    }
    return GeniusItem.model_validate(values | changed)


def pictures_given() -> dict[str, Picture]:
    return {name: shown(data) for name, data in GIVEN.items()}


def shown(data: bytes) -> Picture:
    return Picture(data, media_type(data))


RECORD, SETTING = GENIUS, "interleaved"
VALUES = {
    "edition": "v1",
    "judges": ["world"],
    "repeats": 3,
    "controls_of": [],
    "settings": [SETTING],
    "writers": [],
    "judge": {"max_failures": 0},
    "answer": {"width": 128, "height": 128, "max_failures": 0},
}
PROPOSE = {
    "editions": ["v1"],
    "pool": "stages/genius/construction/pools/scenes.yaml",
    "cases": 1,
    "similarity": 0.8,
    "author": "world",
    "pictures": "datasets/genius/pictures",
    "width": 128,
    "height": 128,
    "max_failures": 0,
}
BLOCK = Genius.model_validate(VALUES | {"contestants": []})


def params_of() -> Params:
    return check_values(Params, fakes.values(genius=VALUES, contestants=fakes.two_contestants()), Path("params.yaml"))
