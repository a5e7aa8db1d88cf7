"""One answer judged: what is asked at once, what waits for it, and a row for every measure whatever happens."""

from __future__ import annotations

from collections.abc import Callable, Sequence, Set
from dataclasses import replace

import pytest
from pydantic import BaseModel

from gamut.asking.outcomes import Outcome
from gamut.asking.questions import AskedQuestion, Question
from gamut.asking.requests import Modality, Part, Picture, Reply
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.questions import JudgeQuestion, MeasuredValue
from gamut.evaluation.running.judging import judge_answer, judge_partial_answer
from gamut.tables.columns import Row


class Value(BaseModel):
    value: float


def question(name: str) -> Question:
    return Question(name, f"opening of {name}", f"instruction of {name}", Value)


def read(reply: Value) -> Sequence[MeasuredValue]:
    return [MeasuredValue(reply.value, "seen")]


COPIED, FIT, SURE = question("copied"), question("fit"), question("sure")
FIRST = JudgeQuestion(COPIED, {}, ("copied",), read)
PICTURE, OTHER = Picture(b"\xff\xd8 one"), Picture(b"\xff\xd8 two")
RECORD = {"id": "en-0-00000000", "item": "3", "setting": "en", "sample": 0, "answer": ["words", PICTURE, OTHER]}
SCALES = {name: Scale(0, 10) for name in ("copied", "fit", "sure", "holds")}


def play(
    judge_questions: Sequence[JudgeQuestion],
    replies: Callable[[AskedQuestion], float | None],
    repeats: int = 1,
    there: Set[Modality] | None = None,
) -> list[Row]:
    """The rows when every question is replied to with a value; with None its judge refuses."""
    of_it = RECORD, judge_questions, {}, repeats, 5, SCALES
    visit = judge_answer(*of_it) if there is None else judge_partial_answer(there, *of_it)
    try:
        asked = next(visit)
        while True:
            asked = visit.send([answered(one, replies(one)) for one in asked if isinstance(one, AskedQuestion)])
    except StopIteration as end:
        rows: list[Row] = end.value
        return rows


def answered(asked: AskedQuestion, value: float | None) -> Answer:
    if value is None:
        return Answer(Outcome("refused_judge", reason="no"), "judge", (("f", Reply(b"no", "refused")),))
    reply = Value(value=value)
    return Answer(Outcome("ok", reply), "judge", ((asked.request.name, Reply(reply.model_dump_json().encode())),))


def said(rows: Sequence[Row]) -> list[tuple[str, int, int, float | None, str, int]]:
    return [(r["question"], r["part"], r["repeat"], r["value"], r["status"], len(r["replies"])) for r in rows]


def test_a_checklist_of_any_length_has_a_row_a_statement_and_its_reply_once() -> None:
    both = JudgeQuestion(FIT, {}, ("holds", "holds", "fit", "holds"), lambda reply: [MeasuredValue(reply.value)] * 4)
    rows = play([both], lambda asked: 1)
    assert said(rows) == [
        ("holds", 0, 0, 1, "ok", 1),
        ("holds", 1, 0, 1, "ok", 0),
        ("fit", 0, 0, 1, "ok", 0),
        ("holds", 2, 0, 1, "ok", 0),
    ]


def test_parts_of_a_measure_are_counted_over_all_that_is_asked_about_it() -> None:
    halves = [
        JudgeQuestion(asked, {}, ("holds", "holds"), lambda reply: [MeasuredValue(reply.value)] * 2)
        for asked in (FIT, SURE)
    ]
    rows = play([halves[0], FIRST, halves[1]], lambda asked: 1, repeats=2)
    assert [(r["repeat"], r["part"]) for r in rows if r["question"] == "holds"] == [
        (repeat, part) for repeat in range(2) for part in range(4)
    ]


def test_of_what_is_known_nobody_is_asked_nor_what_follows() -> None:
    """Known of the first alone: the one that follows it has the same value, the other question is asked."""
    known = replace(FIRST, known=lambda answer, pictures: MeasuredValue(0, f"{len(answer)} parts"))
    sure = JudgeQuestion(SURE, {}, ("sure", "sure"), read, follows=COPIED)
    asked: list[str] = []

    def replies(one: AskedQuestion) -> float:
        asked.append(one.request.name)
        return 4

    rows = play([known, JudgeQuestion(FIT, {}, ("fit",), read), sure], replies, repeats=2)
    assert asked == ["fit", "fit"]
    assert said(rows)[:4] == [
        ("copied", 0, 0, 0, "ok", 0),
        ("fit", 0, 0, 4, "ok", 1),
        ("sure", 0, 0, 0, "ok", 0),
        ("sure", 1, 0, 0, "ok", 0),
    ]
    assert [(row["model"], row["note"]) for row in rows[:2]] == [("rules", "3 parts"), ("judge", "seen")]


def test_where_all_is_known_there_is_nothing_to_ask() -> None:
    known = replace(FIRST, known=lambda answer, pictures: MeasuredValue(0, "a copy"))
    visit = judge_answer(RECORD, [known], {}, 1, 5, SCALES)
    assert next(visit) == []
    with pytest.raises(StopIteration) as end:
        visit.send([])
    assert said(end.value.value) == [("copied", 0, 0, 0, "ok", 0)]


