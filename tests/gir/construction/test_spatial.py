from __future__ import annotations

import shutil
from itertools import permutations
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from gamut.project.errors import UserError
from gamut.world.vocabulary import COLOURS, RELATIONS
from stages.gir.construction.draw_spatial import (
    GROUP_NOTE,
    KINDS,
    Fact,
    Layout,
    Spatial,
    allowed_arrangements,
    needed_facts,
    read_pools,
    sameness,
    spatials,
    true_facts,
)
from stages.gir.construction.words import POOLS

GENERAL, WORLD = read_pools(POOLS), read_pools(POOLS / "world")
ROW = ((0, 0), (0, 1), (0, 2), (0, 3))
"""Four things side by side."""
SQUARE = ((0, 0), (0, 1), (1, 0), (1, 1))
LAYOUTS = st.sampled_from([Layout(1, 2), Layout(2, 1), Layout(1, 4), Layout(3, 1), Layout(2, 2), Layout(2, 3)])


@pytest.mark.parametrize(
    ("kind", "arrangement", "true"),
    [
        ("left", ROW, {(0, 1), (0, 2), (0, 3), (1, 2), (1, 3), (2, 3)}),
        ("right", ROW, {(1, 0), (2, 0), (3, 0), (2, 1), (3, 1), (3, 2)}),
        ("left", SQUARE, {(0, 1), (0, 3), (2, 1), (2, 3)}),
        ("above", SQUARE, {(0, 2), (0, 3), (1, 2), (1, 3)}),
        ("below", SQUARE, {(2, 0), (2, 1), (3, 0), (3, 1)}),
        ("next_left", SQUARE, {(0, 1), (2, 3)}),
        ("next_above", SQUARE, {(0, 2), (1, 3)}),
        ("not_left", SQUARE, {(0, 2), (1, 0), (1, 2), (1, 3), (2, 0), (3, 0), (3, 1), (3, 2)}),
        ("not_above", SQUARE, {(0, 1), (1, 0), (2, 0), (2, 1), (2, 3), (3, 0), (3, 1), (3, 2)}),
        ("leftmost", SQUARE, {(0,), (2,)}),
        ("topmost", SQUARE, {(0,), (1,)}),
        ("between", ROW, {(1, 0, 2), (1, 0, 3), (1, 2, 0), (1, 3, 0), (2, 0, 3), (2, 1, 3), (2, 3, 0), (2, 3, 1)}),
        ("apart", ROW, {(0, 2), (0, 3), (1, 3), (2, 0), (3, 0), (3, 1)}),
    ],
)
def test_what_facts_mean(kind: str, arrangement: tuple[tuple[int, int], ...], true: set[tuple[int, ...]]) -> None:
    every = permutations(range(4), KINDS[kind].things)
    assert {things for things in every if Fact(kind, things).holds(arrangement)} == true


@settings(max_examples=40, deadline=None)
@given(LAYOUTS, st.randoms(use_true_random=False))
def test_needed_facts_allow_one_arrangement_and_none_can_go(layout: Layout, chance: object) -> None:
    arrangement = tuple(chance.sample(layout.places, len(layout.places)))
    true = true_facts(layout, arrangement)
    facts = needed_facts(layout, chance.sample(true, len(true)))
    assert list(allowed_arrangements(layout, facts)) == [arrangement]
    for n in range(len(facts)):
        assert len(list(allowed_arrangements(layout, facts[:n] + facts[n + 1 :]))) > 1


@pytest.mark.parametrize("pools", [GENERAL, WORLD], ids=["general", "world"])
def test_every_case_has_one_arrangement_which_its_relations_tell(pools: object) -> None:
    for case in spatials(4, 30, pools):
        assert list(allowed_arrangements(case.layout, case.facts)) == [case.arrangement]
        told = {"left": lambda a, b: a[0] == b[0] and a[1] < b[1], "above": lambda a, b: a[1] == b[1] and a[0] < b[0]}
        relations = case.relations()
        # and the other way: the relations alone allow one arrangement too
        fitting = [
            found
            for found in permutations(case.layout.places)
            if all(told[direction](found[a], found[b]) for a, direction, b in relations)
        ]
        assert fitting == [case.arrangement] and len(set(relations)) == len(relations)


def test_no_case_twice_and_the_same_seed_the_same_cases() -> None:
    cases = list(spatials(1, 120, GENERAL))
    assert len({sameness(case) for case in cases}) == len({case.prompt for case in cases}) == 120
    assert list(spatials(1, 120, GENERAL)) == cases and list(spatials(1, 20, GENERAL)) == cases[:20]
    assert next(spatials(2, 1, GENERAL)) != cases[0]
    assert {case.layout for case in cases} == {Layout(*layout) for layout in GENERAL.placed.layouts}
    assert set(KINDS) == {fact.kind for case in cases for fact in case.facts}


def test_groups_are_of_one_kind_that_nothing_else_there_is_of() -> None:
    cases = [case for case in spatials(2, 100, GENERAL) if any(len(things) > 1 for things in case.objects)]
    assert 20 < len(cases) < 80
    for case in cases:
        groups = [{GENERAL.things[thing].group for thing in things} for things in case.objects]
        for things, group in zip(case.objects, groups, strict=True):
            assert len(group) == 1 and (len(things) == 1 or groups.count(group) == 1)
            assert len(things) == 1 or f"({things[0]}" in case.prompt
        assert not case.colours and GROUP_NOTE in case.prompt


def test_a_thing_that_no_fact_names_tells_cases_apart() -> None:
    one = Spatial("", (("cat",), ("car",)), (), Layout(1, 2), ((0, 0), (0, 1)), (Fact("leftmost", (0,)),))
    assert sameness(one) != sameness(one._replace(objects=(("cat",), ("bus",))))


def test_the_world_can_paint_what_its_pools_ask_for() -> None:
    assert set(WORLD.placed.colours) == set(COLOURS)
    cases = list(spatials(1, 50, WORLD))
    assert {len(things) for case in cases for things in case.objects} == {1}
    assert {direction for case in cases for _, direction, _ in case.relations()} <= set(RELATIONS)
    assert {len(case.objects) for case in cases} == {2}


def test_sentences_name_as_many_things_as_their_fact() -> None:
    for kind in KINDS.values():
        assert sum(f"{{{letter}}}" in kind.words for letter in "abc") == kind.things


@pytest.mark.parametrize(
    ("layouts", "why"),
    [("[[1, 1]]", "a layout has 2 to 6 places"), ("[[3, 3]]", "2 to 6 places"), ("[[3]]", r"\[3\]: a layout is")],
)
def test_layouts_that_are_none(tmp_path: Path, layouts: str, why: str) -> None:
    shutil.copy(POOLS / "things.yaml", tmp_path)
    text = (POOLS / "spatial.yaml").read_text()
    line = next(line for line in text.splitlines() if line.startswith("layouts:"))
    (tmp_path / "spatial.yaml").write_text(text.replace(line, f"layouts: {layouts}"))
    with pytest.raises(UserError, match=why):
        read_pools(tmp_path)


def test_a_group_without_a_name_is_an_error(tmp_path: Path) -> None:
    shutil.copy(POOLS / "things.yaml", tmp_path)
    text = (POOLS / "spatial.yaml").read_text()
    (tmp_path / "spatial.yaml").write_text(text.replace("  toy: toys\n", ""))
    with pytest.raises(UserError, match="groups: toy: only"):
        read_pools(tmp_path)
