"""What other readings of a case come to: beside these nothing but the rule tells which option of a probe is right."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Sequence
from math import sqrt

import pytest

from stages.genius.construction.cases import Case
from stages.genius.construction.draw_cases import RULES
from stages.genius.construction.scenes import NUMBERS, Scene
from tests.genius.construction.solving import cases

MANY = 120
PHRASES = ("noun_phrase", "verb_phrase", "adjective_phrase")
"""Of these the instruction itself leaves two, the two things that a name may mean."""


def options_of(case: Case, number: int) -> list[Scene]:
    """Return what is right, and three others of the case."""
    return [case.wanted, *random.Random(f"options {number}").sample(case.others, 3)]


def values(scene: Scene) -> set[str | int | None]:
    return {value for things in scene.groups for value in things}


def alike(one: Scene, other: Scene) -> int:
    """Count what two scenes have in common: values in their places, and kinds, colours and numbers in any."""
    return sum(a == b for a, b in zip(one, other, strict=True)) + len(values(one) & values(other))


def share_of_choice(options: Sequence[Scene], most: bool) -> float:
    """Return how probably the first is chosen by whoever takes what is most, or least, like all others."""
    likeness = [sum(alike(one, other) for other in options) for one in options]
    best = [one for one in likeness if one == (max if most else min)(likeness)]
    return (likeness[0] == best[0]) / len(best)


@pytest.mark.parametrize("most", [True, False])
@pytest.mark.parametrize("sub_task", RULES)
def test_how_options_are_alike_says_nothing_of_which_is_right(sub_task: str, most: bool) -> None:
    """One of four by chance, one of two where the instruction leaves two: four standard errors above that at most."""
    drawn = enumerate(cases(sub_task, 23, MANY))
    share = sum(share_of_choice(options_of(case, number), most) for number, case in drawn) / MANY
    chance = 1 / 2 if sub_task in PHRASES else 1 / 4
    assert share < chance + 4 * sqrt(chance * (1 - chance) / MANY)


@pytest.mark.parametrize("sub_task", ["simple_constraint", "complex_constraint"])
def test_all_numbers_that_a_context_names_are_among_the_options(sub_task: str) -> None:
    for number, case in enumerate(cases(sub_task, 31, 60)):
        named = {worth for worth, word in enumerate(NUMBERS) if f"is worth {word}" in case.context}
        assert named <= {scene.groups[0].number for scene in options_of(case, number)}


def test_what_operations_bring_stands_in_two_options_each() -> None:
    """Were one of them in three, what has it would be right more often than not."""
    for number, case in enumerate(cases("operation", 37, 60)):
        given = values(dict(case.pictures)["e"])
        brought = Counter(value for one in options_of(case, number) for value in values(one) - given)
        assert [*brought.values()] == [2, 2], brought
