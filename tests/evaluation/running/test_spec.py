"""The spec hash: another one for whatever changes what a score means, and for nothing else."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from stages.evaluation.running.spec import spec_hash
from tests.fakes import ECHO, IDENTITY, Word


class Words(Word):
    words: int


ITEMS = [["style/0", "a red owl"], ["style/1", "a blue car"]]
SPEC: dict[str, Any] = {"items": ITEMS, "questions": [ECHO], "judge": IDENTITY, "settings": {"repeats": 1, "seed": 0}}


def test_the_same_whatever_the_order_of_keys() -> None:
    other = SPEC | {"judge": dict(reversed(IDENTITY.items())), "settings": {"seed": 0, "repeats": 1}}
    assert spec_hash(**SPEC) == spec_hash(**other)
    assert len(spec_hash(**SPEC)) == 16 and int(spec_hash(**SPEC), 16) >= 0


@pytest.mark.parametrize(
    "changed",
    [
        pytest.param({"items": ITEMS[:1]}, id="fewer items"),
        pytest.param({"items": ITEMS[::-1]}, id="other order"),
        pytest.param({"items": [["style/0", "a red owl!"], ITEMS[1]]}, id="other words"),
        pytest.param({"questions": [replace(ECHO, opening="Repeat!")]}, id="opening"),
        pytest.param({"questions": [replace(ECHO, instruction="Again.")]}, id="instruction"),
        pytest.param({"questions": [replace(ECHO, reply=Words)]}, id="reply"),
        pytest.param({"questions": [replace(ECHO, name="other")]}, id="name"),
        pytest.param({"questions": [ECHO, ECHO]}, id="more questions"),
        pytest.param({"judge": IDENTITY | {"revision": "2"}}, id="revision"),
        pytest.param({"judge": IDENTITY | {"sampling": {"temperature": 0.5}}}, id="sampling"),
        pytest.param({"settings": {"repeats": 3, "seed": 0}}, id="repeats"),
    ],
)
def test_what_changes_it(changed: dict[str, Any]) -> None:
    assert spec_hash(**(SPEC | changed)) != spec_hash(**SPEC)
