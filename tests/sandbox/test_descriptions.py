from __future__ import annotations

import random
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.sandbox import vocabulary as v
from stages.sandbox.answering import Unsupported
from stages.sandbox.descriptions import COLOURS, KINDS, article, describe, kinds_described, named_plainly


def entity(kind: str, colour: str | None) -> str:
    words = f"{colour} {kind}" if colour else kind
    return f"{article(words)} {words}"


def words_of(text: str) -> set[str]:
    return {word for word in re.findall(r"[\w']+", text.lower()) if word not in ("a", "an", "the", "of", "in")}


ENTITIES = [(kind, colour) for kind in v.KINDS for colour in (None, *v.COLOURS)]


def test_everything_that_can_be_painted_has_a_description():
    assert list(KINDS) == list(v.KINDS)
    assert list(COLOURS) == list(v.COLOURS)


@pytest.mark.parametrize("kind", v.KINDS.values(), ids=lambda kind: kind.name)
def test_no_word_of_a_name_or_synonym_stands_in_the_description(kind):
    names = {name for pair in ((kind.name, kind.plural), *kind.synonyms) for name in pair}
    assert not words_of(" ".join(names)) & words_of(KINDS[kind.name])
    for colour in v.COLOURS:
        assert colour not in words_of(describe(entity(kind.name, colour)))


def test_what_is_described_is_understood_and_named_again():
    for kind, colour in ENTITIES:
        sentence = describe(entity(kind, colour))
        assert kinds_described(sentence) == (kind, colour)
        assert kinds_described(f"Find {sentence[0].lower()}{sentence[1:]} Paint exactly that region.") == (kind, colour)
        assert named_plainly(sentence).lower() == f"{entity(kind, colour)}.".lower()
    assert describe("a red car") == (
        "A vehicle with four wheels and an engine that families drive on roads, in the colour of ripe tomatoes."
    )
    assert kinds_described("Find the animal that eats bamboo and has dark patches round its eyes.") == ("panda", None)


def test_a_description_that_is_mistaken_names_another_kind_of_the_group_in_the_same_colour():
    for seed in range(20):
        name = named_plainly(describe("a red car"), 1.0, random.Random(seed))
        other = name.removeprefix("A red ").rstrip(".")
        assert other != "car"
        assert v.KINDS[other].group == "vehicle"


def test_a_text_without_descriptions_draws_nothing_and_two_things_are_not_one():
    rng = random.Random(1)
    assert named_plainly("A red car at night.", 1.0, rng) == "A red car at night."
    assert rng.random() == random.Random(1).random()
    assert kinds_described("A red car.") is None
    assert kinds_described(describe("a car") + " " + describe("a cat")) is None


@pytest.mark.parametrize("name", ["two cars", "a unicorn", "", "a red car and a dog"])
def test_what_names_no_one_thing_is_not_described(name):
    with pytest.raises(Unsupported, match="no one thing"):
        describe(name)


@given(st.text(max_size=80))
def test_any_text_is_read(text):
    assert kinds_described(text) is None
    assert named_plainly(text) == text
