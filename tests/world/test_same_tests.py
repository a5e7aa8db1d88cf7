"""The world as a judge of two texts, and what it says in other words."""

from __future__ import annotations

import random

import pytest

from gamut.asking.models.world import sandbox
from gamut.world.agreement import differences, same_test
from gamut.world.captions import understand
from gamut.world.paraphrasing import WAYS, paraphrases
from gamut.world.scene import random_scene
from gamut.world.writing import write
from stages.dataset.same_test import SAME_TEST, SameTests

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
    for pair in ((one, other), (other, one)):
        said = same_test(*pair)
        assert said["verdict"] == verdict and named in str(said["reason"])


def test_pairs_are_judged_each_by_itself_wherever_they_stand() -> None:
    pairs = [(CARS, CARS), (CARS, "a red car"), ("a corgi in a tuxedo", CARS)] * 3
    for some in (pairs, pairs[::-1]):
        fields = {
            f"{name}_{n}": text
            for n, pair in enumerate(some, 1)
            for name, text in zip(("test", "text"), pair, strict=True)
        }
        reply = sandbox.answer(SAME_TEST.about(fields).request, {}, "matcher")
        said = SameTests.model_validate_json(reply.content)
        expected = [
            (n, {CARS: "Y", "a red car": "N"}[text] if test == CARS else "?") for n, (test, text) in enumerate(some, 1)
        ]
        assert [(one.pair, one.verdict) for one in said.close] == [one for one in expected if one[1] != "N"]
        assert said.others == [n for n, verdict in expected if verdict == "N"] != []


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
