"""The world as a contestant at puzzles in pictures: what it answers is held against what is known to be right."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence

import numpy as np
import pytest
from PIL import Image, ImageDraw

from stages.asking.models.sandbox import painted_with_mask
from stages.gir.construction.jigsaw import cut
from stages.gir.construction.sudoku import sudokus
from stages.gir.construction.sudoku_picture import drawn
from stages.gir.shared.measures import overlap
from stages.gir.shared.measures.jigsaw import accuracy
from stages.sandbox import grids, silhouettes, tiling
from stages.sandbox.answering import Unsupported
from stages.sandbox.creator import create
from stages.sandbox.descriptions import describe
from stages.sandbox.sudoku import solution

SUDOKU = "Solve this Sudoku: write the missing digits into the empty cells. Leave the given digits as they are."
JIGSAW = "This picture was cut into {} rows and {} columns of tiles, and the tiles were mixed up. Put every tile back."
GREEN = "Paint exactly that region in pure green (0, 255, 0), and leave everything else as it is."
ON_SNOW = "A sailboat and a volcano."
CARS = "Two red cars to the left of a blue house, at noon."


def pixels(picture: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"))


def answered(prompt: str, picture: bytes, wrong: float = 0.0, seed: int = 0) -> np.ndarray:
    [made] = create([prompt, picture], ("image",), 256, 256, seed, {"wrong_reasoning": wrong})
    assert isinstance(made, bytes)
    return pixels(made)


def search(name: str) -> str:
    description = describe(name)
    return f"Find {description[0].lower()}{description[1:]} {GREEN}"


def digits(picture: np.ndarray) -> Sequence[int]:
    return grids.look(Image.fromarray(picture)).digits


@pytest.mark.parametrize(("size", "side"), [(4, 200), (6, 384), (9, 320)])
def test_a_sudoku_is_filled_in_and_nothing_else_is_touched(size: int, side: int) -> None:
    case = next(sudokus(3, 1, [size]))
    question = drawn(case.puzzle, size, side)
    made = answered(SUDOKU, question)
    assert tuple(digits(made)) == case.solution
    changed = (made != pixels(question)).any(2)
    cells = grids.look(Image.open(io.BytesIO(question))).cells
    for given, (left, top, right, bottom) in zip(case.puzzle, cells, strict=True):
        assert changed[top:bottom, left:right].any() == (given == 0)
        changed[top:bottom, left:right] = False
    assert not changed.any()


def test_a_hasty_sudoku_has_wrong_digits_and_sometimes_another_given() -> None:
    case = next(sudokus(3, 1, [4]))
    question = drawn(case.puzzle, 4, 256)
    read = [digits(answered(SUDOKU, question, 1.0, seed)) for seed in range(12)]
    assert all(tuple(one) != case.solution for one in read)
    altered = [any(given not in (0, one) for given, one in zip(case.puzzle, grid, strict=True)) for grid in read]
    assert 0 < sum(altered) < 12
    assert np.array_equal(answered(SUDOKU, question, 1.0, 3), answered(SUDOKU, question, 1.0, 3))


def test_a_grid_against_the_rules_has_no_solution() -> None:
    assert solution([1, 1, *[0] * 14]) is None
    assert solution([1, 2, 3, 0, 0, 0, 0, 4, *[0] * 8]) is None  # 4 fits nowhere in the first row
    case = next(sudokus(4, 1, [9]))
    assert solution(case.puzzle) == case.solution


def test_jigsaws_are_put_back() -> None:
    chance = random.Random(1)
    rates, hasty = [], []
    for seed in range(4):
        whole, _ = painted_with_mask(CARS, "car", 256, 256, seed)
        case = cut(whole, 3, chance)
        prompt = JIGSAW.format(case.rows, case.columns)
        for wrong, into in ((0.0, rates), (1.0, hasty)):
            made = answered(prompt, case.shuffled, wrong)
            into.append(accuracy(made, pixels(case.solution), case.rows, case.columns))
    assert np.mean(rates) > 0.9
    assert np.mean(hasty) < 0.8


def test_tiles_are_cut_and_joined_alike() -> None:
    picture = np.arange(24 * 16 * 3, dtype=np.float32).reshape(24, 16, 3)
    tiles = tiling.cut(picture, 3, 2)
    assert tiles.shape == (6, 8, 8, 3)
    assert np.array_equal(tiles[1], picture[:8, 8:])
    assert np.array_equal(tiling.joined(tiles, 3, 2), picture)


@pytest.mark.parametrize("kind", ["car", "house"])
def test_things_that_are_described_are_painted_green(kind: str) -> None:
    picture, mask = painted_with_mask(CARS, kind, 320, 320, 5)
    meant = np.asarray(Image.open(io.BytesIO(mask)))
    assert {*np.unique(meant).tolist()} == {0, 255}
    made = answered(search(f"a {kind}"), picture)
    assert overlap.score(made, pixels(picture), meant) > 0.95
    green = (made == (0, 255, 0)).all(2)
    assert np.array_equal(made[~green], pixels(picture)[~green])
    wrong = [answered(search(f"a {kind}"), picture, 1.0, seed) for seed in range(4)]
    assert all(overlap.score(one, pixels(picture), meant) < 0.85 for one in wrong)


def test_masks_are_those_of_the_painter() -> None:
    cars, house = (painted_with_mask(CARS, kind, 320, 320, 5) for kind in ("car", "house"))
    assert cars[0] == house[0]
    first, second = (np.asarray(Image.open(io.BytesIO(mask))) for _, mask in (cars, house))
    assert not np.minimum(first, second).any()
    # two cars left of one house
    assert np.nonzero(first)[1].mean() < np.nonzero(second)[1].min()


def test_what_cannot_be_read_is_refused() -> None:
    picture, _ = painted_with_mask(CARS, "car", 256, 256, 5)
    blank = Image.new("RGB", (256, 256), "white")
    ImageDraw.Draw(blank).line((0, 0, 255, 255), fill="black")
    for prompt, given in (
        (SUDOKU, picture),
        (SUDOKU, silhouettes.png(blank)),
        (SUDOKU, b"no picture"),
        (JIGSAW.format(3, 3), picture),  # 256 is no three tiles
        (JIGSAW.format(1, 1), picture),
        (search("a panda"), picture),
        (search("a car"), silhouettes.png(blank)),
        (f"Find whatever is fine. {GREEN}", picture),
    ):
        with pytest.raises(Unsupported):
            answered(prompt, given)
    with pytest.raises(Unsupported):
        painted_with_mask(CARS, "panda", 256, 256, 5)


@pytest.mark.parametrize(
    ("prompt", "kind", "seed"),
    [("A clock and an apple.", "clock", 10), ("A snail and a toy brick.", "snail", 50), (ON_SNOW, "sailboat", 59)],
)
def test_a_thing_ends_at_its_rim_whatever_is_white_within_it_and_around_it(prompt: str, kind: str, seed: int) -> None:
    picture, mask = painted_with_mask(prompt, kind, 384, 384, seed)
    assert overlap.score(answered(search(f"a {kind}"), picture), pixels(picture), pixels(mask)[..., 0]) > 0.95
