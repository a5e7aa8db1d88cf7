"""Scenes of GENIUS in words and back, and which of them one picture could show."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.genius.construction.scenes import OPPOSITE, RELATIONS, Scene, Things, canonical, compatible, in_words, read
from tests.genius.construction.solving import accepts, pool


def maybe(values: list[str]) -> st.SearchStrategy[str | None]:
    return st.none() | st.sampled_from(values)


THINGS = st.builds(Things, st.sampled_from([*pool().plurals]), maybe(pool().colours), st.integers(1, pool().most))
LOOKS = {
    "style": maybe(pool().styles),
    "light": maybe(pool().lights),
    "mood": maybe(pool().moods),
    "wonder": maybe(pool().wonders),
}
SCENES = st.builds(Scene, st.tuples(THINGS), st.none(), **LOOKS) | st.builds(
    Scene, st.tuples(THINGS, THINGS), maybe([*RELATIONS]), **LOOKS
)
CAT, DOG = Things("cat", "red", 2), Things("horse", None, 1)


@given(SCENES, st.randoms(use_true_random=False))
def test_what_is_said_is_read_in_whatever_order(scene: Scene, chance: random.Random) -> None:
    things, *clauses = in_words(scene, pool()).split(", ")
    chance.shuffle(clauses)
    assert read(", ".join([things, *clauses]), pool()) == scene


@pytest.mark.parametrize(
    "words",
    [
        "", "cats", "a cats", "two cat", "two red cats!", "Two red cats", "a red", "a white cat", "a cat under a horse",
        "a cat, at tea time", "a cat, at night, at noon", "a cat, at night, ", "a cat and a horse and a pig",
        "six cats", "a cat, at night, made as a pop art print, with a hat",
    ],
)  # fmt: skip
def test_other_words_are_not_read(words: str) -> None:
    assert read(words, pool()) is None


@given(SCENES, SCENES)
def test_what_accepts_another_is_compatible_with_it(one: Scene, other: Scene) -> None:
    assert compatible(one, other) == compatible(other, one)
    assert compatible(one, one) and (compatible(one, other) or not accepts(one, other))


@given(SCENES)
def test_a_scene_that_says_less_or_is_turned_around_is_compatible(scene: Scene) -> None:
    bare = Scene(tuple(things._replace(colour=None) for things in scene.groups))
    assert compatible(scene, bare)
    turned = scene._replace(groups=scene.groups[::-1], relation=OPPOSITE.get(scene.relation or ""))
    assert compatible(scene, turned)
    assert scene.relation is None or canonical(scene) == canonical(turned)


@pytest.mark.parametrize(
    ("one", "other", "both"),
    [
        (Scene((CAT,), light="night"), Scene((CAT,), mood="calm"), True),
        (Scene((CAT,), light="night"), Scene((CAT,), light="noon"), False),
        (Scene((CAT,)), Scene((CAT._replace(number=3),)), False),
        (Scene((CAT,)), Scene((CAT._replace(colour="blue"),)), False),
        (Scene((CAT,)), Scene((CAT, DOG)), False),
        (Scene((CAT, DOG), "left"), Scene((DOG, CAT), "right"), True),
        (Scene((CAT, DOG), "left"), Scene((DOG, CAT)), True),
        (Scene((CAT, DOG), "left"), Scene((DOG, CAT), "left"), False),
        (Scene((CAT, DOG), "left"), Scene((CAT, DOG), "above"), False),
        (Scene((CAT._replace(colour=None), DOG)), Scene((CAT, DOG._replace(colour="pink"))), True),
    ],
)
def test_one_picture_could_show_both(one: Scene, other: Scene, both: bool) -> None:
    assert compatible(one, other) == both
