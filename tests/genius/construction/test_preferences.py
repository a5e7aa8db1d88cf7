"""What whoever sees half of a context of preferences is left with, counted out."""

from __future__ import annotations

import random
from fractions import Fraction
from math import perm

import pytest

from stages.genius.construction.preferences import RULES
from stages.genius.construction.scenes import RELATIONS, Scene
from tests.genius.construction.solving import pool


def test_chances_by_texts_are_one_of_all_values_that_the_picture_to_be_changed_has_not() -> None:
    lights, moods, colours = (len(names) for names in (pool().lights, pool().moods, pool().colours))
    assert RULES["preferred_style"].by_texts == Fraction(1, len(pool().styles))
    assert RULES["preferred_feature"].by_texts == Fraction(1, (lights - 1) * (moods - 1))
    assert RULES["preferred_relation"].by_texts == Fraction(1, len(RELATIONS) - 1)
    assert RULES["preferred_palette"].by_texts == Fraction(1, perm(colours - 2, 2))


def test_the_most_probable_things_are_two_of_the_smallest_groups_in_either_order_and_colours() -> None:
    """One group and one colour is that of what is replaced: any of them as probably as another."""
    sizes = [len(group) for group in pool().things.values()]
    orders = 2 * Fraction(1, perm(len(sizes) - 1, 2)) * Fraction(1, perm(len(pool().colours) - 1, 2))
    left = (sizes[:replaced] + sizes[replaced + 1 :] for replaced in range(len(sizes)))
    best = sum(Fraction(1, first * second) for first, second, *_ in map(sorted, left)) / len(sizes)
    assert RULES["preferred_entity"].by_texts == orders * best


@pytest.mark.parametrize("sub_task", RULES)
def test_chances_by_pictures_are_one_of_the_readings_of_the_same_pictures(sub_task: str) -> None:
    drawn = (RULES[sub_task].draw(random.Random(f"{sub_task} {number}"), pool()) for number in range(4000))
    wanted: dict[object, int] = {}
    for case in drawn:
        assert case is not None
        reading = tuple(pictures_with(case.wanted, [scene for name, scene in case.pictures if name != "c"]))
        wanted[reading] = wanted.get(reading, 0) + 1
    readings = int(1 / RULES[sub_task].by_pictures)
    assert len(wanted) == readings  # and none of them much more often than others: 5 standard deviations
    assert all(abs(count - 4000 / readings) < 5 * (4000 / readings) ** 0.5 for count in wanted.values())


def pictures_with(wanted: Scene, pictures: list[Scene]) -> list[object]:
    """Return of everything that is wanted in which of the pictures it stands, at which place, or None."""
    things = [
        (number, at)
        for number, scene in enumerate(pictures)
        for at, one in enumerate(scene.groups)
        if one in wanted.groups
    ]
    colours = [one.colour for one in wanted.groups]
    palettes = [number for number, scene in enumerate(pictures) if [one.colour for one in scene.groups] == colours]
    looks = [
        [number for number, scene in enumerate(pictures) if look is not None and scene[field] == look]
        for field, look in enumerate(wanted[1:], start=1)
        if any(scene[field] for scene in pictures)
    ]
    return [str(things), str(palettes), str(looks)]
