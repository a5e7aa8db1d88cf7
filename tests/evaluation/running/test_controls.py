"""Controls: each spoils what it says it spoils and nothing else, and the same way each time."""

from __future__ import annotations

import io

import numpy as np
import pytest
from PIL import Image

from stages.asking.requests import Part, Picture
from stages.evaluation.defining.inquiries import Put
from stages.evaluation.running.controls import CONTROLS, DEGRADATIONS, REWORDINGS, applies, degraded, mismatches, twin
from stages.tables.images import as_jpeg


def ramp(width: int = 96, height: int = 64) -> Image.Image:
    """Red grows to the right, green downwards; blue has stripes of 8 pixels."""
    x, y = np.meshgrid(np.linspace(0, 255, width), np.linspace(0, 255, height))
    stripes = 255 * (np.arange(width) // 8 % 2) * np.ones((height, 1))
    return Image.fromarray(np.stack([x, y, stripes], axis=-1).astype(np.uint8))


def png(image: Image.Image) -> bytes:
    out = io.BytesIO()
    image.save(out, "PNG")
    return out.getvalue()


def opened(data: bytes) -> Image.Image:
    return Image.open(io.BytesIO(data))


def pixels(data: bytes) -> np.ndarray:
    return np.asarray(opened(data), np.int16)


def test_every_control_is_made_in_one_way() -> None:
    assert set(CONTROLS) == {*DEGRADATIONS, *REWORDINGS, "mismatched", "input_copied", "reference"}


GIVEN = Picture(png(ramp()), "image/png")
EDIT = Put(("Make it blue: ", GIVEN), ("image",))


def test_twins_of_texts_and_pictures() -> None:
    answer: list[Part] = ["Three cars.", GIVEN]
    [text, picture] = twin("blank", answer, EDIT, [])
    assert text == "" and isinstance(picture, Picture) and (np.abs(pixels(picture.data) - 128) <= 1).all()
    [text, picture] = twin("score_10", answer, EDIT, [])
    assert text == "Three cars.\nscore 10" and isinstance(picture, Picture)
    band = pixels(picture.data)[-12:]  # black letters on a white band, at the foot of 64 pixels
    assert band.max() > 240 and band.min() < 60 and (band > 200).mean() > 0.5
    assert np.abs(pixels(picture.data)[:48] - np.asarray(ramp(), np.int16)[:48]).mean() < 12
    assert twin("jpeg_20", answer, EDIT, [])[0] == "Three cars."
    assert twin("input_copied", answer, EDIT, []) == [GIVEN]
    assert twin("input_copied", ["Three."], Put(("How many?", GIVEN), ("text",)), []) == ["How many?"]
    assert twin("reference", answer, EDIT, ["right"]) == ["right"]


@pytest.mark.parametrize(
    ("control", "pictures", "put", "reference", "there"),
    [
        ("blank", 0, EDIT, [], True),
        ("jpeg_20", 0, EDIT, [], False),
        ("half_size", 1, EDIT, [], True),
        ("score_10", 0, EDIT, [], True),
        ("mismatched", 0, EDIT, [], True),
        ("reference", 1, EDIT, [], False),
        ("reference", 0, EDIT, ["right"], True),
        ("input_copied", 1, EDIT, [], True),
        ("input_copied", 1, Put(("a red car",)), [], False),  # a picture was wanted, and none was given
        ("input_copied", 0, Put(("How many?",), ("text",)), [], True),
    ],
)
def test_a_control_is_of_the_answers_that_it_can_spoil(
    control: str, pictures: int, put: Put, reference: list[Part], there: bool
) -> None:
    assert applies(control, pictures, put, reference) == there


@pytest.mark.parametrize("control", DEGRADATIONS)
def test_a_twin_is_an_rgb_jpeg_and_the_same_each_time(control: str) -> None:
    picture = png(ramp())
    twin = degraded(control, picture)
    assert twin == degraded(control, picture) != picture
    assert (opened(twin).format, opened(twin).mode) == ("JPEG", "RGB")


def test_blank_has_the_size_and_one_colour() -> None:
    twin = pixels(degraded("blank", png(ramp())))
    assert twin.shape == (64, 96, 3) and (np.abs(twin - 128) <= 1).all()


def test_jpeg_20_is_coarser_than_95_and_still_the_same_picture() -> None:
    picture = ramp()
    twin = degraded("jpeg_20", png(picture))
    fine, coarse = (np.abs(pixels(data) - np.asarray(picture, np.int16)).mean() for data in (as_jpeg(picture), twin))
    assert opened(twin).size == (96, 64) and 2 * fine < coarse < 25


def test_half_size_halves_both_sides() -> None:
    assert opened(degraded("half_size", png(ramp(97, 64)))).size == (48, 32)  # 97 // 2 = 48
    assert opened(degraded("half_size", png(ramp(8, 1)))).size == (4, 1)
    # Each pixel of the half is about the mean of its four: the middle of the left half has red near 255 / 4.
    assert abs(int(pixels(degraded("half_size", png(ramp())))[16, 12, 0]) - 64) < 6


def test_a_rotated_picture_is_laid_upright_first() -> None:
    exif = Image.Exif()
    exif[0x0112] = 6  # turned by a quarter
    out = io.BytesIO()
    ramp().save(out, "JPEG", exif=exif)
    assert opened(degraded("blank", out.getvalue())).size == (64, 96)
    assert opened(degraded("half_size", out.getvalue())).size == (32, 48)


def test_what_is_no_picture_is_told() -> None:
    with pytest.raises(ValueError, match="is not a picture in a known format"):
        degraded("jpeg_20", b"no picture")


@pytest.mark.parametrize("count", [2, 3, 7, 10])
def test_every_picture_is_shown_once_and_never_for_its_own_prompt(count: int) -> None:
    ids = [f"i{number}" for number in range(count)]
    shown = mismatches(ids)
    assert list(shown) == ids and sorted(shown.values()) == ids
    assert all(shown[item] != item for item in ids)


def test_the_mismatched_are_turned_by_half() -> None:
    assert mismatches(["a", "b", "c", "d", "e"]) == {"a": "c", "b": "d", "c": "e", "d": "a", "e": "b"}  # by 5 // 2


def test_a_single_picture_has_no_mismatch() -> None:
    assert mismatches(["a"]) == {} == mismatches([])
