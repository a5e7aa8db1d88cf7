"""What is a copy, and what is none; all of 100 scenes each: bench/gap_copies.py."""

from __future__ import annotations

import io

import pytest
from PIL import Image, ImageDraw

from gamut.asking.requests import Picture
from gamut.evaluation.running.copies import TOLERANCE, known_copy, unlikeness
from gamut.tables.images import Jpeg, as_jpeg, as_png
from tests.gapeval.small_items import painted, pictures_of

SCENES = ("two red cars to the left of a blue house", "three purple birds", "a black cat", "five red apples", "a tree")


def image_of(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data)).convert("RGB")


@pytest.mark.parametrize("number", [0, 3])
def test_what_was_re_encoded_or_rescaled_is_a_copy_and_a_repainting_is_none(number: int) -> None:
    original = painted(SCENES[number], number, 256)
    image = image_of(original)
    copies = {
        "as it is": original,
        "JPEG 60": as_jpeg(image, Jpeg(quality=60)),
        "half": as_png(image.resize((128, 128))),
        "larger": as_jpeg(image.resize((512, 512)), Jpeg(quality=75)),
        "squeezed": as_png(image.resize((160, 256))),
    }
    assert [name for name, data in copies.items() if unlikeness(data, original) > TOLERANCE] == []
    assert unlikeness(painted(SCENES[number], 100 + number, 256), original) > 3 * TOLERANCE


def test_an_edit_of_one_place_is_no_copy() -> None:
    """Most of the picture stays as it was: an option is circled or ticked, one thing is added, erased or recoloured."""
    original = painted(SCENES[0], 0, 256)
    circled, ticked, added, erased, recoloured = edits = [image_of(original) for _ in range(5)]
    ImageDraw.Draw(circled).ellipse((150, 60, 176, 86), outline="red", width=2)
    ImageDraw.Draw(ticked).line((20, 30, 26, 36, 38, 18), fill="black", width=2)
    added.paste(image_of(painted("a yellow star", 1, 256)).crop((100, 100, 150, 150)), (20, 20))
    ImageDraw.Draw(erased).rectangle((10, 190, 70, 245), fill=(60, 60, 60))
    ImageDraw.Draw(recoloured).rectangle((200, 200, 208, 208), fill="green")
    assert min(unlikeness(as_jpeg(one, Jpeg(quality=75)), original) for one in edits) > TOLERANCE


def test_the_arithmetic_of_a_block() -> None:
    """Pictures of 64 x 64: 4 x 4 white pixels of one block become grey 102, .6 darker; of four blocks a quarter each,
    sqrt(.36 / 4) = .3."""
    white = Image.new("RGB", (64, 64), "white")
    whole, in_four = white.copy(), white.copy()
    whole.paste((102, 102, 102), (8, 8, 12, 12))
    in_four.paste((102, 102, 102), (10, 10, 14, 14))
    assert unlikeness(as_png(white), as_png(white)) == 0
    assert unlikeness(as_png(whole), as_png(white)) == pytest.approx(0.6)
    assert unlikeness(as_png(in_four), as_png(white)) == pytest.approx(0.3)


def test_of_which_picture_it_is_a_copy_is_told() -> None:
    shown = {"question_1": painted(), "reference_1": painted(SCENES[2])}
    answer = [Picture(shown["reference_1"])]
    held = known_copy(answer, pictures_of(shown), ("question_1", "reference_1"), TOLERANCE)
    assert held == (0, "a copy of reference_1")
    assert known_copy(answer, pictures_of(shown), ("question_1",), TOLERANCE) is None
    assert known_copy(["words"], pictures_of(shown), (*shown,), TOLERANCE) is None
