"""A checklist: one question, a row a statement; what does not fit is no verdict."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

import pytest

from gamut.asking.outcomes import Outcome
from gamut.asking.requests import Chat, Reply, fields_of
from gamut.evaluation.defining.questions import MeasuredValue
from tests.evaluation.small_checklists import checklist

LIST = checklist({"count": "two red cars", "place": "a blue house"})


def said(*verdicts: str, numbers: Sequence[Any] = (1, 2, 3)) -> str:
    numbered = zip(numbers, verdicts, strict=False)
    return json.dumps({"verdicts": [{"question": n, "reason": f"because {v}", "verdict": v} for n, v in numbered]})


def ended(*replies: str) -> Outcome:
    """How the conversation ends with these replies, the last of which is said for ever."""
    conversation, had = LIST.question.about(LIST.fields), list[Reply]()
    while not isinstance(step := conversation.next(had), Outcome):
        had.append(Reply(replies[min(len(had), len(replies) - 1)].encode()))
    return step


def test_a_statement_is_a_line() -> None:
    assert fields_of(LIST.question.about(LIST.fields).request) == {"checklist": "1. two red cars\n2. a blue house"}
    assert LIST.measures == ("count", "place")


def test_verdicts_are_of_their_statements() -> None:
    assert LIST.read(ended(said("Y", "N")).value) == [MeasuredValue(1, "because Y"), MeasuredValue(0, "because N")]


@pytest.mark.parametrize(
    "text",
    [
        *(said("Y"), said("Y", "N", "Y"), said("Yes", "No"), "[]"),
        *(
            said("Y", "N", numbers=("1", "2")),
            '{"verdicts": [{"reason": "r", "verdict": "Y"}, {"reason": "r", "verdict": "Y"}]}',
        ),
    ],
)
def test_what_is_no_verdict_of_each_never_becomes_one(text: str) -> None:
    outcome = ended(text)
    assert (outcome.status, outcome.value) == ("parse_error", None) and outcome.reason
    assert ended(text, said("N", "Y")).status == "ok", "it is asked for once more"


@pytest.mark.parametrize(
    ("numbers", "found"),
    [((1, 1, 3), "1 has 2; 2 has none"), ((0, 1, 2), "3 has none; there is no 0"), ((1, 3, 2), "the order is 1, 3, 2")],
)
def test_verdicts_that_are_not_one_of_each_line_in_order_are_sent_back_with_what_is_wrong(
    numbers: Sequence[int], found: str
) -> None:
    """A list of the right length that skips one and doubles another would shift all verdicts between."""
    three = checklist(dict.fromkeys("abc", "red"))
    text = said(*"Y" * len(numbers), numbers=numbers)
    repair = three.question.about(three.fields).next([Reply(text.encode())])
    assert isinstance(repair, Chat)
    assert f"one is expected on each of 1 to 3, in order, with its number as `question`: {found}." in str(
        repair.messages[-1].parts[0]
    )
