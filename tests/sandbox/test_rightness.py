"""The world as a judge of answers on both sides: words are read, pictures looked at."""

from __future__ import annotations

import io
import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st
from PIL import Image

from stages.sandbox.answering import Unsupported
from stages.sandbox.erring import chance, err
from stages.sandbox.judge import answer
from stages.sandbox.material import Parts
from stages.sandbox.mentions import numbers_in, things_in
from tests import world

DUCKS = "Three red ducks to the left of two blue birds, at night, in a calm mood, made as a flat illustration."
GREEN = DUCKS.replace("red", "green")


@cache
def painted(prompt: str, seed: int = 0) -> bytes:
    return world.picture(prompt, seed)


def blank() -> bytes:
    buffer = io.BytesIO()
    Image.new("RGB", (256, 256), "grey").save(buffer, "PNG")
    return buffer.getvalue()


def score(question: str, *given: str | bytes, errors: dict[str, float] | None = None, **blocks: Parts) -> object:
    said = answer(question, {}, [], 0, {**blocks, "answer": list(given)}, errors or {})
    assert set(said) == {"reason", "score"} and str(said["reason"])
    return said["score"]


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("A cat.", 1),
        ("It's the kitty, of course: cats purr.", 1),
        ("A dog.", 0),
        ("A cat or a dog.", 0),
        ("I cannot tell.", 0),
        ("", 0),
        ('{"score": 1, "answer": "a cat"}', 0),  # JSON is no statement
        ("A red cat.", 1),
    ],
)
def test_a_thing_is_named(text: str, right: int) -> None:
    assert score("world_knowledge_und", text, reference_text=["A cat."]) == right


@pytest.mark.parametrize("errors", [None, {"slips": 0.5}])
@pytest.mark.parametrize("text", ["A cat.", "A dog.", "A cat or a dog."])
def test_a_judge_is_sure_of_what_it_said(text: str, errors: dict[str, float] | None) -> None:
    once, twice = (
        score(question, text, reference_text=["A cat."], errors=errors)
        for question in ("world_knowledge_und", "world_knowledge_und_again")
    )
    assert once == twice


@pytest.mark.parametrize(("text", "right"), [("A red apple.", 1), ("An apple.", 0), ("A green apple.", 0)])
def test_a_colour_that_belongs_to_it_is_said(text: str, right: int) -> None:
    assert score("world_knowledge_und", text, reference_text=["A red apple."]) == right


@pytest.mark.parametrize(
    ("prompt", "right"),
    [("A red cat at noon.", 1), ("Two blue cats.", 1), ("A red dog.", 0), ("A red cat to the left of a dog.", 0)],
)
def test_a_thing_is_shown(prompt: str, right: int) -> None:
    assert score("world_knowledge_gen", painted(prompt), reference_text=["A cat."]) == right
    assert score("world_knowledge_gen", painted(prompt), reference_picture=[painted("A green cat.")]) in (0, right)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("Two ducks and three birds.", 1),
        ("There would be 3 birds then, and 2 red ducks.", 1),
        ("Three ducks and two birds.", 0),
        ("Two ducks.", 0),
        ("There were three ducks and two birds; now two ducks and three birds.", 0),  # which of them is meant?
        ("The ducks and the birds.", 0),
    ],
)
def test_numbers_are_said(text: str, right: int) -> None:
    assert score("numerical_und", text, reference_text=["Two ducks and three birds."]) == right


def test_numbers_are_shown() -> None:
    reference = ["Two ducks and three birds."]
    assert score("numerical_gen", painted("Two pink ducks above three red birds."), reference_text=reference) == 1
    for prompt in ("Three pink ducks above two red birds.", "Two pink ducks.", "Two ducks and three cats."):
        assert score("numerical_gen", painted(prompt), reference_text=reference) == 0


@pytest.mark.parametrize(
    ("text", "right"),
    [
        (GREEN, 1),
        ("Three green ducks to the left of two blue birds.", 1),
        (DUCKS, 0),
        ("Three green ducks.", 0),
        ("I made them green.", 0),
    ],
)
def test_a_change_is_told(text: str, right: int) -> None:
    reference = ["Three green ducks to the left of two blue birds."]
    assert score("instruction_following_und", text, reference_text=reference) == right


@pytest.mark.parametrize(
    ("prompt", "right"),
    [
        (GREEN, 1),
        (GREEN.replace("at night", "at noon").replace("left", "right"), 1),  # how it is drawn may differ
        (DUCKS, 0),
        (GREEN.replace("blue birds", "blue cats"), 0),
        (GREEN.replace("two", "four"), 0),
    ],
)
def test_a_change_is_carried_out(prompt: str, right: int) -> None:
    given = {"question_picture": [painted(DUCKS)], "reference_text": ["Three green ducks and two blue birds."]}
    shown = painted(prompt, 3)
    assert score("instruction_following_gen", shown, reference_picture=[painted(GREEN)], **given) == right
    assert score("instruction_following_gen", shown, **given) == right


def test_what_shows_nothing_is_wrong_and_what_cannot_be_judged_is_said(foreign: bytes) -> None:
    blocks = {"question_picture": [painted(DUCKS)], "reference_text": ["Two ducks and three birds."]}
    for name in ("world_knowledge", "numerical", "instruction_following"):
        for parts in ([], [blank()], ["score 1"]):
            assert score(f"{name}_gen", *parts, **blocks) == 0
        with pytest.raises(Unsupported):
            score(f"{name}_gen", foreign, **blocks)
        with pytest.raises(Unsupported):
            score(f"{name}_und", "A cat.")
    with pytest.raises(Unsupported, match="does not know"):
        score("numerical_video", "A cat.")


def test_texts_may_come_as_fields() -> None:
    said = answer("numerical_und", {"reference_text": "Two ducks."}, [], 0, {"answer": ["Two ducks."]})
    assert said["score"] == 1


def test_a_slip_turns_the_verdict_and_noise_does_not() -> None:
    blocks = {"reference_text": ["A cat."]}
    assert score("world_knowledge_und", "A cat.", errors={"slips": 1.0}, **blocks) == 0
    assert score("world_knowledge_und", "A dog.", errors={"slips": 1.0}, **blocks) == 1
    assert score("world_knowledge_und", "A dog.", errors={"noise": 9.0, "bias": 5.0}, **blocks) == 0
    slipped = sum(
        err({"score": 1}, {"slips": 0.1}, chance(seed, "", {}, [], {}), 1)["score"] == 0 for seed in range(2000)
    )
    # A share of 0.1 in 2,000 has a standard deviation of sqrt(0.09 / 2000) = 0.0067; four of them are 0.027.
    assert slipped / 2000 == pytest.approx(0.1, abs=0.027)


@given(st.text(max_size=60), st.sampled_from(["a cat", "two dogs", "3 pairs of scissors", "teddy bears", ""]))
def test_any_text_can_be_read(before: str, named: str) -> None:
    text = f"{before} {named}"
    for number in numbers_in(text).values():
        assert number <= set(range(11))
    if named and not re.search(r"[<{\[\w-]", before):
        assert things_in(text)


def test_longer_names_come_first() -> None:
    assert things_in("A teddy bear beside two red palm trees and a car.") == [
        ("teddy bear", None),
        ("palm tree", "red"),
        ("car", None),
    ]
    assert numbers_in("no cats, a pair of scissors, 3 dogs; 2 dogs") == {
        "cat": {0},
        "pair of scissors": {1},
        "dog": {2, 3},
    }
    assert things_in("a carpet, a starter and catfish") == []
