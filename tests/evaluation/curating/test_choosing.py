"""Which attempt is chosen for each slot, and why none."""

from __future__ import annotations

import random

import pytest

from stages.evaluation.curating.choosing import chosen
from stages.evaluation.curating.drawing import distinct
from stages.tables.columns import Row

FOX = "a fox"


def attempts(slot: str, *texts: str | None) -> list[Row]:
    return [
        {
            "id": slot,
            "said": text,
            "status": "parse_error" if text is None else "ok",
            "reason": None if text else "no text",
        }
        for text in texts
    ]


def found(seed: int = 0, **texts: tuple[str | None, ...]) -> dict[str, tuple[str, str | None, str | None]]:
    slots = {slot: attempts(slot, *of) for slot, of in texts.items()}
    return {row["id"]: (row["status"], row["said"], row["reason"]) for row in chosen(slots, "said", 0.9, seed)}


def test_the_first_attempt_that_is_unlike_all_chosen_before() -> None:
    assert found(one=(FOX, "a dog"), two=("a cat", FOX)) == {"one": ("ok", FOX, None), "two": ("ok", "a cat", None)}
    assert found(one=(None, "a dog")) == {"one": ("ok", "a dog", None)}


def test_whose_turn_it_is_is_drawn() -> None:
    outcomes = {found(seed, one=(FOX, "a dog"), two=("A fox!", "a cat"))["one"][1] for seed in range(20)}
    assert outcomes == {FOX, "a dog"}


def test_a_slot_without_a_choice_says_why() -> None:
    assert found(one=(None, None))["one"][::2] == ("parse_error", "attempt 1: no text; attempt 2: no text")
    outcomes = {found(seed, one=(FOX,), two=(None, "A fox."))["two"][::2] for seed in range(20)}
    assert outcomes == {("ok", None), ("near_duplicate", "attempt 1: no text; attempt 2: resembles one")}


def even(chance: random.Random) -> int | None:
    """One of 0, 2, 4, 6 and 8; odd numbers fail."""
    number = chance.randrange(10)
    return None if number % 2 else number


def test_fewer_are_the_first_of_more_and_another_seed_draws_others() -> None:
    def many(chance: random.Random) -> int:
        return chance.randrange(10**9)

    more = list(distinct("numbers", 1, 50, many, lambda case: case))
    assert list(distinct("numbers", 1, 9, many, lambda case: case)) == more[:9]
    assert not set(more) & set(distinct("numbers", 2, 50, many, lambda case: case))
    assert not set(more) & set(distinct("others", 1, 50, many, lambda case: case))


def test_what_is_the_same_comes_once() -> None:
    """By their last digit two of ten million numbers are the same: there are ten."""
    cases = list(distinct("digits", 1, 10, lambda chance: chance.randrange(10**7), lambda case: case % 10))
    assert len({case % 10 for case in cases}) == 10


def test_more_than_there_are_is_an_error_that_says_so() -> None:
    with pytest.raises(ValueError, match="evens: 6 cases are wanted, after 5 of them 2,000 draws brought no other"):
        list(distinct("evens", 1, 6, even, lambda case: case))
