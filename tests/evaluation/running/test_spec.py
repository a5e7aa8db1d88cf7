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
        {"items": ITEMS[:1]},
        {"items": ITEMS[::-1]},
        {"items": [["style/0", "a red owl!"], ITEMS[1]]},
        {"questions": [replace(ECHO, opening="Repeat!")]},
        {"questions": [replace(ECHO, instruction="Again.")]},
        {"questions": [replace(ECHO, reply=Words)]},
        {"questions": [replace(ECHO, name="other")]},
        {"questions": [ECHO, ECHO]},
        {"judge": IDENTITY | {"revision": "2"}},
        {"judge": IDENTITY | {"sampling": {"temperature": 0.5}}},
        {"settings": {"repeats": 3, "seed": 0}},
    ],
    ids=str,
)
def test_what_changes_it(changed: dict[str, Any]) -> None:
    assert spec_hash(**(SPEC | changed)) != spec_hash(**SPEC)
