"""Drawn problems: each is solved once more by other code, none comes twice, and the same seed draws the same bytes."""

from __future__ import annotations

from collections import Counter

import pytest

from stages.gapeval.construction import diagrams, patterns
from stages.gapeval.construction.diagrams import Node, visit_nodes
from stages.gapeval.construction.draw_problems import KINDS, cases_in_turn, row_of
from stages.gapeval.construction.patterns import describe_rows
from stages.gapeval.construction.physics import Lever, Tank
from tests.gapeval.construction.recomputed import proved


@pytest.mark.parametrize("name", KINDS)
def test_every_solution_is_what_other_code_finds(name: str) -> None:
    ones = list(KINDS[name].draw(11, 4))
    cases = [KINDS[name].case_of(one) for one in ones]
    if name != "choice":
        assert all(proved(one, case) for one, case in zip(ones, cases, strict=True))
    assert len({case.pictures for case in cases}) == 4
    assert all(case.subcategory == name and case.reference not in case.pictures and case.proof for case in cases)
    assert all(case.question != case.prompt for case in cases)


@pytest.mark.parametrize("name", KINDS)
def test_the_same_seed_draws_the_same_bytes_and_another_one_others(name: str) -> None:
    kind = KINDS[name]
    first, again, other = ([kind.case_of(one) for one in kind.draw(seed, 1)] for seed in (3, 3, 4))
    assert first == again
    assert not {case.pictures for case in first} & {case.pictures for case in other}
    assert next(kind.draw(3, 1)) == next(kind.draw(3, 2))  # fewer are the first of more


def test_no_two_cases_say_the_same() -> None:
    """All mirrors have the same words: a proposal leaves out what differs in nothing that a case says."""
    cases = [row_of(number, case)["case"] for number, case in enumerate(cases_in_turn(5, 3 * len(KINDS)))]
    assert len(set(cases)) == 3 * len(KINDS)


def test_traversals_of_a_small_tree() -> None:
    """A
    B   C
     D"""
    tree = Node("A", Node("B", None, Node("D", None, None)), Node("C", None, None))
    assert {order: "".join(visit_nodes(tree, order)) for order in diagrams.ORDERS} == {
        "preorder": "ABDC",
        "inorder": "BDAC",
        "postorder": "DBCA",
        "level order": "ABCD",
    }


def test_moments() -> None:
    assert Lever(((-3, 2), (1, 8), (2, 9))).moment == -6 + 8 + 18
    assert Lever(((-2, 3), (3, 2))).outcome == "level"


def test_density_decides() -> None:
    assert Tank(((160, 230), (390, 300), (70, 50))).outcome == "A floats. B sinks. C sinks."


def test_the_outcomes_of_levers_come_about_equally_often() -> None:
    """A share of a third of 300 has a standard error of 2.7 points."""
    counts = Counter(lever.outcome for lever in KINDS["balance"].draw(5, 300))
    assert all(70 <= counts[outcome] <= 130 for outcome in ("left", "right", "level"))


def test_rows_in_words() -> None:
    assert describe_rows([(0, 1, 0, 1), (0, 0, 0, 0)]) == "Row 1: 2, 4. Row 2: none."


def test_no_fourth_state_is_one_that_is_shown() -> None:
    """Not even turned or mirrored: so a copy of a picture that is given is never right."""
    for one in KINDS["sequence"].draw(2, 30):
        assert not any(one.states[3] in patterns.orientations(state) for state in one.states[:3])


def test_game_of_life() -> None:
    rows = ((0, 0, 0, 0), (1, 1, 1, 0), (0, 0, 0, 0), (0, 0, 0, 0))
    assert patterns.step_of_life(rows) == ((0, 1, 0, 0), (0, 1, 0, 0), (0, 1, 0, 0), (0, 0, 0, 0))


def test_rules_that_fit_but_lead_apart_make_no_sequence() -> None:
    """One square in the middle of three, which moved down and then up: as turned by 180 degrees, or mirrored."""
    up, down = ((0, 1, 0), (0, 0, 0), (0, 0, 0)), ((0, 0, 0), (0, 0, 0), (0, 1, 0))
    assert {"turn by 180 degrees, move 0 down, 0 right", "mirror top and bottom, move 0 down, 0 right"} <= set(
        patterns.fitting_rules([up, down, up])
    )
