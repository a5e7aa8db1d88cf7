"""From pixels to scores, through the record's own checks and the observers of the laptop: what a fault costs."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from PIL import Image

from gamut.asking.models.world import sandbox
from gamut.asking.requests import Paint, Picture
from stages.gir.construction import draw_sudoku
from stages.gir.shared.items import Frame, GirItem, shortcoming
from stages.gir.shared.measures import similarity, sudoku
from stages.gir.shared.prompts import GREEN
from stages.gir.shared.prompts import paint_region as painted_over
from tests.gir.looked_at import named, values
from tests.gir.measures.observed import line

SETTING = 384


def painted(prompt: str) -> bytes:
    return sandbox.answer(Paint(prompt, SETTING, SETTING, 5), {}, "painter").content


def png(pixels: np.ndarray) -> bytes:
    out = io.BytesIO()
    Image.fromarray(pixels).save(out, "PNG")
    return out.getvalue()


@pytest.mark.parametrize(
    ("prompt", "score"),
    [
        ("three ducks to the left of two cats", 1),
        ("three ducks to the left of a cat", 0),  # one cat too few
    ],
)
def test_one_count_off_costs_all(prompt: str, score: float) -> None:
    item = GirItem(id="1", prompt="?", task="quantity", objects=("duck", "cat"), numbers=(3, 2), absent=("horse",))
    assert values(item, "t2i", painted(prompt)) == {"counts": score}


def test_none_wanted_and_none_there_and_what_nobody_asked_for() -> None:
    none = GirItem(id="1", prompt="?", task="quantity", objects=("duck", "cat"), numbers=(3, 0), absent=("horse",))
    assert values(none, "t2i", painted("three ducks")) == {"counts": 1}
    # a horse beside them is too much
    some = GirItem(id="1", prompt="?", task="quantity", objects=("duck",), numbers=(3,), absent=("horse",))
    assert values(some, "t2i", painted("three ducks above a horse")) == {"counts": 0}


@pytest.mark.parametrize(
    ("prompt", "holds"), [("a red car to the left of a house", 1), ("a house to the left of a red car", 0)]
)
def test_one_pair_swapped(prompt: str, holds: float) -> None:
    relations = [{"subject": ["red car"], "direction": "left", "object": ["house"]}]
    item = GirItem(id="1", prompt="?", task="spatial", objects=("red car", "house"), relations=relations)  # type: ignore[arg-type]
    assert values(item, "t2i", painted(prompt)) == {"places": holds, "relations": holds}


def test_one_word_misspelt() -> None:
    item = GirItem(id="1", prompt="?", task="text", lettering="slow down good morning")
    found = values(item, "t2i", png(whole()), lines=[line("SLOW DOWN"), line("GOOD MORMING")])
    assert found == {"words": 3 / 4, "words_released": 3 / 4}


PUZZLE, SOLVED = "1034341201034320", "1234341221434321"


def test_wrong_digits() -> None:
    """Of four empty cells three are filled in with another digit."""
    empty = [place for place, digit in enumerate(PUZZLE) if digit == "0"]
    wrong = {place: "1234"[int(SOLVED[place]) % 4] for place in empty[:3]}
    digits = "".join(wrong.get(place, digit) for place, digit in enumerate(SOLVED))
    grids = {name: drawn(text) for name, text in (("input", PUZZLE), ("solution", SOLVED))}
    frame = (draw_sudoku.MARGIN, draw_sudoku.MARGIN, 1 - draw_sudoku.MARGIN, 1 - draw_sudoku.MARGIN)
    item = GirItem(
        id="1", prompt="?", task="sudoku", puzzle=PUZZLE, answer=SOLVED, frame=frame,  # type: ignore[arg-type]
        images=tuple(named(name, name, data) for name, data in grids.items()),
    )  # fmt: skip
    pictures = {name: Picture(data, "image/png") for name, data in grids.items()}
    lines = sudoku.lines_as_read([int(digit) for digit in digits], (512, 512), frame)
    assert values(item, "edit", drawn(digits), pictures, lines)["digits"] == 1 / 4


def drawn(digits: str) -> bytes:
    return draw_sudoku.grid_picture([int(digit) for digit in digits], 4, 512)


def whole(setting: int = 240) -> np.ndarray:
    rng = np.random.default_rng(3)
    tiles = np.kron(rng.integers(40, 216, (3, 3, 3)), np.ones((setting // 3, setting // 3, 1)))
    slope = np.linspace(-30, 30, setting)
    return np.asarray(tiles + slope[:, None, None] + slope[None, :, None], np.uint8)


def with_moved(k: int) -> np.ndarray:
    tiles = [tile for row in np.split(whole(), 3) for tile in np.split(row, 3, axis=1)]
    order = [*np.roll(range(k), 1), *range(k, 9)]
    return np.concatenate([np.concatenate([tiles[order[3 * row + n]] for n in range(3)], axis=1) for row in range(3)])


def test_tiles_moved() -> None:
    solution = png(whole())
    pictures = {name: Picture(solution, "image/png") for name in ("input", "solution")}
    item = GirItem(
        id="1", prompt="?", task="jigsaw", rows=3, columns=3, images=tuple(named(n, n, solution) for n in pictures)
    )
    assert values(item, "edit", png(with_moved(3)), pictures)["tiles"] == 6 / 9


def test_a_mask_that_is_grown_by_8_pixels() -> None:
    """The region is 100 by 60 pixels: 6000 / ((100 + 16) (60 + 16))."""
    mask, shown = np.zeros((200, 300, 3), np.uint8), np.full((200, 300, 3), 90, np.uint8)
    mask[70:130, 100:200] = 255
    green = shown.copy()
    green[62:138, 92:208] = (0, 255, 0)
    encoded = {"input": png(shown), "mask": png(mask)}
    item = GirItem(
        id="1", prompt="?", task="perception", images=tuple(named(name, name, data) for name, data in encoded.items())
    )
    pictures = {name: Picture(data, "image/png") for name, data in encoded.items()}
    assert values(item, "edit", png(green), pictures)["region"] == pytest.approx(6000 / (116 * 76))


DEGRADED: dict[str, Callable[[Image.Image], Image.Image]] = {
    "grey": lambda image: image.convert("L"),
    "CMYK": lambda image: image.convert("CMYK"),
    "transparent": lambda image: image.convert("RGBA"),
}


@pytest.mark.parametrize("form", DEGRADED)
def test_other_forms_of_the_same_picture(form: str) -> None:
    """Whoever answers in another mode loses at most the colours: places of things that need none are as they were."""
    out = io.BytesIO()
    DEGRADED[form](Image.open(io.BytesIO(painted("two cats")))).save(out, "TIFF" if form == "CMYK" else "PNG")
    item = GirItem(id="1", prompt="?", task="quantity", objects=("cat",), numbers=(2,))
    found = values(item, "t2i", out.getvalue())
    assert found["counts"] in ((1, None) if form == "grey" else (1,)), "a status, or the same: never another count"


GRID = {"puzzle": "0234341221434321", "answer": "1234341221434321"}
NAMED = {"entity": "lynx", "names": ("lynx",)}


def draft(task: str, **fields: Any) -> GirItem:
    return GirItem.model_construct(task=task, images=(), **fields)  # type: ignore[arg-type]


REFUSED = {
    "a name that every answer would have": (draft("zoology", entity="?!", names=("?!",)), "'\\?!' has no word"),
    "a distractor that every answer would have": (draft("zoology", **NAMED, distractors=("-",)), "'-' has no word"),
    "more options than letters": (draft("zoology", **NAMED, distractors=(*"hijklmno",)), "8 distractors, .* for 7"),
    "lettering that is no word": (draft("text", lettering="!!!"), "lettering has no word"),
    "a grid without width": (draft("sudoku", **GRID, frame=Frame(0.5, 0, 0.5, 1)), "frame 0.5, 0, 0.5, 1 is not in"),
    "a grid beside its picture": (draft("sudoku", **GRID, frame=Frame(0, 0, 1.2, 1)), "is not inside the picture"),
    "a grid that is nowhere": (draft("sudoku", **GRID, frame=Frame(float("nan"), 0, 1, 1)), "is not inside the"),
}


@pytest.mark.parametrize(("item", "why"), REFUSED.values(), ids=REFUSED)
def test_no_items(item: GirItem, why: str) -> None:
    with pytest.raises(ValueError, match=why):
        raise ValueError(shortcoming(item))


def png_of(image: Image.Image) -> Picture:
    out = io.BytesIO()
    image.save(out, "PNG")
    return Picture(out.getvalue(), "image/png_of")


def test_a_line_of_pixels_becomes_no_square_that_fills_the_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(similarity, "LARGEST_SIDE", 100)
    square = Image.open(io.BytesIO(similarity.pad_to_square(png_of(Image.new("RGB", (2_000, 1)))).data))
    assert square.size == (100, 100)
    square = Image.open(io.BytesIO(similarity.pad_to_square(png_of(Image.new("RGB", (90, 30)))).data))
    assert square.size == (90, 90)


def test_a_mask_of_another_size_is_painted_where_it_lies() -> None:
    mask = Image.fromarray(np.uint8([[0, 255], [0, 0]]))
    pixels = np.asarray(Image.open(io.BytesIO(painted_over(png_of(Image.new("RGB", (8, 4))), png_of(mask)).data)))
    green = (pixels == GREEN).all(axis=2)
    assert green[:2, 4:].all()
    assert green.sum() == 8