def test_what_is_unknown_is_asked_and_a_value_outside_of_the_scale_is_none() -> None:
    unknown = replace(FIRST, known=lambda answer, pictures: None)
    assert said(play([unknown], lambda one: 3)) == [("copied", 0, 0, 3, "ok", 1)]
    for value in (11, float("nan")):
        wrong = replace(FIRST, known=lambda answer, pictures, value=value: MeasuredValue(value, "many"))
        [row] = rows = play([wrong], lambda one: 3)
        assert said(rows) == [("copied", 0, 0, None, "parse_error", 0)] and row["note"] is None
        assert row["reason"] == f"copied is {value}, outside of its scale 0..10"


def test_a_first_turn_without_measures_stands_with_the_second() -> None:
    sure = JudgeQuestion(SURE, {}, ("sure",), read, follows=COPIED)
    first = replace(FIRST, measures=(), read=lambda reply: [])
    assert said(play([first, sure], lambda one: 3)) == [("sure", 0, 0, 3, "ok", 2)]
    assert said(play([first, sure], lambda one: None)) == [("sure", 0, 0, None, "refused_judge", 1)]
    second_refused = play([first, sure], lambda one: 3 if one.request.name == "copied" else None)
    assert said(second_refused) == [("sure", 0, 0, None, "refused_judge", 2)]


def test_a_second_turn_stands_behind_the_first_and_falls_with_it() -> None:
    sure = JudgeQuestion(SURE, {}, ("sure",), read, follows=COPIED)
    turns: list[int] = []

    def replies(one: AskedQuestion) -> float:
        turns.append(len(one.request.messages))
        return 3

    assert said(play([FIRST, sure], replies)) == [("copied", 0, 0, 3, "ok", 1), ("sure", 0, 0, 3, "ok", 1)]
    assert turns == [1, 3]
    refused = play([FIRST, sure], lambda one: None)
    assert said(refused) == [("copied", 0, 0, None, "refused_judge", 1), ("sure", 0, 0, None, "refused_judge", 0)]


def test_a_first_turn_that_is_no_utf_8_is_gone_on_with() -> None:
    visit = judge_answer(RECORD, [FIRST, JudgeQuestion(SURE, {}, ("sure",), read, follows=COPIED)], {}, 1, 5, SCALES)
    next(visit)
    [second] = visit.send([Answer(Outcome("ok", Value(value=1)), "judge", (("f", Reply(b'{"value": 1} \xff')),))])
    assert isinstance(second, AskedQuestion) and second.request.messages[1].parts == ('{"value": 1} \ufffd',)


def test_the_judge_sees_what_the_judge_question_shows_of_the_answer() -> None:
    shown: list[Sequence[Part]] = []

    def replies(one: AskedQuestion) -> float:
        shown.append(one.request.messages[0].parts[1:-1])
        return 1

    everything = JudgeQuestion(FIT, {}, ("fit",), read, material=lambda answer, pictures: answer)
    play([FIRST, everything], replies)
    assert shown == [(PICTURE,), ("words", PICTURE, OTHER)]


TEXT, IMAGE = ("text",), ("image",)
MIXED = JudgeQuestion(
    FIT,
    {},
    ("holds", "fit", "holds"),
    lambda reply: [MeasuredValue(reply.value)] * 3,
    about=(IMAGE, TEXT, (*TEXT, *IMAGE)),
)
OF_TEXT = JudgeQuestion(
    SURE, {}, ("holds", "holds"), lambda reply: [MeasuredValue(reply.value)] * 2, about=(TEXT, IMAGE)
)


def test_of_an_answer_in_part_there_are_rows_of_what_is_there_alone() -> None:
    """Both judge questions in full have the parts 0 to 3 of `holds`: the first of them takes a picture, the second
    both, the third words, the fourth a picture.
    """
    rows = play([MIXED, FIRST, OF_TEXT], lambda asked: 1, repeats=2, there={"text"})
    assert said(rows) == [
        *[("fit", 0, 0, 1, "ok", 1), ("holds", 2, 0, 1, "ok", 1)],
        *[("fit", 0, 1, 1, "ok", 1), ("holds", 2, 1, 1, "ok", 1)],
    ]
    assert [row["replies"][0]["fingerprint"] for row in rows] == ["fit", "sure"] * 2
    assert [row["part"] for row in play([MIXED, OF_TEXT], lambda asked: 1, there={"image"})] == [0, 3]
    whole = play([MIXED, OF_TEXT], lambda asked: 1)
    assert play([MIXED, OF_TEXT], lambda asked: 1, there={"text", "image"}) == whole
    failed = play([MIXED], lambda asked: None, there={"text"})
    assert said(failed) == [("fit", 0, 0, None, "refused_judge", 1)]


def test_of_an_answer_in_part_nothing_is_asked_that_takes_more() -> None:
    def nobody(asked: AskedQuestion) -> float:
        raise AssertionError(asked.question.name)

    late = replace(OF_TEXT, follows=FIRST.question)
    assert play([FIRST, MIXED, late], nobody, there=set()) == play([FIRST, late], nobody, there={"text"}) == []
