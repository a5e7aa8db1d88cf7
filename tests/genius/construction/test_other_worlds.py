"""Other worlds: how often whoever lacks a modality is right, counted over all that it might have said or shown."""

from __future__ import annotations

import random
import re
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from itertools import permutations, product

import pytest

from stages.genius.construction.cases import Case
from stages.genius.construction.other_worlds import CAUSES, NAMES, RULES
from stages.genius.construction.rule_book import cases
from stages.genius.construction.scenes import OPPOSITE, Scene, accepts
from stages.sandbox.answering import Unsupported
from stages.sandbox.contexts import wanted_by_rule
from tests.genius.construction.solving import described, parts_of, pool, seen

MANY = 15


def comes_to(case: Case) -> Scene:
    """Return what the world makes of a context read whole."""
    found = wanted_by_rule(parts_of(case, "in_place"), "both", 0, random.Random(0), seen)
    assert found is not None
    return described(found)


def share(case: Case, readings: Iterator[Case]) -> Fraction:
    """Return the share of readings that come to what the case wants."""
    right = [accepts(case.wanted, comes_to(reading)) for reading in readings]
    return Fraction(sum(right), len(right))


def said_otherwise(case: Case) -> Iterator[Case]:
    """Yield a case with all that its context might say of the same pictures."""
    said = next((cause for cause in CAUSES if f"{cause} alone" in case.context), None)
    if said:
        for cause in CAUSES:
            yield case._replace(context=case.context.replace(said, cause))
    else:
        texts = re.split(f"(?<=<image:)[{NAMES}](?=>)", case.context)
        for names in permutations(NAMES):
            pieces = (piece for pair in zip(texts, (*names, ""), strict=True) for piece in pair)
            yield case._replace(context="".join(pieces))


def shown_otherwise(case: Case, values: Callable[[Case], Iterator[Callable[[Scene], Scene]]]) -> Iterator[Case]:
    """Yield a case with all that the picture that counts might show: all three show the same."""
    for change in values(case):
        pictures = ((name, change(scene) if name in NAMES else scene) for name, scene in case.pictures)
        yield case._replace(pictures=tuple(pictures))


def colours(case: Case) -> Iterator[Callable[[Scene], Scene]]:
    for colour in pool().colours:
        yield lambda scene, colour=colour: scene._replace(groups=(scene.groups[0]._replace(colour=colour),))


def ways(case: Case) -> Iterator[Callable[[Scene], Scene]]:
    for way in (*pool().relations, *(OPPOSITE[relation] for relation in pool().relations)):
        yield lambda scene, way=way: scene._replace(relation=way)


def numbers(case: Case) -> Iterator[Callable[[Scene], Scene]]:
    [there] = (scene.groups[0].number for name, scene in case.pictures if name not in NAMES)
    for number in range(1, pool().most + 1):
        if number != there:
            yield lambda scene, number=number: scene._replace(groups=(scene.groups[0]._replace(number=number),))


def skies(case: Case) -> Iterator[Callable[[Scene], Scene]]:
    for light, wonder in product(pool().lights, pool().wonders):
        yield lambda scene, light=light, wonder=wonder: scene._replace(light=light, wonder=wonder)


VALUES: Mapping[str, Callable[[Case], Iterator[Callable[[Scene], Scene]]]] = {
    "biological_growth": colours,
    "gravity": ways,
    "animal_behaviour": ways,
    "time_reversal": numbers,
    "weather": skies,
}


@pytest.mark.parametrize("sub_task", RULES)
def test_chances_are_those_of_all_that_might_be_said_or_shown(sub_task: str) -> None:
    for case in cases(sub_task, 11, MANY, pool()):
        assert share(case, said_otherwise(case)) == RULES[sub_task].by_pictures
        assert share(case, shown_otherwise(case, VALUES[sub_task])) == RULES[sub_task].by_texts


@pytest.mark.parametrize("sub_task", RULES)
def test_what_other_pictures_show_is_another_answer(sub_task: str) -> None:
    """Of the three pictures no two come to the same: one reading in three is right, and the others differ."""
    for case in cases(sub_task, 12, MANY, pool()):
        assert len({comes_to(reading) for reading in said_otherwise(case)}) == 3


@pytest.mark.parametrize("sub_task", RULES)
def test_a_context_that_does_not_say_is_not_understood(sub_task: str) -> None:
    [case] = cases(sub_task, 13, 1, pool())
    with pytest.raises(Unsupported):
        comes_to(case._replace(context="Nobody knows what <image:a>, <image:b> and <image:c> are about."))


def test_a_context_has_two_to_five_sentences_and_an_instruction_one() -> None:
    for sub_task in RULES:
        for case in cases(sub_task, 15, MANY, pool()):
            assert 2 <= len(re.findall(r"\.(?= |$)", case.context)) <= 5
            assert case.prompt.endswith(".") and case.prompt.count(".") == 1


def test_an_edited_picture_is_never_right_as_it_is() -> None:
    for sub_task in RULES:
        for case in cases(sub_task, 14, MANY, pool()):
            assert not any(accepts(case.wanted, scene) for _, scene in case.pictures)
