"""Multiple choice as a picture: what is asked, what is right, and what a file of questions may hold."""

from __future__ import annotations

import io
import random
from collections.abc import Sequence
from datetime import date
from itertools import permutations

import numpy as np
import pytest
from PIL import Image

from stages.gapeval.construction import choices, diagrams, questions
from stages.gapeval.construction.choices import Choice, case_of, page
from tests.gapeval.construction.recomputed import proved


def pixels(picture: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), int)


def test_all_kinds_of_questions_are_worked_out_alike_by_other_code() -> None:
    drawn = list(choices.choices(7, 100))
    assert len({choices.sameness(one) for one in drawn}) == 100
    assert all(len(set(one.options)) == 4 for one in drawn)
    assert all(proved(one, case) for one, case in zip(drawn[:3], map(case_of, drawn[:3]), strict=True))
    assert {place: [one.right for one in drawn].count(place) > 10 for place in range(4)} == dict.fromkeys(
        range(4), True
    )


def size_of(option: str) -> int | None:
    """What an option is sorted by: a number, whatever unit follows, minutes of a clock, days of a date; else None."""
    if ":" in option:
        return 60 * int(option[:2]) + int(option[3:])
    told = option.split(" ")
    if told[1:2] and told[1] in questions.MONTHS:
        return date(int(told[2]), questions.MONTHS.index(told[1]) + 1, int(told[0])).toordinal()
    return int(told[0]) if told[0].isdecimal() else None


SIZED = [
    (sizes, one.right)
    for one in choices.choices(11, 300)
    if len(sizes := [size for option in one.options if (size := size_of(option)) is not None]) == 4
]
"""The sizes of options, and the place of the right one."""


def as_if_by_chance(found: Sequence[bool]) -> bool:
    """Whether one in four of n is right: n / 4 ± 3 sqrt(3n / 16)."""
    return abs(sum(found) - len(found) / 4) < 3 * (3 * len(found) / 16) ** 0.5


def test_nobody_can_tell_the_right_option_by_its_size() -> None:
    assert len(SIZED) > 240 and all(len(set(sizes)) == 4 for sizes, _ in SIZED)
    assert all(as_if_by_chance([sorted(sizes)[k] == sizes[right] for sizes, right in SIZED]) for k in range(4))


@pytest.mark.parametrize("steps", [{1}, {2}, {10}, {1, 2, 10}])
def test_nobody_can_tell_the_right_option_by_the_others_that_lie_around_it(steps: set[int]) -> None:
    """Of 42, 43, 44 and 52 only 42 has the three others 1, 2 and 10 beside it."""
    beside = [[sum(abs(one - other) in steps for other in sizes) for one in sizes] for sizes, _ in SIZED]
    assert as_if_by_chance([of.index(max(of)) == right for of, (_, right) in zip(beside, SIZED, strict=True)])


def test_nobody_can_tell_the_only_order_of_a_graph_by_what_its_options_have_in_common() -> None:
    """Each differs from another one at two places, from a second at two others, and from the third at all four."""
    found = [one for seed in range(30) if (one := diagrams.topological(random.Random(seed)))]
    assert len(found) > 25
    for one in found:
        orders = [option.split(", ") for option in one.choice.options]
        apart = [sorted(sum(map(str.__ne__, of, other)) for other in orders) for of in orders]
        assert apart == [[0, 2, 2, 4]] * 4


def test_wrong_numbers_come_of_two_mistakes_and_both() -> None:
    for seed in range(50):
        steps = sorted(int(one) - 30 for one in questions.near(30, [45, 26, 90, 30], random.Random(seed)))
        assert any(a + b == c for a, b, c in permutations(steps)) and min(steps) >= -30
        assert {abs(step) for step in steps} & {15, 4}  # 90 is too far, 30 no mistake
    assert questions.near(2, [3], random.Random(1)) == []  # 2 - 1 - 2 is below 0


@pytest.mark.parametrize("make", questions.MAKERS, ids=lambda make: make.__name__)
def test_every_kind_makes_questions_with_three_wrong_options(make) -> None:
    made = [found for seed in range(40) if (found := make(random.Random(seed))) and found.wrong]
    assert len(made) > 3
    assert all(len({found.right, *found.wrong}) == 4 for found in made)


@pytest.mark.parametrize(
    ("numbers", "next_ones"),
    [
        ([3, 7, 11, 15], {19}),  # steps of 4
        ([1, 2, 4, 8], {16}),  # 1, 2, 4 are no equal growths; twice the last
        ([1, 2, 4, 7], {11}),  # steps grow by 1
        ([2, 3, 5, 8], {12, 13}),  # steps 1, 2, 3 grow by 1: 12; 5 + 8 = 13
        ([5, 9, 7, 11, 9], {13}),  # 4 up and 2 down in turns
        ([1, 5, 2, 9], set()),
    ],
)
def test_what_may_come_next(numbers: list[int], next_ones: set[int]) -> None:
    assert questions.nexts(numbers) == next_ones


def test_the_reference_is_the_question_with_a_box_around_the_right_option_alone() -> None:
    case = case_of(Choice("What is 2 times 3?", ("5", "6", "7", "8"), 1, "2 * 3 = 6"))
    question, reference = pixels(case.pictures[0]), pixels(case.reference)
    changed = (question != reference).any(2)
    assert (case.reference_text, case.proof) == ("B) 6", "2 * 3 = 6")
    assert (reference[changed] == (214, 40, 40)).all()


def test_a_long_question_is_broken_and_nothing_of_it_is_lost() -> None:
    long = "word " * 60 + "x" * 120
    picture = pixels(page(long, ("yes " * 40, "no")))
    assert picture.shape[0] > 600
    assert (picture[:, :30] == 255).all() and (picture[:, -30:] == 255).all()
