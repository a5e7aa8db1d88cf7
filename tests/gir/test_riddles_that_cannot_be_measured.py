"""What no observer could ever measure is no item, and pictures of extreme forms cost no more than others."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from PIL import Image

from stages.asking.requests import Picture
from stages.gir.shared import looking
from stages.gir.shared.items import Frame, GirItem, lacks
from stages.gir.shared.putting import GREEN, painted

GRID = {"puzzle": "0234341221434321", "answer": "1234341221434321"}
NAMED = {"entity": "lynx", "names": ("lynx",)}


def draft(task: str, **fields: Any) -> GirItem:
    """An item of which nothing was checked."""
    return GirItem.model_construct(task=task, images=(), **fields)  # type: ignore[arg-type]


REFUSED = {
    "a name that every answer would have": (draft("zoology", entity="?!", names=("?!",)), "'\\?!' has no word"),
    "a distractor that every answer would have": (draft("zoology", **NAMED, distractors=("-",)), "'-' has no word"),
    "more options than letters": (draft("zoology", **NAMED, distractors=(*"hijklmno",)), "8 distractors, .* for 7"),
    "lettering that is no word": (draft("text", lettering="!!!"), "lettering has no word"),
    "a grid without width": (draft("sudoku", **GRID, frame=Frame(0.5, 0, 0.5, 1)), "frame 0.5, 0, 0.5, 1 is no part"),
    "a grid beside its picture": (draft("sudoku", **GRID, frame=Frame(0, 0, 1.2, 1)), "is no part of a picture"),
    "a grid that is nowhere": (draft("sudoku", **GRID, frame=Frame(float("nan"), 0, 1, 1)), "is no part of a picture"),
}


@pytest.mark.parametrize(("item", "why"), REFUSED.values(), ids=REFUSED)
def test_no_items(item: GirItem, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        raise ValueError(lacks(item))


def png(image: Image.Image) -> Picture:
    out = io.BytesIO()
    image.save(out, "PNG")
    return Picture(out.getvalue(), "image/png")


def test_a_line_of_pixels_becomes_no_square_that_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(looking, "LARGEST", 100)
    square = Image.open(io.BytesIO(looking.squared(png(Image.new("RGB", (2_000, 1)))).data))
    assert square.size == (100, 100)
    square = Image.open(io.BytesIO(looking.squared(png(Image.new("RGB", (90, 30)))).data))
    assert square.size == (90, 90)


def test_a_mask_of_another_size_is_painted_where_it_lies() -> None:
    mask = Image.fromarray(np.uint8([[0, 255], [0, 0]]))
    pixels = np.asarray(Image.open(io.BytesIO(painted(png(Image.new("RGB", (8, 4))), png(mask)).data)))
    green = (pixels == GREEN).all(axis=2)
    assert green[:2, 4:].all()
    assert green.sum() == 8
