"""The world as a judge of lettering found in a picture, and of whether a caption agrees with it."""

from __future__ import annotations

import pytest

from gamut.world.agreement import COSTS, alignment, disagreements
from gamut.world.reading import read
from tests import embedded_world as world

PROMPT = (
    'Two red cars to the left of a blue house, in the style of a woodblock print, at sunset, under a giant moon, '
    'with the word "OPEN" on a wooden sign, in a dreamy mood.'
)  # fmt: skip


def painted(fault: str | None = None, prompt: str = PROMPT) -> bytes:
    return world.flawed(prompt, fault)


def aligned(caption: str, fault: str | None = None) -> int:
    reply = world.answer("align", {"caption": caption}, [painted(fault)])
    assert list(reply) == ["reason", "alignment"]
    return reply["alignment"]


def test_clear_lettering_is_found_and_legible() -> None:
    reply = world.answer("find_text", {}, [painted()])
    assert list(reply) == ["reason", "transcription", "legibility"]
    assert reply["transcription"] == "OPEN"
    assert reply["legibility"] >= 7


def test_a_picture_without_a_sign_has_no_legible_text() -> None:
    reply = world.answer("find_text", {}, [painted(prompt="an owl")])
    assert (reply["transcription"], reply["legibility"]) == ("", 0)


@pytest.mark.parametrize(
    ("caption", "score"),
    [
        (PROMPT, 10),
        ("two red cars", 10),
        ("a blue house", 10),
        ("a photo of a house to the right of two cars", 10),
        ('TWO CARS WITH THE WORD "OPEN"', 10),
        ("three red cars", 7),  # 10 - 3, a wrong count
        ("two red cars at night", 7),  # 10 - 3, a wrong light
        ("two blue cars", 6),  # 10 - 4, a wrong colour
        ("two red cars to the right of a blue house", 6),  # 10 - 4, a wrong relation
        ("two red cars above a blue house", 6),
        ("two red cars under an emerald sky", 6),
        ("two red cars, in the style of a watercolour painting", 6),
        ("two red cars and a green castle", 5),  # 10 - 5: there is no castle, whatever its colour
        ('two red cars, with the word "CLOSED"', 5),
        ("three blue cars", 3),  # 10 - 3 - 4
        ("three green cars to the right of a castle, at night", 1),  # 10 - 3 - 4 - 5 - 3 is below 1
        ("two owls", 0),
        ("an owl to the left of a blue house", 0),
        ('the word "CLOSED"', 0),
    ],
)
def test_alignment_counts_what_is_said_and_does_not_hold(caption: str, score: int) -> None:
    assert aligned(caption) == score


def test_one_thing_wrong_never_passes_the_published_threshold() -> None:
    assert all(alignment([name]) <= 7 for name in COSTS)
    assert alignment([]) == 10


def test_alignment_goes_by_what_was_painted_not_by_what_was_asked() -> None:
    assert aligned("two red cars", "wrong_count") == 7
    assert aligned("two red cars to the left of a blue house", "swapped_relation") == 6
    assert aligned("two red cars to the right of a blue house", "swapped_relation") == 10
    assert aligned('two red cars, with the word "OPEN"', "misspelt_lettering") == 5


def test_groups_of_one_kind_are_told_apart_by_their_colours() -> None:
    shown = read("two red cars to the left of a blue car")
    assert shown is not None
    for caption, wrong in (
        ("a blue car to the right of two red cars", []),
        ("a blue car to the left of two red cars", ["relation"]),
        ("a blue car", []),
        ("a red car", ["count"]),
        ("a green car and two red cars", ["colour"]),
    ):
        said = read(caption)
        assert said is not None
        assert disagreements(said, shown, None) == wrong


def test_a_picture_that_cannot_be_compared_gets_no_score() -> None:
    with pytest.raises(world.Unsupported, match="cannot be named"):
        aligned("two red cars", "blur")
    with pytest.raises(world.Unsupported, match="too faint"):
        aligned('two red cars, with the word "OPEN"', "low_contrast")
    assert aligned("two red cars", "low_contrast") == 10  # a caption that says nothing of the sign can be compared
