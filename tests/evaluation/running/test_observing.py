"""One answer observed: values by a rule from what was found in its pictures, and in the item's own."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Detect, Embed, Part, Picture, Reply
from gamut.asking.seeing import Detecting, Detection, Embedding
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.questions import Check, MeasuredValue, PartFinding
from gamut.evaluation.running.judging import observe_answer
from gamut.tables.columns import Row

ONE, TWO, WANTED = Picture(b"\xff\xd8 one"), Picture(b"\xff\xd8 two"), Picture(b"\xff\xd8 wanted")
CAR = Detection("car", 0.9, (1, 2, 30, 40))
SCALES = {"count": Scale(0, 1), "likeness": Scale(-1, 1)}


def counted(made: Sequence[PartFinding], beside: Sequence[PartFinding]) -> Sequence[MeasuredValue]:
    number = sum(len(one.found) for one in made)
    return [MeasuredValue(float(number == 2), f"{number} found")]


COUNT = Check("two_cars", "detector", lambda one: Detecting(Detect(one, ("car",))), ("count",), counted)
LIKE = Check(
    "like_the_reference",
    "image_embedder",
    lambda one: Embedding(Embed(one)),
    ("likeness",),
    lambda made, beside: [MeasuredValue(float(made[0].found @ beside[0].found))],
    beside=lambda pictures: [pictures["wanted"]],
)


def play(check: Check | Sequence[Check], answer: Sequence[Part], find: Callable[[Any], Any]) -> list[Row]:
    record = {"id": "en-0-00000000", "item": "3", "setting": "en", "sample": 0, "answer": answer}
    checks = [check] if isinstance(check, Check) else check
    visit = observe_answer(record, checks, {"wanted": WANTED}, SCALES)
    answers = []
    for number, asked in enumerate(next(visit)):
        value = find(asked.request)  # type: ignore[attr-defined]
        status = "unsupported" if value is None else "ok"
        answers.append(Answer(Outcome(status, value), "owl", ((f"r{number}", Reply(b"[]")),)))
    try:
        visit.send(answers)
    except StopIteration as end:
        rows: list[Row] = end.value
        return rows
    raise AssertionError("one round is enough")


def test_what_is_found_in_all_pictures_of_an_answer_is_kept_and_counted() -> None:
    [row] = play(COUNT, ["Two:", ONE, TWO], lambda request: [CAR])
    assert (row["question"], row["value"], row["note"], row["status"]) == ("count", 1, "2 found", "ok")
    assert [reply["fingerprint"] for reply in row["replies"]] == ["r0", "r1"]
    assert json.loads(row["found"]) == [[["car", 0.9, [1, 2, 30, 40]]]] * 2


def test_an_answer_without_a_picture_has_nothing_in_it() -> None:
    [row] = play(COUNT, ["Two."], lambda request: [CAR])
    assert (row["value"], row["status"], row["replies"], row["found"]) == (0, "ok", [], "[]")


def test_one_look_that_fails_leaves_no_value() -> None:
    [row] = play(COUNT, [ONE, TWO], lambda request: None if request.picture == TWO else [CAR])
    assert (row["value"], row["status"], row["found"], len(row["replies"])) == (None, "unsupported", None, 2)


def test_pictures_of_the_item_are_looked_at_too() -> None:
    vectors = {ONE: np.array([0.6, 0.8], np.float32), WANTED: np.array([1, 0], np.float32)}
    [row] = play(LIKE, [ONE], lambda request: vectors[request.item])
    assert abs(row["value"] - 0.6) < 1e-6 and json.loads(row["found"]) == [{"dimensions": 2}]


def test_parts_of_a_measure_are_counted_over_all_that_is_looked_for() -> None:
    rows = play([COUNT, COUNT], [ONE, TWO], lambda request: [CAR])
    assert [(row["question"], row["part"]) for row in rows] == [("count", 0), ("count", 1)]
