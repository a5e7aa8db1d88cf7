"""The embedded world is asked what reference pictures show, and as a writer describes and guesses it."""

from __future__ import annotations

import numpy as np
import pytest

from stages.gir.shared.measures.recognition import chosen, named
from stages.gir.shared.measures.similarity import score
from stages.sandbox.answering import Unsupported
from stages.sandbox.authoring import answer
from stages.sandbox.creator import create
from stages.sandbox.descriptions import describe
from stages.sandbox.embedder import embed
from tests import world

NAME = "What do all of these pictures show? Name it."
OPTIONS = ("a blue truck", "a red car", "a blue car", "a rocket")
CHOOSE = "Which of these do all of these pictures show?\n{}Answer with its letter."


def choice(*options: str) -> str:
    return CHOOSE.format("".join(f"{letter}) {option}\n" for letter, option in zip("ABCD", options, strict=False)))


@pytest.fixture(scope="module")
def cars() -> list[bytes]:
    return [world.picture(f"a red car at {light}") for light in ("noon", "night")]


def said(pictures: list[bytes], question: str, seed: int = 1, wrong: float = 0.0) -> str:
    [text] = create([*pictures, question], ["text"], 256, 256, seed, {"wrong_reasoning": wrong})
    assert isinstance(text, str)
    return text


def test_what_pictures_have_in_common_is_named_and_chosen(cars: list[bytes]) -> None:
    assert said(cars, NAME) == said(cars[:1], NAME) == "A red car."
    assert said(cars, choice(*OPTIONS)) == "B"
    assert said(cars, choice("a rocket", "a car", "a truck")) == "B"
    assert said([*cars, world.picture("a blue car")], NAME) == "A car."
    assert said([*cars, world.picture("two red cars left of an owl")], NAME) == "A red car."


def test_wrong_reasoning_names_another_kind_of_the_group_and_another_letter(cars: list[bytes]) -> None:
    for seed in range(6):
        name = said(cars, NAME, seed, wrong=1.0)
        assert name != "A red car." and name.startswith("A red ")
        assert named(name, ["a red car"], []) == 0
        assert chosen(said(cars, choice(*OPTIONS), seed, wrong=1.0), OPTIONS, 1) == 0


@pytest.mark.parametrize(
    ("prompts", "question", "reason"),
    [
        (["a red car", "a red owl"], NAME, "0 kinds of things"),
        (["a car left of an owl"], NAME, "2 kinds of things"),
        (["a red car"], choice("a truck", "an owl"), "0 of the options"),
        (["a red car"], choice("a car", "an automobile"), "2 of the options"),
        ([], NAME, "not 0"),
    ],
)
def test_what_has_no_one_answer_is_not_answered(prompts: list[str], question: str, reason: str) -> None:
    with pytest.raises(Unsupported, match=reason):
        said([world.picture(prompt) for prompt in prompts], question)


def test_what_is_painted_of_a_description_resembles_its_entity_and_no_other(cars: list[bytes]) -> None:
    references = np.stack([embed(picture) for picture in cars])
    for seed in range(3):
        [picture] = create([describe("a red car")], ["image"], 256, 256, seed, {})
        assert isinstance(picture, bytes)
        assert score(embed(picture), references) >= 0.98
        [wrong] = create([describe("a red car")], ["image"], 256, 256, seed, {"wrong_reasoning": 1.0})
        assert isinstance(wrong, bytes)
        assert score(embed(wrong), references) <= 0.7
    assert score(embed(world.picture("a blue car")), references) <= 0.7


def test_the_writer_describes_what_the_guesser_guesses() -> None:
    described = answer("describe_entity", {"entity": "a red car", "names": "a red car"}, {}, 1, {})
    assert described == {"description": describe("a red car")}
    fields = {"description": str(described["description"])}
    assert answer("guess_entity", fields, {}, 1, {}) == {"guess": "a red car"}
    guessed = answer("guess_entity", fields, {}, 1, {"wrong_reasoning": 1.0})["guess"]
    assert str(guessed).startswith("a red ") and guessed != "a red car"


@pytest.mark.parametrize("description", ["", "A thing of beauty.", "A red car."])
def test_what_is_no_description_is_not_guessed(description: str) -> None:
    with pytest.raises(Unsupported, match="cannot guess"):
        answer("guess_entity", {"description": description}, {}, 1, {})
    with pytest.raises(Unsupported, match="no one thing"):
        answer("describe_entity", {"entity": "a unicorn"}, {}, 1, {})
