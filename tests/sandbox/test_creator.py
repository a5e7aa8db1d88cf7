"""The world as a contestant: it edits what it sees, says what it sees, and paints anew what pictures and words name."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace

import pytest

from stages.asking.requests import Picture
from stages.evaluation.running.placing import placed
from stages.sandbox.captions import understand
from stages.sandbox.creator import create
from stages.sandbox.editing import Wanted, wanted
from stages.sandbox.material import Material, sentences
from stages.sandbox.scene import Group, Scene, canonical, random_scene
from stages.sandbox.vocabulary import COLOURS, KINDS, LIGHTS
from stages.sandbox.writing import write
from tests import world

CARS = "Two red cars to the left of a blue house, at noon, in a calm mood, made as a flat illustration."
CAT = 'A yellow cat, at night, under a giant moon, with the word "OPEN" on a wooden sign, made as a woodblock print.'
DOG = "A pink dog."
FAULTS = ("wrong_count", "swapped_relation", "blur", "noise", "distortion")


def scene(text: str) -> Scene:
    found = understand(text)
    assert found is not None
    return found


def meant(text: str, *scenes: Scene) -> Wanted:
    return wanted(Material((tuple(sentences(text, len(scenes))),), (), scenes))


def cars(**changes: object) -> Scene:
    return replace(scene(CARS), **changes)  # type: ignore[arg-type]


def cat(**changes: object) -> Scene:
    return replace(scene(CAT), **changes)  # type: ignore[arg-type]


def pair(*groups: Group) -> Scene:
    return cars(groups=groups)


TWO, HOUSE, YELLOW = Group("car", "red", 2), Group("house", "blue"), Group("cat", "yellow")


@pytest.mark.parametrize(
    ("instruction", "edited"),
    [
        ("Make the cars green.", pair(Group("car", "green", 2), HOUSE)),
        ("Edit the picture: the cars should be green.", pair(Group("car", "green", 2), HOUSE)),
        ("Please change the colour of the house to violet.", pair(TWO, Group("house", "purple"))),
        ("Make the cars black and the house pink.", pair(Group("car", "black", 2), Group("house", "pink"))),
        ("Add two red cars.", pair(Group("car", "red", 4), HOUSE)),
        ("Add another house.", pair(TWO, Group("house", "blue", 2))),
        ("Make it three cars.", pair(Group("car", "red", 3), HOUSE)),
        ("There should be five red cars in the picture.", pair(Group("car", "red", 5), HOUSE)),
        ("Remove one car.", pair(Group("car", "red", 1), HOUSE)),
        ("Remove the house from the picture.", cars(groups=(TWO,), relation=None)),
        ("Remove the cars, and make it night.", cars(groups=(HOUSE,), relation=None, light="night")),
        ("Replace the cars with bicycles.", pair(Group("bicycle", None, 2), HOUSE)),
        ("Replace the house with two green owls.", pair(TWO, Group("owl", "green", 2))),
        ("Move the house above the cars.", cars(relation="below")),
        ("Swap the cars and the house.", cars(groups=(HOUSE, TWO))),
        ("Change the background to sunset.", cars(light="sunset")),
        (
            "Turn the picture into a watercolour painting. Make the mood dreamy.",
            cars(style="watercolour", mood="dreamy"),
        ),
        ("Add twin moons.", cars(surreal="twin moons")),
        ('Add a wooden sign that says "THANK YOU".', cars(lettering="THANK YOU", sign="board")),
    ],
)
def test_an_instruction_changes_what_it_says_and_nothing_else(instruction: str, edited: Scene) -> None:
    assert meant(instruction, scene(CARS)) == Wanted(edited, 0)


@pytest.mark.parametrize(
    ("instruction", "edited"),
    [
        ("Make it blue.", cat(groups=(Group("cat", "blue"),))),
        ("Add two red dogs to the right of the cat.", cat(groups=(YELLOW, Group("dog", "red", 2)), relation="left")),
        ("Add a dog.", cat(groups=(YELLOW, Group("dog")))),
        ("Remove the sign and the moon.", cat(lettering=None, sign=None, surreal=None)),
        ('Change the words to "CLOSED".', cat(lettering="CLOSED")),
        ("Remove the cat.", cat(groups=())),
    ],
)
def test_what_words_leave_open_stays_open(instruction: str, edited: Scene) -> None:
    assert meant(instruction, scene(CAT)).scene == edited


@pytest.mark.parametrize(
    ("instruction", "result"),
    [
        ("Put the cat of the first picture into the last.",
         Wanted(replace(scene(DOG), groups=(Group("dog", "pink"), YELLOW)), 1)),
        ("Replace the cat of image 1 with the dog of image 2.", Wanted(cat(groups=(Group("dog", "pink"),)), 0)),
        ("In the second picture, make the dog red.", Wanted(replace(scene(DOG), groups=(Group("dog", "red"),)), 1)),
        ("Give the second picture the style of the first.", Wanted(replace(scene(DOG), style="woodcut"), 1)),
        ("Paint the dog of picture 2 below the cat of picture 1 at dawn.",
         Wanted(Scene((Group("dog", "pink"), YELLOW), "below", light="dawn"), None)),
        ("Combine the pictures.", Wanted(cat(groups=(YELLOW, Group("dog", "pink"))), None)),
    ],
)  # fmt: skip
def test_things_of_several_pictures_come_together(instruction: str, result: Wanted) -> None:
    assert meant(instruction, scene(CAT), scene(DOG)) == result


@pytest.mark.parametrize(
    ("instruction", "why"),
    [
        ("A blue dog.", "does not understand the instruction"),  # never painted from words alone
        ("Paint a blue dog.", "does not understand"),
        ("Paint two red cars.", "does not understand"),
        ("Make the owl red.", "'owl' is none of what there is: two red cars and a blue house"),
        ("Make it red.", "more than one"),
        ("Add a cat.", "no scene of the embedded world"),
        ("Add five red cars.", "one to five"),
        ("Remove the sign.", "no lettering"),
        ("Make the third picture night.", "there is no picture 3"),
        ("Ignore this and paint what you like.", "does not understand"),
        ("", "no text says"),
    ],
)
def test_what_is_not_understood_or_cannot_be_is_unsupported(instruction: str, why: str) -> None:
    with pytest.raises(world.Unsupported, match=why):
        meant(instruction, scene(CARS))


def test_which_of_several_pictures_has_to_be_said() -> None:
    with pytest.raises(world.Unsupported, match="which of the 2 pictures"):
        meant("Make it night.", scene(CAT), scene(DOG))


def made(parts: Sequence[str | bytes], seed: int = 0, **faults: float) -> list[str | bytes]:
    modalities = ("image",) if any(isinstance(part, bytes) for part in parts) else ("text",)
    return create(parts, modalities, 256, 256, seed, faults)


def shown(picture: str | bytes) -> Scene | None:
    assert isinstance(picture, bytes)
    return world.sight_of(picture).scene


def test_an_edited_picture_shows_the_edited_scene() -> None:
    for number in range(7):
        rng = random.Random(f"edit {number}")
        before = canonical(random_scene(rng))
        group, colour = before.groups[0], rng.choice(sorted(COLOURS))
        light = rng.choice([light for light in LIGHTS if light != before.light])
        after = replace(before, groups=(replace(group, colour=colour), *before.groups[1:]), light=light)
        request = (
            f"Make the {KINDS[group.kind].plural} {colour} and set the light to {light}.",
            world.picture(write(before)),
        )
        [edited] = made(request, number)
        assert shown(edited) == after
        assert made(request, number) == [edited]


def test_pictures_stand_in_their_places_in_a_text_or_beside_it() -> None:
    one, other = world.picture(CAT), world.picture(DOG)
    text = "Put the cat of <image:a> into <image:b>. Make the dog of <image:b> red."
    pictures = {"a": Picture(one), "b": Picture(other)}
    placings = [placed(text, pictures, form) for form in ("apart", "at_sentence_ends", "in_place")]
    given = [[part.data if isinstance(part, Picture) else part for part in parts] for parts in placings]
    labelled = ["Image 1:", one, "Image 2:", other, "Put the cat of image 1 into image 2 and make the dog red."]
    for parts in (*given, labelled):
        [edited] = made(parts)
        seen = shown(edited)
        assert seen is not None and set(seen.groups) == {YELLOW, Group("dog", "red")}


def test_what_texts_and_pictures_say_together_is_painted() -> None:
    parts = ["A yellow cat.", world.picture(DOG), "Paint what the text and the picture say together."]
    [painted] = made(parts)
    seen, dog = shown(painted), shown(world.picture(DOG))
    assert seen is not None and dog is not None and set(seen.groups) == {YELLOW, Group("dog", "pink")}
    assert (seen.light, seen.style) == (dog.light, dog.style)


def test_words_alone_are_painted_as_the_painter_does() -> None:
    faults = {"blur": 0.5}
    for seed in range(4):
        [painted] = create([f"{DOG}\n"], ["image"], 128, 128, seed, faults)
        assert painted == world.paint_prompt(DOG, 128, 128, seed, faults)
    [together] = create(["A pink dog.", "Paint: a yellow cat, at night."], ["image"], 256, 256, 0, {})
    seen = shown(together)
    assert seen is not None and (set(seen.groups), seen.light) == ({Group("dog", "pink"), YELLOW}, "night")
    with pytest.raises(world.Unsupported, match="cannot read"):
        create(["A dragon."], ["image"], 256, 256, 0, {})


def test_a_picture_between_two_texts() -> None:
    first, picture, caption = create(
        ["Tell and show: make the cat blue.", world.picture(CAT)], ["text", "image"], 256, 256, 0, {}
    )
    assert isinstance(first, str) and understand(str(caption)) == shown(picture) == cat(
        groups=(Group("cat", "blue"),), mood="calm"
    )


def said(*parts: str | bytes, seed: int = 0, **faults: float) -> str:
    [text] = create(parts, ["text"], 0, 0, seed, faults)
    assert isinstance(text, str)
    return text


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Describe the picture.", CARS),
        ("What is in the picture?", CARS),
        ("How many red cars are in the picture?", "Two."),
        ("How many cats are there?", "None."),
        ("How many things are there?", "Three."),
        ("What colour is the house?", "Blue."),
        ("Is there a blue house?", "Yes."),
        ("Are there three cars?", "No."),
        ("Are the cars to the left of the house?", "Yes."),
        ("Is the house above the cars?", "No."),
        ("Is it night?", "No."),
        ("图中有几辆红色的汽车？", "二。"),
        ("图中有蓝色的房子吗？", "是。"),
    ],
)
def test_questions_about_a_picture(question: str, answer: str) -> None:
    found = said(world.picture(CARS), question)
    assert understand(found) == understand(answer) if answer == CARS else found == answer


def test_questions_about_several_pictures_and_about_texts() -> None:
    cars, cat = world.picture(CARS), world.picture(CAT)
    assert said(cars, cat, "Which picture shows a cat?") == "The second."
    assert said(cars, cat, "How many things are in the pictures?") == "Four."
    assert said("In ", cat, " what does the sign say?") == '"OPEN".'
    assert said(CARS, "How many cars are there?") == "Two."
    for parts, why in (
        ((cars, "Who made you?"), "does not understand the question"),
        ((cars, cat, "What colour is the cat?"), "which of 2 is meant"),
        (("How many cars are there?",), "neither a picture nor a text"),
        ((cars, "Is it night? Is it noon?"), "one question"),
    ):
        with pytest.raises(world.Unsupported, match=why):
            said(*parts)


def test_foreign_pictures_are_neither_edited_nor_described(foreign: bytes) -> None:
    for modalities, text in ((("image",), "Make it night."), (("text",), "Describe the picture.")):
        with pytest.raises(world.Unsupported, match="does not show the embedded world"):
            create([text, foreign], modalities, 256, 256, 0, {})
    with pytest.raises(world.Unsupported, match="cannot be decoded"):
        create(["Make it night.", b"GIF89a"], ["image"], 256, 256, 0, {})


def test_the_more_faults_the_more_pictures_and_texts_are_wrong() -> None:
    picture, edit = world.picture(CARS), "Make it night."
    right = [create([edit, picture], ["image"], 128, 128, seed, {}) for seed in range(8)]
    wrong = []
    for rate in (0.0, 0.1, 0.6):
        rates = dict.fromkeys(FAULTS, rate)
        pictures = sum(create([edit, picture], ["image"], 128, 128, n, rates) != right[n] for n in range(8))
        numbers = sum(said(picture, "How many cars are there?", seed=n, **rates) != "Two." for n in range(50))
        captions = sum(understand(said(picture, "Describe it.", seed=n, **rates)) != scene(CARS) for n in range(50))
        wrong.append((pictures, numbers, captions))
    careful, average, hasty = wrong
    assert careful == (0, 0, 0) and all(a < b < c for a, b, c in zip(careful, average, hasty, strict=True)), wrong
