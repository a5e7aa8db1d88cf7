"""How one answer is judged: what is asked at once, what in a second round, and what comes of it: a row an answer,
question, part and repeat, also of what other observers (readers, detectors, rules) say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Generator, Iterable, Mapping, Sequence, Set
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import orjson

from gamut.asking.outcomes import Conversation, Outcome
from gamut.asking.questions import AskedQuestion
from gamut.asking.requests import Modality, Part, Picture, seed_of
from gamut.asking.visiting import Answer
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.parameters import RULES
from gamut.evaluation.defining.questions import Check, JudgeQuestion, MeasuredValue, PartFinding, Pictures
from gamut.tables.columns import ASKED, Row, table_schema

SCHEMA = table_schema(
    "id item setting sample:int32 part:int32 question repeat:int32 value:float64 note found spec", *ASKED
)
"""`spec`: what was asked (`running.spec`), which whoever asks adds."""


def judgment_row(
    record: Row,
    question: str,
    answer: Answer,
    value: float | None,
    note: str | None,
    repeat: int = 0,
    found: str | None = None,
) -> Row:
    named = {name: record[name] for name in ("id", "item", "setting", "sample")}
    asked = {"part": 0, "question": question, "repeat": repeat}
    return named | asked | {"value": value, "note": note, "found": found, "spec": None} | answer.columns()


class QuestionResult(NamedTuple):
    """The answer to a judge question, and what it says of the measures, None where it says nothing."""

    answer: Answer
    judged: Sequence[MeasuredValue] | None


def judge_answer(
    record: Row,
    questions: Sequence[JudgeQuestion],
    pictures: Pictures,
    repeats: int,
    seed: int,
    scales: Mapping[str, Scale],
) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    """Ask about one answer in `repeats`, each in two rounds at most; a row a measure and repeat. Each question has a
    seed of its own, from the answer's. `record`: the answer's id, item, setting, sample, and its parts as `answer`.
    """

    def opening(one: JudgeQuestion, repeat: int) -> AskedQuestion:
        own = seed_of("\n".join([one.question.name, *one.fields.values()]), seed)
        return one.question.about(one.fields, one.material(record["answer"], pictures), own, repeat)

    known = known_results(questions, record["answer"], pictures)
    asked = {
        (repeat, place): opening(one, repeat)
        for repeat in range(repeats)
        for place, one in enumerate(questions)
        if one.follows is None and place not in known
    }
    answers = yield list(asked.values())
    results = {key: read_result(questions[key[1]], answer) for key, answer in zip(asked, answers, strict=True)}
    results |= {(repeat, place): one for repeat in range(repeats) for place, one in known.items()}
    waiting: dict[tuple[int, int], AskedQuestion] = {}
    for repeat in range(repeats):
        before = {questions[n].question.name: (asked[r, n], results[r, n].answer) for r, n in asked if r == repeat}
        for place, one in enumerate(questions):
            if one.follows is not None and place not in known:
                following = follow_up(one, before)
                if isinstance(following, QuestionResult):
                    results[repeat, place] = following
                else:
                    waiting[repeat, place] = following
    if waiting:
        answers = yield list(waiting.values())
        both = zip(waiting, answers, strict=True)
        results |= {key: read_result(questions[key[1]], answer) for key, answer in both}
    results = {key: with_first_replies(questions, key, one, results) for key, one in results.items()}
    rows = (judgment_rows(record, questions[n].measures, results[r, n], r, scales) for r, n in sorted(results))
    return numbered_parts(chain.from_iterable(rows))


def judge_partial_answer(
    there: Set[Modality],
    record: Row,
    questions: Sequence[JudgeQuestion],
    pictures: Pictures,
    repeats: int,
    seed: int,
    scales: Mapping[str, Scale],
) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    """Judge an answer with only the kinds of parts that are `there`, without the measures that need more."""
    asked, plan = list[JudgeQuestion](), list[tuple[bool, int]]()
    counted: Counter[str] = Counter()
    for one in questions:
        enough = [] if one.follows is not None else [{*about} <= there for about in one.about]
        parts = list[int]()
        for measure in one.measures:
            parts.append(counted[measure])
            counted[measure] += 1
        if any(enough):
            asked.append(one)
            plan += zip(enough, parts, strict=True)
    if not asked:
        return []
    rows = yield from judge_answer(record, asked, pictures, repeats, seed, scales)
    found: list[Row] = []
    replies: list[Row] = []
    for row, (kept, part) in zip(rows, plan * repeats, strict=True):
        replies = row["replies"] or replies
        if kept:  # the first of a judge question carries the replies
            found.append(row | {"part": part, "replies": replies})
            replies = []
    return found


def follow_up(
    question: JudgeQuestion, before: Mapping[str, tuple[AskedQuestion, Answer]]
) -> AskedQuestion | QuestionResult:
    """Return the second-round request; where the question it follows has failed, that failure."""
    assert question.follows is not None
    asked, answer = before[question.follows.name]
    if answer.value is None:
        return QuestionResult(Answer(answer.outcome, answer.model, ()), None)
    return question.question.after(asked.request, answer.trace[-1][1].content.decode(errors="replace"), question.fields)


def known_results(
    questions: Sequence[JudgeQuestion], answer: Sequence[Part], pictures: Pictures
) -> dict[int, QuestionResult]:
    """Return by place the results that hold by rule, of questions and of those that follow them."""
    own = {place: one.known(answer, pictures) for place, one in enumerate(questions) if one.known is not None}
    found = {}
    for place, one in enumerate(questions):
        holds = own.get(place if one.follows is None else followed_by(one, questions))
        if holds is not None:
            judged = [holds] * len(one.measures)
            found[place] = QuestionResult(Answer(Outcome("ok", judged), RULES, ()), judged)
    return found


def followed_by(question: JudgeQuestion, questions: Sequence[JudgeQuestion]) -> int:
    return next(place for place, other in enumerate(questions) if question.goes_on_from(other))


def with_first_replies(
    questions: Sequence[JudgeQuestion],
    key: tuple[int, int],
    result: QuestionResult,
    results: Mapping[tuple[int, int], QuestionResult],
) -> QuestionResult:
    """Return a result with the replies to the question it follows, where that one has no row."""
    repeat, place = key
    if questions[place].follows is None:
        return result
    first = followed_by(questions[place], questions)
    if questions[first].measures:
        return result
    return result._replace(
        answer=replace(result.answer, trace=results[repeat, first].answer.trace + result.answer.trace)
    )


def read_result(question: JudgeQuestion, answer: Answer) -> QuestionResult:
    return QuestionResult(answer, None if answer.value is None else question.read(answer.value))


def judgment_rows(
    record: Row,
    measures: Sequence[str],
    result: QuestionResult,
    repeat: int,
    scales: Mapping[str, Scale],
    found: str | None = None,
) -> list[Row]:
    """Return a row for each measure, the first with the replies; a value outside of its scale is a parse error."""
    rows: list[Row] = []
    judged = [None] * len(measures) if result.judged is None else result.judged
    for measure, verdict in zip(measures, judged, strict=True):
        value, note = (None, None) if verdict is None else verdict
        lowest, highest = scales[measure]
        row = judgment_row(record, measure, result.answer, value, note, repeat, found)
        if value is not None and not lowest <= value <= highest:
            reason = f"{measure} is {value}, outside of its scale {lowest:g}..{highest:g}"
            row |= {"value": None, "note": None, "status": "parse_error", "reason": reason}
        rows.append(row if not rows else row | {"replies": [], "found": None})
    return rows


def numbered_parts(rows: Iterable[Row]) -> list[Row]:
    """Number the values of a measure in each repeat of one answer, as `part`."""
    counted: Counter[tuple[int, str]] = Counter()
    found: list[Row] = []
    for row in rows:
        key = row["repeat"], row["question"]
        found.append(row | {"part": counted[key]})
        counted[key] += 1
    return found


def observe_answer(
    record: Row, checks: Sequence[Check], pictures: Pictures, scales: Mapping[str, Scale]
) -> Generator[Sequence[Conversation], list[Answer], list[Row]]:
    """Look at every picture, or text, of one answer and of its item; a row a measure."""
    rows: list[Row] = []
    made = [[part for part in record["answer"] if isinstance(part, Picture) == (one.of == "image")] for one in checks]
    parts = [[*its_own, *one.beside(pictures)] for one, its_own in zip(checks, made, strict=True)]
    asked = [[one.look(part) for part in all_of] for one, all_of in zip(checks, parts, strict=True)]
    answers = iter((yield [conversation for conversations in asked for conversation in conversations]))
    for one, its_own, all_of in zip(checks, made, parts, strict=True):
        found = [(part, next(answers)) for part in all_of]
        result = combined_result(one, found, len(its_own))
        kept = None if result.judged is None else findings_json([answer.value for _, answer in found[: len(its_own)]])
        rows += judgment_rows(record, one.measures, result, 0, scales, kept)
    return numbered_parts(rows)


def combined_result(check: Check, findings: Sequence[tuple[Part, Answer]], of_answer: int) -> QuestionResult:
    trace = tuple(step for _, answer in findings for step in answer.trace)
    if failed := next((answer for _, answer in findings if answer.value is None), None):
        return QuestionResult(Answer(failed.outcome, failed.model, trace), None)
    values = [PartFinding(part, answer.value) for part, answer in findings]
    model = findings[0][1].model if findings else ""  # nothing was looked at
    try:
        judged: Sequence[MeasuredValue] = check.read(values[:of_answer], values[of_answer:])
    except ValueError as error:
        return QuestionResult(Answer(Outcome("parse_error", reason=str(error)), model, trace), None)
    return QuestionResult(Answer(Outcome("ok", judged), model, trace), judged)


def findings_json(findings: Sequence[Any]) -> str:
    """Return what was found in each picture as JSON; of a vector only its length."""
    plain = [{"dimensions": one.size} if isinstance(one, np.ndarray) else one for one in findings]
    return orjson.dumps(plain, default=tuple).decode()
