"""Which attempt is chosen for each slot, and why none; refined checklists."""

from __future__ import annotations

from gamut.tables.columns import Row
from stages.aegis.construction.checklists import refined_checklist
from stages.aegis.construction.tasks import choose_attempts

FOX = "a fox"


def attempts(slot: str, *texts: str | None) -> list[Row]:
    return [
        {
            "id": slot,
            "said": text,
            "status": "parse_error" if text is None else "ok",
            "reason": None if text else "no text",
        }
        for text in texts
    ]


def found(seed: int = 0, **texts: tuple[str | None, ...]) -> dict[str, tuple[str, str | None, str | None]]:
    slots = {slot: attempts(slot, *of) for slot, of in texts.items()}
    return {row["id"]: (row["status"], row["said"], row["reason"]) for row in choose_attempts(slots, "said", 0.9, seed)}


def test_the_first_attempt_that_is_unlike_all_chosen_before() -> None:
    assert found(one=(FOX, "a dog"), two=("a cat", FOX)) == {"one": ("ok", FOX, None), "two": ("ok", "a cat", None)}
    assert found(one=(None, "a dog")) == {"one": ("ok", "a dog", None)}


def test_whose_turn_it_is_is_drawn() -> None:
    outcomes = {found(seed, one=(FOX, "a dog"), two=("A fox!", "a cat"))["one"][1] for seed in range(20)}
    assert outcomes == {FOX, "a dog"}


def test_a_slot_without_a_choice_says_why() -> None:
    assert found(one=(None, None))["one"][::2] == ("parse_error", "attempt 1: no text; attempt 2: no text")
    outcomes = {found(seed, one=(FOX,), two=(None, "A fox."))["two"][::2] for seed in range(20)}
    assert outcomes == {("ok", None), ("near_duplicate", "attempt 1: no text; attempt 2: resembles one")}


def test_a_refined_checklist() -> None:
    asked = [
        ("Is the car red?", "image", "car", False),
        ("is a car red?", "image", "car", False),
        ("Is the car red?", "text", "car", False),
        ("Does the image incorrectly show a dog?", "image", "no dog", True),
        ("Is the sky blue?", "image", "sky", False),
    ]
    questions = [dict(zip(("question", "about", "keyword", "inverted"), one, strict=True)) for one in asked]
    assert refined_checklist(["car", "no dog", "sky", "sun"], questions) == {
        "checklist": "[Image] Is the car red? | car\n"
        "[Text] Is the car red? | car\n"
        "[Image, N is right] Does the image incorrectly show a dog? | no dog\n"
        "[Image] Is the sky blue? | sky",
        "remarks": "no question is about 'sun'\nremoved, as it is asked before: [Image] is a car red? | car",
        "written": 5,
        "removed": 1,
        "inverted": 1,
        "keywords_wanted": 4,
        "keywords_covered": 3,
    }
