"""What is a copy, and what is none; of 100 scenes each: docs/measured.md."""

from __future__ import annotations

import io

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image, ImageDraw, ImageEnhance, ImageOps

from stages.asking.requests import Picture
from stages.gapeval.shared.copies import SIDE, as_bright, forms, known_copy, unlikeness, worst_block
from stages.gapeval.shared.parameters import GapEval
from stages.tables.images import as_jpeg, as_png
from tests.gapeval.small_items import painted, pictures_of

TOLERANCE = GapEval.model_fields["copy_tolerance"].default
SCENES = ("two red cars to the left of a blue house", "three purple birds", "a black cat", "five red apples", "a tree")


def image_of(data: bytes) -> Image.Image:
    """A picture's pixels."""
    return Image.open(io.BytesIO(data)).convert("RGB")


@pytest.mark.parametrize("number", range(5))
def test_what_is_to_be_found_is_and_a_repainting_is_not(number: int) -> None:
    original = painted(SCENES[number], number, 256)
    image = image_of(original)
    copies = {
        "as it is": original,
        "JPEG 60": as_jpeg(image, 60),
        "half": as_png(image.resize((128, 128))),
        "brighter": as_png(ImageEnhance.Brightness(image).enhance(1.03)),
    }
    assert [name for name, data in copies.items() if unlikeness(data, original) > TOLERANCE] == []
    assert unlikeness(painted(SCENES[number], 100 + number, 256), original) > 3 * TOLERANCE


def test_what_is_cheap_to_hide_behind_hides_nothing() -> None:
    original = painted(SCENES[0], 0, 256)
    image = image_of(original)
    hidden = {
        "mirrored": as_png(ImageOps.mirror(image)),
        "upside down": as_png(ImageOps.flip(image)),
        "turned": as_png(image.transpose(Image.Transpose.ROTATE_90)),
        "white frame": as_png(ImageOps.expand(image, 12, "white")),
        "squeezed": as_png(image.resize((160, 256))),
        "cropped": as_png(image.crop((5, 2, 254, 251))),
        "all at once": as_jpeg(ImageOps.expand(ImageOps.mirror(image.crop((3, 3, 253, 253))), 9, "black"), 60),
    }
    assert [name for name, data in hidden.items() if unlikeness(data, original) > TOLERANCE] == []


def test_what_differs_in_one_place_is_no_copy() -> None:
    original = painted(SCENES[0], 0, 256)
    circled, added, erased = (image_of(original) for _ in range(3))
    ImageDraw.Draw(circled).ellipse((150, 60, 176, 86), outline="red", width=3)
    added.paste(image_of(painted("a yellow star", 1, 256)).crop((100, 100, 150, 150)), (20, 20))
    ImageDraw.Draw(erased).rectangle((10, 190, 70, 245), fill=(60, 60, 60))
    assert all(unlikeness(as_png(one), original) > TOLERANCE for one in (circled, added, erased))


def test_a_drawing_of_lines_is_told_from_another_one() -> None:
    def diagram(level: int) -> bytes:
        drawing = Image.new("RGB", (512, 384), "white")
        pen = ImageDraw.Draw(drawing)
        pen.rectangle((100, 60, 180, 340), outline="black", width=3)
        pen.line((100, level, 180, level), fill="black", width=3)
        return as_png(drawing)

    assert (
        unlikeness(as_jpeg(image_of(diagram(200)), 60), diagram(200))
        <= TOLERANCE
        < unlikeness(diagram(230), diagram(200))
    )


def test_a_night_may_have_been_asked_for() -> None:
    original = painted(SCENES[1], 3, 256)
    assert unlikeness(as_png(ImageEnhance.Brightness(image_of(original)).enhance(0.5)), original) > TOLERANCE


def test_pictures_of_one_colour() -> None:
    white, black = (as_png(Image.new("RGB", (64, 64), colour)) for colour in ("white", "black"))
    assert unlikeness(white, white) == 0
    assert min(unlikeness(white, black), unlikeness(white, painted()), unlikeness(painted(), white)) > TOLERANCE


def test_what_is_no_picture_is_a_copy_of_nothing() -> None:
    assert unlikeness(b"no picture", painted()) == unlikeness(painted(), b"no picture") == 1


def test_the_arithmetic_of_a_block() -> None:
    """Nine blocks differ by .5 in one of three channels, the one in their middle whole: sqrt(.25 / 3) = .2887."""
    original = np.random.default_rng(0).uniform(0.2, 0.6, (SIDE, SIDE, 3)).astype(np.float32)
    assert worst_block(original * np.float32(1.1) + np.float32(0.05), original) < 1e-3
    altered = original.copy()
    altered[:24, :24, 0] += 0.5
    whole = np.ones((SIDE, SIDE), bool)
    assert worst_block(altered, original) == pytest.approx(0.2887, abs=0.02)
    assert as_bright(original, np.clip(original * 3, 0, 1), whole).max() <= 1.25 * 0.6 + 0.1 + 1e-6


def test_of_which_picture_it_is_a_copy_is_told() -> None:
    shown = {"question_1": painted(), "reference_1": painted(SCENES[2])}
    answer = [Picture(shown["reference_1"])]
    held = known_copy(answer, pictures_of(shown), ("question_1", "reference_1"), TOLERANCE)
    assert held == (0, "a copy of reference_1")
    assert known_copy(answer, pictures_of(shown), ("question_1",), TOLERANCE) is None
    assert known_copy(["words"], pictures_of(shown), (*shown,), TOLERANCE) is None
    assert known_copy([Picture(b"broken")], pictures_of(shown), (*shown,), TOLERANCE) is None


@settings(max_examples=15, deadline=None)
@given(st.integers(1, 90), st.integers(1, 90), st.integers(0, 255), st.booleans())
def test_pictures_of_any_size_are_compared(width: int, height: int, grey: int, noise: bool) -> None:
    pixels = np.full((height, width, 3), grey, np.uint8)
    if noise:
        pixels = np.random.default_rng(grey).integers(0, 256, pixels.shape, dtype=np.uint8)
    data = as_png(Image.fromarray(pixels))
    assert unlikeness(data, data) < 1e-3 and 0 <= unlikeness(data, painted()) <= 1
    assert all(one.shape == (SIDE, SIDE, 3) for one in forms(data))
