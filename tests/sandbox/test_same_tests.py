"""The world as a judge of two texts, and what it says in other words."""

from __future__ import annotations

import random

import pytest

from stages.asking.models import sandbox
from stages.sandbox.answering import Unsupported
from stages.sandbox.captions import understand
from stages.sandbox.paraphrasing import WAYS, paraphrases
from stages.sandbox.same_tests import differences
from stages.sandbox.scene import random_scene
from stages.sandbox.writing import write
from tests import world

CARS = "two red cars to the left of a blue house"


@pytest.mark.parametrize(
    ("text", "verdict", "named"),
    [
        ("Two red automobiles to the left of a blue house.", "Y", ""),
        ("a blue house to the right of two red cars, at noon", "Y", ""),
        ("两辆红色的汽车在一座蓝色的房子的左边。", "Y", ""),
        ("three red cars to the left of a blue house", "N", "things"),
        ("two cars to the left of a blue house", "N", "things"),
        ("two red cars to the right of a blue house", "N", ""),
        ("two red cars and a blue house", "N", "relation"),
        ('two red cars to the left of a blue house, with the word "OPEN"', "N", "lettering"),
        ("two red cars to the left of a blue house, under twin moons", "N", "surreal"),
    ],
)
def test_the_same_test(text: str, verdict: str, named: str) -> None:
    for fields in ({"test": CARS, "text": text}, {"test": text, "text": CARS}):
        said = world.answer("same_test", fields, [])
        assert said["verdict"] == verdict and named in str(said["reason"])


def test_how_it_is_drawn_matters_where_both_say_it() -> None:
    day, night, open_ = ("a red car, at noon", "a red car, at night", "a red car")
    for test, text in ((day, open_), (open_, night)):
        assert world.answer("same_test", {"test": test, "text": text}, [])["verdict"] == "Y"
    assert world.answer("same_test", {"test": day, "text": night}, [])["verdict"] == "N"


def test_two_things_without_a_relation_have_no_order() -> None:
    fields = {"test": "a red car and a blue house", "text": "a blue house and a red car"}
    assert world.answer("same_test", fields, [])["verdict"] == "Y"


def test_what_is_not_understood_is_unsupported() -> None:
    with pytest.raises(Unsupported, match="cannot read the whole of the text 'a corgi in a tuxedo'"):
        world.answer("same_test", {"test": CARS, "text": "a corgi in a tuxedo"}, [])


def test_a_judge_who_errs_does_not_misread() -> None:
    from stages.asking.requests import Reply
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
