"""The spec hash: another one for whatever changes what a score means, and for nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from stages.asking.material import enclosed
from stages.asking.questions import Question
from stages.evaluation.defining.editions import Item
from stages.evaluation.defining.inquiries import Inquiry, Judged, Put
from stages.evaluation.running.spec import Asked, spec_hash
from tests.evaluation.small_pictures import named, png
from tests.fakes import ECHO, IDENTITY, Word


class Words(Word):
    words: int


def put(*prompts: str, question: Question = ECHO, fields: Mapping[str, str] | None = None) -> list[Asked]:
    """Items with these prompts, each asked about in one question."""
    inquiry = Inquiry(question, fields or {}, ("echo",), lambda reply: [Judged(1)])
    return [
        Asked(Item(id=f"style/{number}", prompt=prompt), "style", Put((prompt,)), [inquiry])
        for number, prompt in enumerate(prompts)
    ]


ITEMS = ("a red owl", "a blue car")


def asked_about(**others: Any) -> Asked:
    """The first item, of whose answer the judge is shown other parts than the first picture."""
    [one] = put(ITEMS[0])
    shown = {"material": lambda answer, pictures: [*answer, *enclosed("right", ["2"])]} | others
    return one._replace(inquiries=[replace(one.inquiries[0], **shown)])


PICTURED = Item(id="style/0", prompt=ITEMS[0], images=named([png(1)]))
SPEC: dict[str, Any] = {"asked": put(*ITEMS), "judge": IDENTITY, "settings": {"repeats": 1, "seed": 0}}


def test_the_same_whatever_the_order_of_keys() -> None:
    other = SPEC | {"judge": dict(reversed(IDENTITY.items())), "settings": {"seed": 0, "repeats": 1}}
    assert spec_hash(**SPEC) == spec_hash(**other)
    assert len(spec_hash(**SPEC)) == 16 and int(spec_hash(**SPEC), 16) >= 0


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"asked": put(*ITEMS[:1])}, id="fewer items"),
        pytest.param({"asked": put(*ITEMS)[::-1]}, id="other order"),
        pytest.param({"asked": [put(ITEMS[0])[0]._replace(item=PICTURED), *put(*ITEMS)[1:]]}, id="a picture"),
        pytest.param({"asked": put("a red owl!", ITEMS[1])}, id="other words"),
        pytest.param({"asked": put(*ITEMS, question=replace(ECHO, opening="Repeat!"))}, id="opening"),
        pytest.param({"asked": put(*ITEMS, question=replace(ECHO, instruction="Again."))}, id="instruction"),
        pytest.param({"asked": put(*ITEMS, question=replace(ECHO, reply=Words))}, id="reply"),
        pytest.param({"asked": put(*ITEMS, question=replace(ECHO, name="other"))}, id="name"),
        pytest.param({"asked": [one._replace(inquiries=one.inquiries * 2) for one in put(*ITEMS)]}, id="more asked"),
        pytest.param({"asked": [one._replace(stratum="other") for one in put(*ITEMS)]}, id="stratum"),
        pytest.param({"asked": put(*ITEMS, fields={"checklist": "Is it red?"})}, id="fields"),
        pytest.param({"asked": [asked_about(material=lambda answer, pictures: enclosed("right", ["3"]))]}, id="shown"),
        pytest.param({"asked": [asked_about(), *put(*ITEMS)[1:]]}, id="what is shown of the answer"),
        pytest.param({"judge": IDENTITY | {"revision": "2"}}, id="revision"),
        pytest.param({"judge": IDENTITY | {"sampling": {"temperature": 0.5}}}, id="sampling"),
        pytest.param({"settings": {"repeats": 3, "seed": 0}}, id="repeats"),
    ],
)
def test_what_changes_it(changed: dict[str, Any]) -> None:
    assert spec_hash(**(SPEC | changed)) != spec_hash(**SPEC)


def test_which_answers_are_right_is_part_of_it() -> None:
    def spec(*reading: bool) -> str:
        return spec_hash([asked_about(reading=reading)], IDENTITY, {})

    assert len({spec(), spec(False), spec(True)}) == 3
