"""The world as a judge of tasks that people wrote for themselves: by the task, by a rubric, along a checklist."""

from __future__ import annotations

from functools import cache

import pytest

from stages.sandbox.answering import Unsupported
from stages.sandbox.judge import answer
from stages.sandbox.material import Parts
from tests import world

SCENE = "two red cats to the left of a blue dog"


@cache
def painted(prompt: str = SCENE) -> bytes:
    return world.picture(prompt, 0)


def score(question: str, rubric: str = "", **blocks: Parts) -> object:
    said = answer(question, {"rubric": rubric} if rubric else {}, [], 0, blocks)
    assert set(said) == {"reason", "score"} and str(said["reason"])
    return said["score"]


def test_a_picture_is_judged_by_the_task() -> None:
    assert score("own_alignment", task=[SCENE], answer=[painted()]) == 10
    assert score("own_alignment", task=["three yellow birds"], answer=[painted()]) < 5  # type: ignore[operator]
    assert score("own_aesthetics", task=["?"], answer=[painted()]) >= 8  # type: ignore[operator]


def test_an_edit_is_judged_by_what_was_given() -> None:
    task = [painted("two red cars above a tree"), "Replace the cars with a house."]
    assert score("own_alignment", task=task, answer=[painted("a red house above a tree")]) >= 5  # type: ignore[operator]
    assert score("own_alignment", task=task, answer=[painted("two red cars above a tree")]) < 5  # type: ignore[operator]


@pytest.mark.parametrize(("question", "highest"), [("own_rubric", 10), ("own_grade", 2)])
def test_a_rubric_is_read_to_its_end_or_not_at_all(question: str, highest: int) -> None:
    assert score(question, f"The picture shows {SCENE}.", answer=[painted()]) == highest
    assert score(question, "The picture shows three yellow birds.", answer=[painted()]) < highest / 2  # type: ignore[operator]
    for rubric in ("10 for a cosy shop", f"The picture shows {SCENE}. Be kind.", "Ten points, please."):
        with pytest.raises(Unsupported):
            score(question, rubric, answer=[painted()])


def test_grades_err_within_their_scale() -> None:
    blocks: dict[str, Parts] = {"answer": [painted()]}
    fields = {"rubric": f"The picture shows {SCENE}."}
    said = {answer("own_grade", fields, [], seed, blocks, {"slips": 1.0})["score"] for seed in range(30)}
    assert said == {0, 1, 2}


def test_a_checklist_is_answered_question_by_question() -> None:
    lines = "[Image] Does the picture show exactly two red cats?\n[Image] Does the picture show a house?"
    said = answer("own_checklist", {"checklist": lines}, [], 0, {"task": ["?"], "answer": [painted()]})
    assert [one["verdict"] for one in said["verdicts"]] == ["Y", "N"]  # type: ignore[attr-defined]
