"""Small items of GapEval with painted pictures."""

from __future__ import annotations

from functools import cache
from typing import Any

from gamut.asking.models.world import sandbox
from gamut.asking.requests import Paint, Picture
from gamut.evaluation.defining.pictures import describe_picture
from gamut.tables.images import media_type
from stages.gapeval.shared.items import GapItem

SCENE = "two red cars to the left of a blue house"


@cache
def painted(prompt: str = SCENE, seed: int = 0, setting: int = 128) -> bytes:
    reply = sandbox.answer(Paint(prompt, setting, setting, seed), {}, "painter")
    assert reply.finish == "stop", reply.content
    return reply.content


def item_of(category: str = "numerical", pictures: dict[str, bytes] | None = None, **changed: Any) -> GapItem:
    found = {"question_1": painted(), "reference_1": painted("three red cars")} if pictures is None else pictures
    images = [describe_picture(data, name, name.rpartition("_")[0]) for name, data in found.items()]  # type: ignore[arg-type]
    values = {"id": "data_1", "category": category, "subcategory": "objects", "images": images}
    texts = {"prompt": "Swap them.", "question": "How many are there, swapped?", "reference_text": "3 cars & 1 house"}
    return GapItem.model_validate(values | texts | changed)


def pictures_of(data: dict[str, bytes]) -> dict[str, Picture]:
    return {name: Picture(one, media_type(one)) for name, one in data.items()}


POOLS = "stages/gapeval/construction/pools"
DRAFTS = {"world_knowledge": 2, "numerical": 2, "instruction_following": 2, "reasoning": 7}
PROPOSE = {
    "editions": ["v1"],
    "pools": f"{POOLS}/world",
    "drafts": DRAFTS,
    "similarity": 0.845,
    "author": "world",
    "detector": "world",
    "pictures": "datasets/gapeval/pictures",
    "width": 256,
    "height": 256,
    "max_failures": 0,
}
