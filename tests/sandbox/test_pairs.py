"""Questions that are put twice: what both prompts mean, answered in words and as pictures, rightly and wrongly."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from stages.sandbox.answering import Unsupported
from stages.sandbox.changes import changed
from stages.sandbox.creator import create
from stages.sandbox.looking import scene_of, sight_of
from stages.sandbox.naming import plain
from stages.sandbox.pairs import in_words_of, meaning, mistaken
from stages.sandbox.rules import AMOUNTS, PLACES, SORTS, explicit
from stages.sandbox.scene import Group, Scene, random_scene
from tests import world

SIDE = 256
DUCKS = "Three red ducks to the left of two blue birds, at night, in a calm mood, made as a flat illustration."
SWAP = "an image with as many ducks as this one has birds, and as many birds as it has ducks"
CAT = "a pet that purrs, chases mice and lands on its feet"
DUCK, BIRD = Group("duck", "red", 3), Group("bird", "blue", 2)
SCENE = Scene((DUCK, BIRD), "left")
PAIRS = [
    (False, f"Name {CAT}.", f"Generate an image of {CAT}.", "A cat.", {("cat", 1)}),
    (
        *(True, f"How many ducks and birds are there in {SWAP}?", f"Generate {SWAP}."),
        *("Two ducks and three birds.", {("duck", 2), ("bird", 3)}),
    ),
    *(
        (True, f"Describe the picture after this {told}", f"Generate the picture after this {told}", said, things)
        for told, said, things in (
            ("change: remove the blue birds.", "three red ducks", {("duck", 3)}),
            ("rule: whatever there are fewest of disappears.", "three red ducks", {("duck", 3)}),
            ("change: make the red ducks green.", "three green ducks to the left of", {("duck", 3), ("bird", 2)}),
        )
    ),
]


@pytest.fixture(scope="module")
def ducks() -> bytes:
    return world.picture(DUCKS)


def words(question: str, pictures: list[bytes], seed: int = 1, **faults: float) -> str:
    [said] = create([*pictures, question], ("text",), 0, 0, seed, faults)
    assert isinstance(said, str)
    return said


def things(prompt: str, pictures: list[bytes], seed: int = 1, **faults: float) -> set[tuple[str, int]]:
    [picture] = create([*pictures, prompt], ("image",), SIDE, SIDE, seed, faults)
    assert isinstance(picture, bytes)
    return {(group.kind, group.count) for group in scene_of(sight_of(picture)).groups}


@pytest.mark.parametrize(("seen", "question", "prompt", "said", "shown"), PAIRS)
def test_both_sides_mean_the_same_and_are_answered(
    ducks: bytes, seen: bool, question: str, prompt: str, said: str, shown: set[tuple[str, int]]
) -> None:
    pictures = [ducks] if seen else []
    assert meaning([*pictures, question]) == meaning([*pictures, prompt]) is not None
    assert said.casefold() in words(question, pictures).casefold()
    assert things(prompt, pictures) == shown


@pytest.mark.parametrize(("seen", "question", "prompt", "said", "shown"), PAIRS[:4])
def test_both_sides_can_be_wrong(
    ducks: bytes, seen: bool, question: str, prompt: str, said: str, shown: set[tuple[str, int]]
) -> None:
    pictures = [ducks] if seen else []
    for seed in range(6):
        wrong = words(question, pictures, seed, wrong_reasoning=1.0)
        assert wrong != words(question, pictures, seed) and wrong != said
        assert things(prompt, pictures, seed, wrong_reasoning=1.0) != shown


def test_what_is_mistaken_is_never_right(ducks: bytes) -> None:
    for seen, question, *_ in PAIRS:
        meant = meaning([*([ducks] if seen else []), question])
        assert meant is not None
        for seed in range(50):
            wrong = mistaken(meant, random.Random(seed))
            assert wrong != meant.right and in_words_of(meant, wrong) != in_words_of(meant, meant.right)


@pytest.mark.parametrize(
    ("rule", "clause"),
    [
        ("Whatever there are most of turns green.", "Make the red ducks green."),
        ("whatever there are fewest of disappears", "Remove the blue birds."),
        ("whatever stands on the left takes the colour of the rest", "Make the red ducks blue."),
        ("whatever stands on the right turns pink", "Make the blue birds pink."),
    ],
)
def test_rules_come_to_instructions(rule: str, clause: str) -> None:
    assert explicit(rule, SCENE) == clause


def test_sorts_of_things_are_known_by_rules() -> None:
    scene = Scene((Group("car", "red"), Group("tulip", "pink", 2)), "above")
    for rule, clause in {
        "is a vehicle": "Remove the red car.",
        "is a plant": "Remove the pink tulips.",
        "stands at the top": "Remove the red car.",
        "stands at the bottom": "Remove the pink tulips.",
    }.items():
        assert explicit(f"Whatever {rule} disappears.", scene) == clause


@pytest.mark.parametrize(
    ("rule", "scene"),
    [
        ("whatever is an animal disappears", SCENE),  # both are
        ("whatever is a vehicle disappears", SCENE),  # neither is
        ("whatever stands at the top disappears", SCENE),
        ("whatever is loud disappears", SCENE),
        ("whatever is a vehicle takes the colour of the rest", Scene((Group("car", "red"),))),
        ("whatever there are most of disappears", Scene((Group("duck", "red", 3),))),
    ],
)
def test_rules_that_mean_no_one_group_are_refused(rule: str, scene: Scene) -> None:
    with pytest.raises(Unsupported):
        explicit(rule, scene)


@pytest.mark.parametrize(
    "asked",
    [
        f"How many ducks and cars are there in {SWAP.replace('birds', 'cars')}?",
        f"Generate {SWAP.replace('birds', 'ducks')}.",
        "Describe the picture after this change: make it nicer.",
        "Generate the picture after this rule: whatever is loud disappears.",
    ],
)
def test_what_cannot_be_done_is_refused(ducks: bytes, asked: str) -> None:
    with pytest.raises(Unsupported):
        meaning([ducks, asked])


def test_a_change_of_several_pictures_and_numbers_of_none_are_refused(ducks: bytes) -> None:
    with pytest.raises(Unsupported, match="one picture"):
        meaning([ducks, world.picture(DUCKS, 5), "Describe the picture after this change: make it noon."])
    assert meaning([f"Generate {SWAP}."]) is None


def test_faults_of_the_painter_and_of_captions_come_on_top(ducks: bytes) -> None:
    question = PAIRS[1][1]
    assert words(question, [ducks], wrong_count=1.0) != "Two ducks and three birds."
    assert words(f"Name {CAT}.", [], wrong_count=1.0) == "A cat."


@given(st.integers(0, 10_000))
def test_every_rule_comes_to_an_instruction_that_can_be_done(seed: int) -> None:
    rng = random.Random(seed)
    scene, which = random_scene(rng), rng.choice([*SORTS, *PLACES, *AMOUNTS])
    rule = f"Whatever {which} {rng.choice(['turns pink', 'disappears', 'takes the colour of the rest'])}."
    try:
        clause = explicit(rule, scene)
        after = changed(scene, plain(clause))
    except Unsupported:
        return
    assert after is not None and len(after.groups) in (len(scene.groups), len(scene.groups) - 1)
    assert sum(group not in after.groups for group in scene.groups) <= 1
