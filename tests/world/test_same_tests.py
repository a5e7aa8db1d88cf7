"""The world as a judge of two texts, and what it says in other words."""

from __future__ import annotations

import random

import pytest

from gamut.asking.models.world import sandbox
from gamut.world.agreement import differences
from gamut.world.captions import understand
from gamut.world.paraphrasing import WAYS, paraphrases
from gamut.world.scene import random_scene
from gamut.world.writing import write
from tests import embedded_world as world

CARS = "two red cars to the left of a blue house"


@pytest.mark.parametrize(
    ("one", "other", "verdict", "named"),
    [
        (CARS, "Two red automobiles to the left of a blue house.", "Y", ""),
        (CARS, "a blue house to the right of two red cars, at noon", "Y", ""),
        (CARS, "两辆红色的汽车在一座蓝色的房子的左边。", "Y", ""),
        (CARS, "three red cars to the left of a blue house", "N", "things"),
        (CARS, "two cars to the left of a blue house", "N", "things"),
        (CARS, "two red cars to the right of a blue house", "N", ""),
        (CARS, "two red cars and a blue house", "N", "relation"),
        (CARS, 'two red cars to the left of a blue house, with the word "OPEN"', "N", "lettering"),
        (CARS, "two red cars to the left of a blue house, under twin moons", "N", "surreal"),
        ("a red car, at noon", "a red car", "Y", ""),  # how it is drawn matters where both say it
        ("a red car, at noon", "a red car, at night", "N", "light"),
        ("a red car and a blue house", "a blue house and a red car", "Y", ""),  # without a relation there is no order
    ],
)
def test_the_same_test(one: str, other: str, verdict: str, named: str) -> None:
    for fields in ({"test": one, "text": other}, {"test": other, "text": one}):
        said = world.answer("same_test", fields, [])
        assert said["verdict"] == verdict and named in str(said["reason"])


def test_a_judge_who_errs_does_not_misread() -> None:
    from gamut.asking.requests import Reply
    from stages.dataset.same_test import SAME_TEST

    replies = {
        sandbox.answer(SAME_TEST.about({"test": CARS, "text": CARS}, seed=seed).request, {}, "judge", {"slips": 1.0})
        for seed in range(5)
    }
    assert replies == {Reply(b'{"reason":"both tell the same scene","verdict":"Y"}')}


def test_paraphrases_tell_the_same_scene() -> None:
    rng = random.Random(3)
    ways: set[str] = set()
    for _ in range(12):
        text = write(random_scene(rng))
        scene = understand(text)
        assert scene is not None
        for way, said in paraphrases(text, 5):
            other = understand(said)
            assert said != text and other is not None and not differences(scene, other)
            ways.add(way)
    assert ways == WAYS.keys()
    assert list(paraphrases("a corgi in a tuxedo", 5)) == []
