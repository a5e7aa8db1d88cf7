"""The spec hash: another one for whatever changes what a score means, and for nothing else."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import pytest

from stages.asking.questions import Question
from stages.evaluation.defining.benchmark import Inquiry, Judged
from stages.evaluation.running.spec import spec_hash
from tests.fakes import ECHO, IDENTITY, Word


class Words(Word):
    words: int


def put(*prompts: str, question: Question = ECHO, fields: Mapping[str, str] | None = None) -> list[Any]:
    """Items with these prompts, each asked about in one question."""
    inquiry = Inquiry(question, fields or {}, ("echo",), lambda reply: [Judged(1)])
    return [(f"style/{number}", "style", prompt, [inquiry]) for number, prompt in enumerate(prompts)]


ITEMS = ("a red owl", "a blue car")
SPEC: dict[str, Any] = {"put": put(*ITEMS), "judge": IDENTITY, "settings": {"repeats": 1, "seed": 0}}


def test_the_same_whatever_the_order_of_keys() -> None:
    other = SPEC | {"judge": dict(reversed(IDENTITY.items())), "settings": {"seed": 0, "repeats": 1}}
    assert spec_hash(**SPEC) == spec_hash(**other)
    assert len(spec_hash(**SPEC)) == 16 and int(spec_hash(**SPEC), 16) >= 0


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"put": put(*ITEMS[:1])}, id="fewer items"),
        pytest.param({"put": put(*ITEMS)[::-1]}, id="other order"),
        pytest.param({"put": put("a red owl!", ITEMS[1])}, id="other words"),
        pytest.param({"put": put(*ITEMS, question=replace(ECHO, opening="Repeat!"))}, id="opening"),
        pytest.param({"put": put(*ITEMS, question=replace(ECHO, instruction="Again."))}, id="instruction"),
        pytest.param({"put": put(*ITEMS, question=replace(ECHO, reply=Words))}, id="reply"),
        pytest.param({"put": put(*ITEMS, question=replace(ECHO, name="other"))}, id="name"),
        pytest.param({"put": [(*item, asked * 2) for *item, asked in put(*ITEMS)]}, id="more questions"),
        pytest.param({"put": [(i, "other", *rest) for i, _, *rest in put(*ITEMS)]}, id="stratum"),
        pytest.param({"put": put(*ITEMS, fields={"checklist": "Is it red?"})}, id="fields"),
        pytest.param({"judge": IDENTITY | {"revision": "2"}}, id="revision"),
        pytest.param({"judge": IDENTITY | {"sampling": {"temperature": 0.5}}}, id="sampling"),
        pytest.param({"settings": {"repeats": 3, "seed": 0}}, id="repeats"),
    ],
)
def test_what_changes_it(changed: dict[str, Any]) -> None:
    assert spec_hash(**(SPEC | changed)) != spec_hash(**SPEC)
