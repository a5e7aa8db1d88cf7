"""What is asked about pictures: one opening before the picture, then all that is particular; who is given what."""

from __future__ import annotations

from typing import Any

import pytest

from gamut.asking.outcomes import Outcome
from gamut.asking.questions import Question
from gamut.asking.requests import Picture, Reply, fields_of
from gamut.dataset.shared.joins import table_of
from gamut.dataset.shared.visits import LOOKING
from gamut.tables.columns import Row
from gamut.tables.writing import TableWriter
from gamut.texts.chinese import quoted_words
from stages.dataset import (
    admit,
    align,
    annotate,
    categorize,
    examine,
    find_text,
    follow,
    mine_text,
    proofread,
    rewrite,
    safety,
    score,
    synthesize,
)
from tests import fakes
from tests.fakes import jpeg

PICTURE = Picture(b"\xff\xd8picture")
ABOUT_PICTURES: list[Question] = [
    examine.EXAMINE,
    score.SCORE,
    proofread.PROOFREADING,
    follow.FOLLOW,
    safety.SAFETY,
    align.ALIGN,
    find_text.FIND_TEXT,
    mine_text.MINE_TEXT,
    rewrite.REWRITE,
    annotate.GENERATION_CHAIN_OF_THOUGHT,
    *annotate.QUESTIONS.values(),
    *annotate.QUESTIONS_WITH_PROMPT.values(),
]
FIELDS = {
    "wanted": "OPEN",
    "prompt": "a sign",
    "caption": "a sign",
    "captions": "a: b",
    "transcription": "OPEN",
}


@pytest.mark.parametrize("question", ABOUT_PICTURES, ids=lambda question: question.name)
def test_whatever_is_asked_about_a_picture_begins_alike(question: Question) -> None:
    """So a server reads opening and picture once, and the record's fields come last."""
    request = question.about(FIELDS, [PICTURE]).request
    parts = request.messages[0].parts
    assert parts[:2] == (f"{LOOKING}\n", PICTURE) and parts[2] == f"{question.instruction}\n"
    assert all(isinstance(part, str) and part.endswith("\n") for part in parts[2:])
    assert fields_of(request) == FIELDS and len(parts) == (5 if question.example else 4)


@pytest.mark.parametrize("question", [score.SCORE, proofread.PROOFREADING], ids=lambda question: question.name)
def test_a_worked_reply_stands_behind_the_instruction_and_is_no_answer_of_a_model(question: Question) -> None:
    reply = question.example.splitlines()[-1]
    assert question.reply.model_validate_json(reply, strict=True)
    asked = question.about({"wanted": "OPEN"}, [PICTURE])
    assert asked.request.messages[0].parts[3] == f"{question.example}\n"
    assert asked.parse(f"As in the example: {reply}")[1] == (
        "the JSON object in the reply is quoted from what was asked about"
    )


@pytest.mark.parametrize(
    ("prompt", "transcription", "remark"),
    [
        ('a sign that says "FRESH BREAD"', "FRESH BREAD", None),
        ("a sign that says “Fresh Bread.”", "fresh\nbread, 3.50", None),  # case, marks and lines are no fault
        ('a door with "DON’T ENTER"', "DON'T ENTER", None),
        ('a sign that says "OPEN"', "REOPENING", "asked for and not read: OPEN"),
        ('signs "OPEN" and "24 HOURS"', "24 HOURS", "asked for and not read: OPEN"),
        ('signs "OPEN" and "24 HOURS"', "", "asked for and not read: OPEN, 24 HOURS"),
        ("a sign", "CLOSED", None),
    ],
)
def test_what_was_asked_for_and_is_not_read_is_remarked(prompt: str, transcription: str, remark: str | None) -> None:
    reply = proofread.Typography(reason="", transcription=transcription, contrast=9, letterforms=9, sense=9)
    asked = proofread.PROOFREADING.about({"wanted": "\n".join(quoted_words(prompt))})
    outcome = asked.next([Reply(reply.model_dump_json().encode())])
    assert isinstance(outcome, Outcome) and (outcome.status, outcome.reason) == ("ok", remark)


def write(folder: Any, schema: Any, rows: list[Row]) -> None:
    with TableWriter(table_of(folder), schema) as table:
        table.write("w-00000", rows)


@pytest.mark.parametrize("ask", [True, False])
def test_who_is_asked_is_given_the_prompt_or_its_quoted_words(project: Any, ask: bool) -> None:
    first, second = "w-00000000", "w-00000001"
    image = {"bytes": jpeg("red", (64, 64)), "path": None}
    prompts = {first: 'a shop "OPEN"', second: "a tree"}
    painted = [
        {"id": i, "prompt": text, "image": image, "status": "ok", "painted": True} for i, text in prompts.items()
    ]
    write("synthesize", synthesize.SCHEMA, painted)
    write("admit", admit.STEP.schema, [{"id": i, "admitted": i == first} for i in prompts])
    write("categorize", categorize.STEP.schema, [{"id": i, "text": True} for i in prompts])
    params = fakes.params(follow={"ask": ask})
    following, proofreading = follow.STEP.work(params), proofread.STEP.work(params)
    assert [row["prompt"] for row in following.records("w-00000")] == (['a shop "OPEN"'] if ask else [])
    assert following.total == int(ask) and following.shards == ["w-00000"]
    assert [row["wanted"] for row in proofreading.records("w-00000")] == ["OPEN", ""]
    [asked] = next(proofreading.visit({"id": second, "image": image, "wanted": ""}))
    assert fields_of(asked.request) == {"wanted": ""}
