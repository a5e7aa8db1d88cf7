"""Cases drawn by a seed: none twice, fewer are the first of more."""

from __future__ import annotations

import random

import pytest

from gamut.evaluation.construction.drawing import distinct_cases
from gamut.project.errors import UserError


def even(chance: random.Random) -> int | None:
    """One of 0, 2, 4, 6 and 8; odd numbers fail."""
    number = chance.randrange(10)
    return None if number % 2 else number


def test_fewer_are_the_first_of_more_and_another_seed_draws_others() -> None:
    def many(chance: random.Random) -> int:
        return chance.randrange(10**9)

    more = list(distinct_cases("numbers", 1, 50, many, lambda case: case))
    assert list(distinct_cases("numbers", 1, 9, many, lambda case: case)) == more[:9]
    assert not set(more) & set(distinct_cases("numbers", 2, 50, many, lambda case: case))
    assert not set(more) & set(distinct_cases("others", 1, 50, many, lambda case: case))


def test_what_is_the_same_comes_once() -> None:
    """By their last digit two of ten million numbers are the same: there are ten."""
    cases = list(distinct_cases("digits", 1, 10, lambda chance: chance.randrange(10**7), lambda case: case % 10))
    assert len({case % 10 for case in cases}) == 10


def test_more_than_there_are_is_an_error_that_says_so() -> None:
    with pytest.raises(UserError, match="evens: 6 cases are expected, but after 5 the next 2,000 draws found no other"):
        list(distinct_cases("evens", 1, 6, even, lambda case: case))
