from __future__ import annotations

import random
import shutil
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.project.errors import UserError
from gamut.world.vocabulary import COUNTS, KINDS
from stages.gir.construction import draw_quantity as facts
from stages.gir.construction.draw_quantity import (
    LARGEST_ANSWER,
    Equation,
    Quantity,
    have_one_solution,
    quantities,
    read_pools,
    sameness,
    solutions,
)
from stages.gir.construction.words import POOLS, Amount, in_words, read_things

GENERAL, WORLD = read_pools(POOLS), read_pools(POOLS / "world")


def tried(equations: tuple[Equation, ...], unknowns: int, largest: int) -> set[tuple[int, ...]]:
    grids = np.indices([largest + 1] * unknowns).reshape(unknowns, -1)
    fitting = np.all([np.array(weights) @ grids == total for weights, total in equations], axis=0)
    return {tuple(column) for column in grids[:, fitting].T.tolist()}


weights = st.integers(-4, 8)


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 3).flatmap(lambda n: st.lists(st.tuples(*[weights] * n, st.integers(-5, 40)), min_size=1)))
def test_the_search_finds_what_trying_all_numbers_finds(rows: list[tuple[int, ...]]) -> None:
    equations, unknowns = tuple(Equation(row[:-1], row[-1]) for row in rows), len(rows[0]) - 1
    found = list(solutions(equations, unknowns, 12))
    assert len(found) == len(set(found)) and set(found) == tried(equations, unknowns, 12)
    assert have_one_solution(equations, unknowns, 12) == (len(found) == 1)


def test_four_animals_with_ten_legs_are_three_ducks_and_a_dog() -> None:
    # 2 ducks + 4 dogs = 10 legs, ducks + dogs = 4: 2 * 3 + 4 * 1 = 10
    assert list(solutions([Equation((2, 4), 10), Equation((1, 1), 4)], 2, LARGEST_ANSWER)) == [(3, 1)]
    # legs alone leave (1, 2), (3, 1), (5, 0)
    assert list(solutions([Equation((2, 4), 10)], 2, LARGEST_ANSWER)) == [(1, 2), (3, 1), (5, 0)]


@pytest.mark.parametrize("pools", [GENERAL, WORLD], ids=["general", "world"])
def test_every_case_has_the_one_answer_that_trying_finds(pools: object) -> None:
    cases = list(quantities(3, 60, pools))
    for case in cases:
        # of three things, the numbers to 40: ten times those that are drawn; trying all takes too long for a test
        largest = LARGEST_ANSWER if len(case.objects) < 3 else 40
        assert tried(case.equations, len(case.objects), largest) == {case.number}
        for n in range(len(case.equations)):
            assert not have_one_solution(
                case.equations[:n] + case.equations[n + 1 :], len(case.objects), LARGEST_ANSWER
            )
        assert any(case.number) and max(case.number) <= pools.counted.most
    assert any(0 in case.number for case in cases)
    assert {len(case.objects) for case in cases} == set(range(1, pools.counted.most_things + 1))


def test_no_case_twice_and_the_same_seed_the_same_cases() -> None:
    cases = list(quantities(1, 100, GENERAL))
    assert len({sameness(case) for case in cases}) == len({case.prompt for case in cases}) == 100
    assert list(quantities(1, 100, GENERAL)) == cases and list(quantities(1, 20, GENERAL)) == cases[:20]
    assert next(quantities(2, 1, GENERAL)) != cases[0]


def test_the_same_things_and_equations_in_another_order_are_the_same_case() -> None:
    one = Quantity("", ("cat", "duck"), (1, 2), (Equation((4, 2), 8), Equation((1, 1), 3)))
    other = Quantity("", ("duck", "cat"), (2, 1), (Equation((1, 1), 3), Equation((2, 4), 8)))
    assert sameness(one) == sameness(other) != sameness(one._replace(objects=("dog", "duck")))


def test_facts_say_what_is_so() -> None:
    """Every fact about three cats, no bird and six ducks holds, and its slots name its numbers."""
    counts = {"cat": 3, "bird": 0, "duck": 6}
    parts = {"legs": facts.Part(name="legs", of={"cat": 4, "bird": 2, "duck": 2, "ant": 6, "owl": 2})}
    chance = random.Random(0)
    by_kind = {make.__name__: make(counts, parts, chance) for make in facts.FACTS}
    for found in by_kind.values():
        for fact in found:
            assert sum(weight * counts[thing] for thing, weight in fact.weights.items()) == fact.total
    assert by_kind["part_facts"][0].slots["total"] == 24  # 3 * 4 + 0 * 2 + 6 * 2
    assert by_kind["total_facts"][0].slots["total"] == 9
    assert [(f.slots["a"], f.slots["b"], f.slots["times"]) for f in by_kind["multiple_facts"]] == [("duck", "cat", 2)]
    assert {(f.slots["a"], f.slots["b"]): f.slots["total"] for f in by_kind["difference_facts"]} == {
        ("cat", "bird"): 3,
        ("duck", "cat"): 3,
        ("duck", "bird"): 6,
    }
    assert by_kind["equality_facts"] == [] and {f.slots["a"] for f in by_kind["share_facts"]} == {"cat", "duck"}
    for fact in by_kind["remainder_facts"]:
        assert fact.slots["amount"].number - fact.slots["total"] == counts[fact.slots["a"]]
    for fact in by_kind["equal_parts_facts"]:
        legs = {"ant": 6, "owl": 2}
        assert sum(other.number * legs[other.thing] for other in fact.slots["others"]) == fact.total == 12


def test_every_sort_of_fact_comes_up() -> None:
    """By the words that no other sentence has."""
    prompts = " ".join(case.prompt for case in quantities(3, 300, GENERAL))
    marks = (
        "Counted together",
        "number ",
        "outnumber",
        "as many",
        "times the number",
        "shares",
        "gone",
        "taken together",
    )
    assert [mark for mark in marks if mark not in prompts] == []
    assert "{" not in prompts


def test_amounts_in_words() -> None:
    things = read_things(POOLS)
    assert in_words(Amount(1, "mouse"), things) == "one mouse"
    assert in_words([Amount(3, "mouse"), Amount(13, "cat")], things) == "three mice and 13 cats"
    assert in_words(["cat", "dog", "mouse"], things) == "cats, dogs and mice"


def test_the_pools_of_the_world_are_its_vocabulary() -> None:
    world = {name: (thing.plural, thing.group) for name, thing in read_things(POOLS / "world").items()}
    assert world == {kind.name: (kind.plural, kind.group) for kind in KINDS.values()}
    assert WORLD.counted.most == max(COUNTS) and WORLD.counted.most_things == 2


def test_a_part_of_what_is_no_thing_is_an_error(tmp_path: Path) -> None:
    for name in ("things.yaml", "quantity.yaml"):
        shutil.copy(POOLS / name, tmp_path)
    path = tmp_path / "quantity.yaml"
    path.write_text(path.read_text().replace("unicycle: 1", "monocycle: 1"))
    with pytest.raises(UserError, match=r"parts\.wheels: monocycle: missing in"):
        read_pools(tmp_path)
