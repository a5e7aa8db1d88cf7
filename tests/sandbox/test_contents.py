"""What is truly in pictures that the world makes as a contestant, held against them and what is seen in them."""

from __future__ import annotations

from collections import Counter

import pytest

from stages.asking.models import sandbox
from stages.asking.requests import Paint
from stages.sandbox.detector import detect

SIDE = 256
LABELS = ("duck", "cat", "red cat")


def request(prompt: str, seed: int = 0) -> Paint:
    return Paint(prompt, SIDE, SIDE, seed)


@pytest.mark.parametrize("seed", range(3))
def test_it_is_the_very_picture_and_what_is_seen_in_it(seed: int) -> None:
    """Numbers and places are wrong in every second picture; whoever looks finds just what is told."""
    faults = {"wrong_count": 0.5, "swapped_relation": 0.5, "wrong_reasoning": 0.5}
    asked = request("three ducks to the left of a red cat", seed)
    picture, things, lettering = sandbox.contents(asked, faults, LABELS)
    assert picture == sandbox.answer(asked, faults, "creator").content and not lettering
    seen = detect(picture, LABELS)
    assert Counter(one[0] for one in things) == Counter(one.label for one in seen)
    for name in LABELS:
        middles = (sorted((b[0] + b[2]) / 2 for label, _, b in some if label == name) for some in (things, seen))
        assert [*next(middles)] == pytest.approx([*next(middles)], abs=0.05 * SIDE)


def test_a_wrong_number_is_there_and_the_right_one_is_not() -> None:
    _, things, _ = sandbox.contents(request("three ducks"), {"wrong_count": 1}, LABELS)
    assert {label for label, _, _ in things} == {"duck"} and len(things) != 3


def test_what_is_turned_round_is_where_it_is_painted() -> None:
    left = {
        rate: {
            label: box[0]
            for label, _, box in sandbox.contents(request("a duck to the left of a cat"), faults, LABELS)[1]
        }
        for rate, faults in ((0, {}), (1, {"swapped_relation": 1.0}))
    }
    assert left[0]["duck"] < left[0]["cat"] and left[1]["cat"] < left[1]["duck"]


def test_letters_are_those_that_are_painted() -> None:
    sign = request('A sign that says "OPEN".')
    assert sandbox.contents(sign, {}, ())[2] == "OPEN"
    assert sandbox.contents(sign, {"misspelt_lettering": 1.0}, ())[2] != "OPEN"


def test_the_truth_is_of_the_wrong_solution_that_is_painted() -> None:
    riddle = (
        "Work out how many ducks there are, and draw exactly that many of each. Taken together, the ducks number 3."
    )
    numbers = {len(sandbox.contents(request(riddle, n), {"wrong_reasoning": 0.5}, LABELS)[1]) for n in range(5)}
    assert 3 in numbers and len(numbers) > 1


def test_what_cannot_be_painted_has_no_contents() -> None:
    with pytest.raises(ValueError, match="cannot read"):
        sandbox.contents(request("qwertz"), {}, LABELS)
