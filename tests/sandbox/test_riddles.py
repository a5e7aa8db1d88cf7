"""Riddles: whatever is hidden is found again exactly, and what is no riddle stays as it is."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from stages.sandbox import vocabulary as v
from stages.sandbox.creator import create
from stages.sandbox.riddle_book import REASONING, RIDDLES
from stages.sandbox.riddles import hide, solve
from stages.sandbox.scene import Group, Scene, random_scene
from stages.sandbox.writing import write
from tests import world

groups = st.builds(
    Group, st.sampled_from(list(v.KINDS)), st.sampled_from([None, *v.COLOURS]), st.sampled_from(list(v.COUNTS))
)
looks = {"light": v.LIGHTS, "style": v.STYLES, "mood": v.MOODS, "surreal": v.SURREALS}


@st.composite
def scenes(draw: st.DrawFn) -> Scene:
    """Any scene with one or two groups of different kinds, whatever it leaves open."""
    found = draw(st.lists(groups, min_size=1, max_size=2, unique_by=lambda group: group.kind))
    relation = draw(st.sampled_from([None, *v.RELATIONS])) if len(found) == 2 else None
    lettering = draw(st.sampled_from([None, *v.LETTERING]))
    parts = {name: draw(st.sampled_from([None, *table])) for name, table in looks.items()}
    return Scene(tuple(found), relation, lettering, "board" if lettering else None, **parts)


@given(scenes(), st.sampled_from(REASONING), st.integers(0, 99))
@settings(max_examples=60, deadline=None, derandomize=True)
def test_what_is_hidden_is_found_again(scene: Scene, reasoning: str, seed: int) -> None:
    for text in (write(scene), f"Tell and show: {write(scene)}", f"Add {write(replace(scene, lettering=None))}"):
        assert solve(text) == text
        hidden = hide(text, reasoning, random.Random(seed))
        assert solve(hidden) == text
        assert solve(hidden.upper().replace("<IMAGE", "<image")).casefold() == text.casefold()


def test_every_value_of_the_book_has_words_of_its_own_and_every_kind_many() -> None:
    assert all(number >= 4 for number in Counter(riddle.reasoning for riddle in RIDDLES).values())
    assert {riddle.reasoning for riddle in RIDDLES} == set(REASONING)
    words = [words.lower() for riddle in RIDDLES for words in {riddle.one, riddle.many}]
    assert len(words) == len(set(words))
    assert {riddle.value for riddle in RIDDLES if riddle.slot == "kind"} <= set(v.KINDS)
    for reasoning in REASONING:
        known = {(riddle.slot, riddle.value) for riddle in RIDDLES if riddle.reasoning == reasoning}
        assert {("colour", colour) for colour in v.COLOURS} | {("number", str(n)) for n in range(2, 6)} <= known


@pytest.mark.parametrize(
    ("riddle", "plain"),
    [
        ("As many red cars as a triangle has corners.", "Three red cars."),
        ("One fewer than four birds, at night.", "Three birds, at night."),
        ("a car in the colour of a tomato once it is ripe", "a red car"),
        ("A bird that wakes when other birds go to sleep.", "An owl."),
        ("Make the animals that kittens grow up to be blue.", "Make the cats blue."),
        ("Make the cars of <image1> the colour that tells every driver to go.", "Make the cars of <image1> green."),
        ("as many animals that puppies grow up to be in the colour that wood turns to when it chars as there are"
         " seasons in a year", "four black dogs"),
        ("A house higher up than a car, at the time when cocks crow.", "A house above a car, at dawn."),
        ("What colour is it?", "What colour is it?"),
    ],
)  # fmt: skip
def test_riddles_are_solved(riddle: str, plain: str) -> None:
    assert solve(riddle) == plain


def test_prompts_differ_and_a_scene_with_colours_always_has_a_riddle() -> None:
    rng = random.Random(7)
    for reasoning in REASONING:
        texts = [write(random_scene(rng)) for _ in range(20)]
        hidden = [hide(text, reasoning, random.Random(number)) for number, text in enumerate(texts)]
        changed = [(text, other) for text, other in zip(texts, hidden, strict=True) if text != other]
        assert len(changed) == 20 and len(set(hidden)) == 20
        assert len({hide(texts[0], reasoning, random.Random(seed)) for seed in range(20)}) > 1


def test_a_wrong_solution_is_another_value_and_texts_without_riddles_have_none() -> None:
    riddle, plain = "As many red cars as a triangle has corners.", "Three red cars."
    rng = random.Random(3)
    found = {solve(riddle, 1.0, rng) for _ in range(40)}
    assert found == {"Two red cars.", "Four red cars.", "Five red cars."}
    before = rng.getstate()
    assert solve(plain, 1.0, rng) == plain and rng.getstate() == before
    shares = sum(solve(riddle, 0.3, rng) != plain for _ in range(400)) / 400
    assert 0.22 < shares < 0.38


@pytest.mark.parametrize("modalities", [("text",), ("image",), ("text", "image")])
def test_a_contestant_answers_a_riddle_as_the_plain_text_or_wrongly_at_a_rate(modalities: tuple[str, ...]) -> None:
    picture = world.picture("Three red cars, at noon.")
    riddle, clear = {
        ("text",): (["How many cars in the colour that tells every driver to stop are there in ", picture, "?"],
                    ["How many red cars are there in ", picture, "?"]),
        ("image",): (["Make the cars the colour of a lime rather than a lemon.", picture],
                     ["Make the cars green.", picture]),
        ("text", "image"): (["Tell and show: two cats in the colour of a raven rather than a dove."],
                            ["Tell and show: two black cats."]),
    }[modalities]  # fmt: skip

    def made(parts: list[str | bytes], seed: int, rate: float) -> list[str | bytes]:
        return create(parts, modalities, 128, 128, seed, {"wrong_reasoning": rate})

    right = [made(clear, seed, 0.0) for seed in range(6)]
    assert [made(clear, seed, 1.0) for seed in range(6)] == right  # nothing to be solved
    assert [made(riddle, seed, 0.0) for seed in range(6)] == right
    assert all(made(riddle, seed, 1.0) != right[seed] for seed in range(6))


def test_what_cannot_be_done_of_a_wrong_solution_is_done_right() -> None:
    cat = world.picture("A yellow cat, at noon.")
    riddle = ["Make the animal that a kitten grows up to be red.", cat]  # no other animal is there to be made red
    made = create(riddle, ["image"], 128, 128, 0, {"wrong_reasoning": 1.0})
    assert made == create(["Make the cat red.", cat], ["image"], 128, 128, 0, {})
