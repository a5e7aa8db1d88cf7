"""Phrases of GENIUS: either meaning can be shown and told from the other, as the embedded world does."""

from __future__ import annotations

import random
import re
from collections import Counter

import pytest

from stages.genius.construction.cases import PEOPLE, Case, describe_scene, hints_of
from stages.genius.construction.phrases import RULES, PhrasePictures, read_phrases
from tests.genius.construction.solving import accepts, described, pool, seen

SAYINGS: dict[str, PhrasePictures] = (
    read_phrases().noun_phrase | read_phrases().verb_phrase | read_phrases().adjective_phrase
)


@pytest.mark.parametrize("phrase", SAYINGS)
def test_what_is_there_literally_is_not_there_figuratively(phrase: str) -> None:
    both = (SAYINGS[phrase].literal.scene(pool()), SAYINGS[phrase].figurative.scene(pool()))
    literal, figurative = ({things.kind for things in scene.groups} for scene in both)
    assert literal - figurative
    assert all(accepts(scene, described(seen(describe_scene(scene, pool())))) for scene in both)
    assert all(bool(scene.relation) == (len(scene.groups) == 2) for scene in both)


def test_names_mean_things_of_two_kinds_that_scenes_have() -> None:
    for both in read_phrases().asked.values():
        assert both.literal != both.figurative
        assert {both.literal, both.figurative} <= pool().plurals.keys()


@pytest.mark.parametrize("sort", RULES)
def test_who_is_asked_and_what_is_meant_hang_together_in_no_way(sort: str) -> None:
    """Of speakers and senses each of the four pairs in a quarter of all cases, so that half of it is a guess."""
    drawn = (RULES[sort](random.Random(f"{sort} {number}"), pool()) for number in range(1000))
    pairs = Counter((names_the_first(case), "literally" in case.text_rule) for case in drawn if case is not None)
    share = pairs.total() / 4
    assert len(pairs) == 4 and all(abs(count - share) < 5 * share**0.5 for count in pairs.values())


def names_the_first(case: Case) -> bool:
    return f" {re.findall('|'.join(PEOPLE), case.context)[0]} would " in case.prompt


def test_a_hint_says_what_must_not_be_there() -> None:
    case = next(case for number in range(9) if (case := RULES["verb_phrase"](random.Random(number), pool())))
    (absent,) = case.absent
    told = f"The picture shows {describe_scene(case.right_scene, pool())}."
    assert hints_of(case, pool())["rule_hint"] == f"{told} There is no {absent} in it."
    assert {things.kind for things in case.wrong_scenes[0].groups} == {absent}
