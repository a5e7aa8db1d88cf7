"""Edits of pictures: what speaks against a writer's reply, and both prompts of a pair."""

from __future__ import annotations

import pytest

from stages.gapeval.construction.pictures import CHALLENGES, Edit, edit_prompts, objection

GOOD = {"edit": "Remove the cars.", "reference_text": "There are no cars."}


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({}, None),
        ({"edit": "Remove the cars"}, "`edit` is to be one line"),
        ({"edit": "Remove\nthe cars."}, "`edit` is to be one line"),
        ({"reference_text": " "}, "`reference_text` is to be one line"),
        ({"edit": "x" * 400 + "."}, "more than 400 characters"),
    ],
)
def test_what_is_no_edit_is_objected_to(given: dict[str, str], why: str | None) -> None:
    found = objection(Edit(**GOOD | given), {})
    assert found is None if why is None else found is not None and why in found


def test_both_prompts_have_the_same_words_for_what_changes() -> None:
    for challenge in CHALLENGES:
        made = edit_prompts(challenge, "Remove the cars.", "No cars.")
        assert made.question.removeprefix("Describe") == made.prompt.removeprefix("Generate")
    assert edit_prompts("implicit", "Whatever drives disappears.", "No cars.").question == (
        "Describe the picture after this rule: Whatever drives disappears."
    )
