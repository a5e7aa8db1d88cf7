"""Pairs of numbers: drawn without repeats, asked for without being told, exchanged, and rewritten to what is there."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from gamut.project.errors import UserError
from gamut.world.observers import read_noun_phrase
from stages.gapeval.construction.numbers import (
    Amount,
    Countable,
    count_pair,
    draw_pairs,
    exchange_numbers,
    pair_mistake,
    pair_prompts,
    pair_text,
    read_countable,
)
from tests.paths import ROOT

POOLS = ROOT / "stages/gapeval/construction/pools"
OWN, WORLD = read_countable(POOLS), read_countable(POOLS / "world")
DUCKS = Amount("duck", 3), Amount("car", 2)


@pytest.mark.parametrize("pool", [OWN, WORLD])
def test_pairs_of_a_seed_none_twice(pool: Countable) -> None:
    drawn = list(draw_pairs(1, 200, pool))
    assert len({frozenset(pair) for pair in drawn}) == 200
    group = {thing: name for name, things in pool.things.items() for thing in things}
    for one, other in drawn:
        assert one.number != other.number and {one.number, other.number} <= set(range(1, pool.most + 1))
        assert group[one.thing] != group[other.thing]
    assert list(draw_pairs(1, 10, pool)) == drawn[:10] != list(draw_pairs(2, 10, pool))


def test_no_more_are_drawn_than_there_are() -> None:
    pool = Countable(most=2, things={"a": {"cat": "cats"}, "b": {"cup": "cups"}})
    # One or two cats with two cups or one: 2 pairs.
    assert len(list(draw_pairs(1, 2, pool))) == 2
    with pytest.raises(UserError, match="3 cases are expected, but after 2"):
        list(draw_pairs(1, 3, pool))


def test_a_pair_is_asked_for_without_its_numbers() -> None:
    made = pair_prompts(DUCKS, WORLD.plurals)
    assert made.question == (
        "How many ducks and cars are there in an image with as many ducks as this one has cars, "
        "and as many cars as it has ducks?"
    )
    assert made.prompt == "Generate an image with as many ducks as this one has cars, and as many cars as it has ducks."
    assert made.reference_text == "Two ducks and three cars."  # 3 and 2, exchanged
    assert (
        pair_text((Amount("duck", 1), Amount("box", 12)), {"duck": "ducks", "box": "boxes"})
        == "One duck and twelve boxes."
    )


@given(st.sampled_from(list(draw_pairs(5, 50, OWN))))
def test_exchanging_twice_changes_nothing(pair: tuple[Amount, Amount]) -> None:
    assert exchange_numbers(exchange_numbers(pair)) == pair != exchange_numbers(pair)
    assert Counter(amount.number for amount in pair) == Counter(amount.number for amount in exchange_numbers(pair))
    for word in ("one", "two", "three", "four", "five", "six"):
        assert f" {word} " not in pair_prompts(pair, OWN.plurals).question.replace("this one", "")


def test_what_is_there_counts_and_not_what_was_asked_for() -> None:
    found = count_pair(["duck"] * 4 + ["car"] + ["dog"], DUCKS)
    assert found == (Amount("duck", 4), Amount("car", 1))
    assert pair_prompts(found, WORLD.plurals).reference_text == "One duck and four cars."


@pytest.mark.parametrize(
    ("ducks", "cars", "why"),
    [
        (3, 2, None),
        (0, 2, "no duck was found"),
        (2, 0, "no car was found"),
        (2, 2, "as many of 'duck' as of 'car' were found"),
        (6, 2, "6 of 'duck' were found, at most 5 can be asked for"),
    ],
)
def test_what_cannot_be_exchanged_is_no_case(ducks: int, cars: int, why: str | None) -> None:
    assert pair_mistake((Amount("duck", ducks), Amount("car", cars)), 5) == why


def test_the_world_names_all_things_of_its_pool() -> None:
    for one, many in WORLD.plurals.items():
        assert read_noun_phrase(one.lower()) and read_noun_phrase(many.lower()), one


def test_a_thing_of_two_groups_is_refused(tmp_path) -> None:
    (tmp_path / "countable.yaml").write_text("most: 5\nthings:\n  a: {cat: cats}\n  b: {cat: cats}\n")
    with pytest.raises(UserError, match="'cat' occurs 2 times"):
        read_countable(tmp_path)
