"""The world as a writer of questions that are put twice: edits that can be done, and prompts that agree or do not."""

from __future__ import annotations

import pytest

from stages.sandbox.answering import Unsupported
from stages.sandbox.authoring import answer
from stages.sandbox.pairs import meaning
from tests import world

DUCKS = "Three red ducks to the left of two blue cars at night."
FRAMES = {"explicit": "the picture after this change: ", "implicit": "the picture after this rule: "}
DOG = "a pet that barks, wags its tail and fetches sticks"


def edit(challenge: str, seed: int, picture: bytes) -> dict[str, str]:
    said = answer("write_edit", {"challenge": challenge}, {"picture": [picture]}, seed, {})
    return {name: str(value) for name, value in said.items()}


def intent(pictures: list[bytes], question: str, prompt: str, reference_text: str) -> object:
    fields = {"question": question, "prompt": prompt, "reference_text": reference_text}
    return answer("check_intent", fields, {"pictures": pictures}, 0, {})["same"]


@pytest.mark.parametrize("challenge", FRAMES)
def test_edits_can_be_done_and_differ(challenge: str) -> None:
    picture, frame = world.picture(DUCKS), FRAMES[challenge]
    made = [edit(challenge, seed, picture) for seed in range(30)]
    assert len({one["edit"] for one in made}) > 8 and made[0] == edit(challenge, 0, picture)
    for one in made:
        meant = meaning([picture, f"Describe {frame}{one['edit']}"])
        assert meant is not None and meant.right != meant.given
        assert ("ducks" in one["edit"] or "cars" in one["edit"] or "Make it" in one["edit"]) == (
            challenge == "explicit"
        )
        prompts = f"Describe {frame}{one['edit']}", f"Generate {frame}{one['edit']}"
        assert intent([picture], *prompts, one["reference_text"]) == "yes"
        assert intent([picture], *prompts, "Three red ducks to the left of two blue cars.") in ("no", "yes")


def test_of_one_group_nothing_is_removed_and_nothing_taken() -> None:
    picture = world.picture("Three red ducks at night.")
    edits = {edit(challenge, seed, picture)["edit"] for challenge in FRAMES for seed in range(20)}
    assert not [one for one in edits if "Remove" in one or "disappears" in one or "rest" in one]


@pytest.mark.parametrize(
    ("question", "prompt", "reference", "same"),
    [
        (f"Name {DOG}.", f"Generate an image of {DOG}.", "A dog.", "yes"),
        (f"Name {DOG}.", f"Generate an image of {DOG}.", "A cat.", "no"),
        (f"Name {DOG}.", "Generate an image of a bird of the night that turns its head.", "A dog.", None),
        (f"Name {DOG}.", "Generate an image of a farm animal that gives milk and chews the cud.", "A dog.", "no"),
        ("What?", "Paint!", "A dog.", None),
    ],
)
def test_prompts_agree_or_do_not(question: str, prompt: str, reference: str, same: str | None) -> None:
    if same is None:
        with pytest.raises(Unsupported):
            intent([], question, prompt, reference)
    else:
        assert intent([], question, prompt, reference) == same


def test_numbers_are_checked_by_the_picture() -> None:
    image = "an image with as many ducks as this one has cars, and as many cars as it has ducks"
    asked = f"How many ducks and cars are there in {image}?", f"Generate {image}."
    assert intent([world.picture(DUCKS)], *asked, "Two ducks and three cars.") == "yes"
    assert intent([world.picture(DUCKS)], *asked, "Three ducks and two cars.") == "no"


def test_what_is_no_edit_is_not_written(foreign: bytes) -> None:
    for challenge, picture in (("vague", world.picture(DUCKS)), ("explicit", foreign)):
        with pytest.raises(Unsupported):
            edit(challenge, 0, picture)
