"""A checklist: a judge says of each statement whether it holds of the answer, all in one call or each in its own."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, NamedTuple

from pydantic import BaseModel

from gamut.asking.questions import Question
from gamut.asking.requests import Modality
from gamut.evaluation.defining.measures import Scale
from gamut.evaluation.defining.questions import About, JudgeQuestion, MeasuredValue

VERDICTS = Scale(0, 1)
"""The scale of a measure that is a statement: 1 where it holds, 0 where it does not."""
NEEDED: Mapping[About, Sequence[Modality]] = {"text": ("text",), "image": ("image",), "consistency": ("text", "image")}
"""What an answer must have for a question about it to be judged."""
TAGS = tuple(about.capitalize() for about in NEEDED)


class Statement(NamedTuple):
    """A line of a checklist as a judge reads it, `[Image] …?`; where it is `inverted`, N speaks for the answer."""

    line: str
    about: About
    inverted: bool = False


def abouts_of(wanted: Sequence[Modality]) -> tuple[About, ...]:
    """Return what questions can be about where answers have these modalities."""
    return tuple(about for about, needed in NEEDED.items() if {*needed} <= {*wanted})


class Verdict(BaseModel):
    """What is said of one statement: the reason first, so that the verdict follows from it."""

    reason: str
    verdict: Literal["Y", "N"]


class NumberedVerdict(BaseModel):
    """The same of the line with this number, from 1."""

    question: int
    reason: str
    verdict: Literal["Y", "N"]


class Verdicts(BaseModel):
    """The reply: a verdict on every line, in the order of the lines."""

    verdicts: list[NumberedVerdict]


NUMBER = "question"  # the part of a verdict that is the line's number, as `checklist_fields` writes it


def checklist_fields(lines: Iterable[str]) -> dict[str, str]:
    """Return a request's fields with the lines of a checklist, numbered from 1."""
    return {"checklist": "\n".join(f"{number}. {line}" for number, line in enumerate(lines, 1))}


def count_mistake(reply: Verdicts, fields: Mapping[str, str]) -> str | None:
    """Return a complaint about a reply without exactly one verdict on each line, in the order of the lines."""
    wanted, numbers = range(1, len(fields["checklist"].splitlines()) + 1), [one.question for one in reply.verdicts]
    if numbers == [*wanted]:
        return None
    counts = Counter(numbers)
    wrong = [f"{one} has {counts[one] or 'none'}" for one in wanted if counts[one] != 1]
    wrong += [f"there is no {one}" for one in sorted(counts.keys() - {*wanted})]
    found = "; ".join(wrong) or f"the order is {', '.join(map(str, numbers))}"
    return f"verdicts: one is expected on each of 1 to {len(wanted)}, in order, with its number as `{NUMBER}`: {found}"


QUESTIONS_BY_TAG = """\
The questions of <checklist> stand one a line, each with its number and a tag in front. [Text] asks about the texts of \
the answer, [Image] about its pictures, [Consistency] whether its texts and pictures agree with each other. Decide \
about each question by itself, and literally: "Y" where it is to be answered with yes, else "N". Where the answer \
lacks what a question asks about, such as a picture, it shows and says nothing. An answer may be right and unlike the \
reference: what counts is the question.

Answer with a JSON object with the one key `verdicts`: a list with one object for each question, in their order, each \
with `question`, its number, `reason`, a short sentence that names what decided it, then `verdict`, "Y" or "N"."""
"""How a checklist of questions about answers of texts and pictures is put."""


def question_by_tag(name: str, opening: str) -> Question:
    return Question(name, opening, QUESTIONS_BY_TAG, Verdicts, count_mistake)


def read_verdicts(reply: Verdicts) -> Sequence[MeasuredValue]:
    return verdict_reader([False] * len(reply.verdicts))(reply)


def verdict_reader(inverted: Sequence[bool]) -> Callable[[Verdicts], Sequence[MeasuredValue]]:
    """Return a reader of verdicts: 1 for what speaks for the answer, which is N where a line is inverted."""

    def values_of(reply: Verdicts) -> Sequence[MeasuredValue]:
        both = zip(reply.verdicts, inverted, strict=True)
        return [MeasuredValue(float((one.verdict == "Y") != turned), one.reason) for one, turned in both]

    return values_of


def checklist_question(
    question: Question, measure: str, statements: Sequence[Statement], material: Callable[..., Sequence[Any]]
) -> JudgeQuestion:
    """Return what a judge is asked of all statements, and of each `apart` where the block says `judge.one_by_one`."""

    def about(some: Sequence[Statement]) -> JudgeQuestion:
        fields, measures = checklist_fields(one.line for one in some), (measure,) * len(some)
        read, needed = verdict_reader([one.inverted for one in some]), [NEEDED[one.about] for one in some]
        return JudgeQuestion(question, fields, measures, read, material, about=needed)

    return replace(about(statements), apart=lambda: [about([one]) for one in statements])
