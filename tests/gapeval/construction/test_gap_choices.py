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
from stages.gapeval.construction.choices import Choice, choice_case, page
from stages.gapeval.construction.draw_problems import KINDS

CHOICES = KINDS["choice"]


def pixels(picture: bytes) -> np.ndarray:
    return np.asarray(Image.open(io.BytesIO(picture)).convert("RGB"), int)


WORKED_OUT = [
    (questions.total, 0, "60 plus 64 minus 16", "108"),
    (questions.product, 0, "18 times 19", "342"),  # 360 - 18
    (questions.percent, 1, "25 percent of 740", "185"),  # a quarter
    (questions.remainder, 1, "remainder when 341 is divided by 8", "5"),  # 336 = 42 * 8
    (questions.divisor, 9, "greatest common divisor of 99 and 63", "9"),  # 9 * 11 and 9 * 7
    (questions.divisor, 5, "least common multiple of 66 and 77", "462"),  # 6 * 7 * 11
    (questions.prime, 1, "is a prime number", "113"),  # of the others 259 = 7 * 37, 183 = 3 * 61, 391 = 17 * 23
    (questions.unit, 5, "How many hours are 10 days and 12 hours", "252"),
    (questions.weekday, 0, "Today is Sunday. Which day of the week is it in 205 days", "Tuesday"),  # 29 weeks and 2
    (questions.later_date, 1, "117 days after 19 October 1998", "13 February 1999"),  # 12 + 30 + 31 + 31 + 13
    (questions.arrival, 1, "leaves at 07:50 and travels for 2 hours and 25 minutes", "10:15"),
    (questions.rectangle, 0, "17 metres long and 16 metres wide. What is its area in square metres", "272"),
    (questions.rectangle, 1, "9 metres long and 5 metres wide. What is its perimeter in metres", "28"),
    (questions.distance, 4, "drives 300 kilometres in 4 hours. How far does it drive in 3 hours", "225 kilometres"),
    (questions.mean, 0, "the mean of 50, 58, 28 and 4", "35"),  # 140 / 4
    (questions.series, 3, "comes next: 8, 27, 56, 95, 144", "203"),  # steps 19, 29, 39, 49
]


@pytest.mark.parametrize(("make", "seed", "asked", "right"), WORKED_OUT)
def test_every_kind_of_question_has_the_answer_that_a_person_works_out(make, seed, asked, right) -> None:
    made = make(random.Random(seed))
    assert asked in made.question and made.right == right


def test_no_two_questions_are_alike_and_the_right_option_may_stand_anywhere() -> None:
    assert {make for make, *_ in WORKED_OUT} == {*questions.EXERCISES}
    drawn = list(CHOICES.draw(7, 100))
    assert len({choices.sameness(one) for one in drawn}) == 100
    assert all(len(set(one.options)) == 4 for one in drawn)
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
    for one in CHOICES.draw(11, 300)
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
    found = [one for seed in range(30) if (one := diagrams.draw_topological_order(random.Random(seed)))]
    assert len(found) > 25
    for one in found:
        orders = [option.split(", ") for option in one.choice.options]
        apart = [sorted(sum(map(str.__ne__, of, other)) for other in orders) for of in orders]
        assert apart == [[0, 2, 2, 4]] * 4


def test_wrong_numbers_come_of_two_mistakes_and_both() -> None:
    for seed in range(50):
        steps = sorted(int(one) - 30 for one in questions.near_misses(30, [45, 26, 90, 30], random.Random(seed)))
        assert any(a + b == c for a, b, c in permutations(steps)) and min(steps) >= -30
        assert {abs(step) for step in steps} & {15, 4}  # 90 is too far, 30 no mistake
    assert questions.near_misses(2, [3], random.Random(1)) == []  # 2 - 1 - 2 is below 0


@pytest.mark.parametrize("make", questions.EXERCISES, ids=lambda make: make.__name__)
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
    assert questions.next_numbers(numbers) == next_ones


def test_the_reference_is_the_question_with_a_box_around_the_right_option_alone() -> None:
    case = choice_case(Choice("What is 2 times 3?", ("5", "6", "7", "8"), 1, "2 * 3 = 6"))
    question, reference = pixels(case.pictures[0]), pixels(case.reference)
    changed = (question != reference).any(2)
    assert (case.reference_text, case.proof) == ("B) 6", "2 * 3 = 6")
    assert (reference[changed] == (214, 40, 40)).all()


def test_a_long_question_is_broken_and_nothing_of_it_is_lost() -> None:
    long = "word " * 60 + "x" * 120
    picture = pixels(page(long, ("yes " * 40, "no")))
    assert picture.shape[0] > 600
    assert (picture[:, :30] == 255).all() and (picture[:, -30:] == 255).all()
