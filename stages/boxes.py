"""Boxes that vision models find, in pixels of the picture: read from their replies, whatever coordinates they count in.

Two conventions are in use. `thousandths`: 0..1000 across the picture, each way (InternVL; Qwen3-VL). `pixels`: those of
the picture as the model's processor resized it (Qwen2.5-VL), which is not the size at which it was sent.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from stages.errors import nearest
from stages.questions import unfenced
from stages.words import one_line

Convention = Literal["thousandths", "pixels"]
CONVENTIONS: dict[str, Convention] = {
    "internvl": "thousandths",
    "internvl_chat": "thousandths",
    "qwen2_5_vl": "pixels",
    "qwen3_vl": "thousandths",
    "qwen3_vl_moe": "thousandths",
}
"""By `model_type` of a model's config.json; `internvl_chat` is InternVL in its own repository's layout."""
Size = tuple[int, int]
"""Width and height in pixels."""

GRID = 28
LEAST_PIXELS, MOST_PIXELS = 56 * 56, 16_384 * 28 * 28
"""Qwen2.5-VL resizes to multiples of 28 pixels, width times height within these bounds (its published
preprocessor_config.json)."""
MOST_SLENDER = 200
FARTHEST = 1e9
"""What is farther from the picture, or infinite, is no coordinate."""

COORDINATES = re.compile(r"\[\s*(?:\[[^\[\]<>]*\][\s,]*)+\]")
TAGS = re.compile(r"</?(?:ref|box)>")


class Box(NamedTuple):
    """What was found where, in pixels from the top left corner of the picture as it was given."""

    label: str
    left: float
    top: float
    right: float
    bottom: float


def convention_of(model_type: str) -> Convention:
    """How a model of this type counts; ValueError when that is not known."""
    if model_type not in CONVENTIONS:
        raise ValueError(f"no convention of boxes is known for {model_type!r}{nearest(model_type, CONVENTIONS)}")
    return CONVENTIONS[model_type]


def read_boxes(text: str, convention: Convention, size: Size, sent: Size | None = None) -> list[Box]:
    """Read the boxes of a reply: JSON objects with `bbox_2d` and `label`, or InternVL's `<ref>` and `<box>`.

    `size` is the picture's own, `sent` that at which it was sent, when it was scaled down before. Boxes are clipped at
    the picture's edges. ValueError in words when there are none to read, or one is not four finite numbers, has no
    area, is upside down or lies wholly outside. An empty JSON list is no boxes.
    """
    across, down = (1000, 1000) if convention == "thousandths" else resized(sent or size)
    return [placed(label, corners, size[0] / across, size[1] / down, size) for label, corners in found(text)]


def found(text: str) -> Iterator[tuple[str, Any]]:
    """Labels and coordinates as a reply gives them, the coordinates unchecked; ValueError when it has none."""
    bare = unfenced(text).strip()
    try:
        content = json.loads(bare)
    except (ValueError, RecursionError):
        yield from tagged(bare)
        return
    for item in content if isinstance(content, list) else [content]:
        if not isinstance(item, dict) or "bbox_2d" not in item:
            raise ValueError(f"a box is a JSON object with `bbox_2d` and `label`, not {shortened(item)}")
        yield str(item.get("label", "")), item["bbox_2d"]


def tagged(text: str) -> Iterator[tuple[str, Any]]:
    """The boxes of InternVL's own form, a label and then all its boxes.

    Served with special tokens left out, its tags are missing and the label stands bare before `[[`.
    """
    matches = list(COORDINATES.finditer(text))
    if not matches:
        raise ValueError(f"there are no boxes in {shortened(text)}")
    end = 0
    for match in matches:
        label = TAGS.sub("", text[end : match.start()].rpartition("<ref>")[2]).strip()
        end = match.end()
        try:
            several = json.loads(match[0])
        except ValueError:
            raise ValueError(f"these are not coordinates: {shortened(match[0])}") from None
        for corners in several:
            yield label, corners


def placed(label: str, corners: Any, wide: float, high: float, size: Size) -> Box:
    """A checked box in the picture's pixels; `wide` and `high` are pixels for each unit of its coordinates."""
    numbers = isinstance(corners, list) and all(type(x) in (int, float) and abs(x) < FARTHEST for x in corners)
    if not numbers or len(corners) != 4:
        raise ValueError(f"the box of {shortened(repr(label))} is not four finite numbers: {shortened(corners)}")
    left, top, right, bottom = (x * by for x, by in zip(corners, (wide, high, wide, high), strict=True))
    if left >= right or top >= bottom:
        raise ValueError(f"the box of {shortened(repr(label))} is upside down or has no area: {corners}")
    if right <= 0 or bottom <= 0 or left >= size[0] or top >= size[1]:
        raise ValueError(f"the box of {shortened(repr(label))} lies outside the picture: {corners}")
    return Box(label, max(left, 0), max(top, 0), min(right, size[0]), min(bottom, size[1]))


def resized(size: Size) -> Size:
    """The size at which Qwen2.5-VL sees a picture: multiples of 28, about the same shape, pixels within its bounds.

    ValueError for a picture more than 200 times as long as wide, which its processor refuses.
    """
    if max(size) > MOST_SLENDER * min(size):
        raise ValueError(f"{size[0]}x{size[1]} pixels are more than {MOST_SLENDER} times as long as wide")
    width, height = (round(side / GRID) * GRID for side in size)
    if width * height > MOST_PIXELS:
        shrink = math.sqrt(size[0] * size[1] / MOST_PIXELS)
        width, height = (max(GRID, math.floor(side / shrink / GRID) * GRID) for side in size)
    elif width * height < LEAST_PIXELS:
        grow = math.sqrt(LEAST_PIXELS / (size[0] * size[1]))
        width, height = (math.ceil(side * grow / GRID) * GRID for side in size)
    return width, height


def shortened(value: object) -> str:
    """A value in at most 100 characters, on one line."""
    return one_line(str(value), 100)
