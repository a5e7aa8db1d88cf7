"""The spec hash: another one for whatever changes what a score means, and for nothing else."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from stages.evaluation.spec import spec_hash
from tests.fakes import ECHO, IDENTITY, Word


class Words(Word):
    words: int


@pytest.fixture
def edition(tmp_path: Path) -> Path:
    path = tmp_path / "v1.jsonl"
    path.write_text('{"id": "style/0"}\n')
    return path


def test_the_same_everywhere(edition: Path, tmp_path: Path) -> None:
    copy = tmp_path / "elsewhere.jsonl"
    copy.write_bytes(edition.read_bytes())
    hashes = {spec_hash(path, [ECHO], IDENTITY, {"a": 1, "b": 2}) for path in (edition, copy)}
    assert hashes == {spec_hash(edition, [ECHO], dict(reversed(IDENTITY.items())), {"b": 2, "a": 1})}


@pytest.mark.parametrize(
    "changed",
    [
        {"questions": [replace(ECHO, opening="Repeat!")]},
        {"questions": [replace(ECHO, instruction="Again.")]},
        {"questions": [replace(ECHO, reply=Words)]},
        {"questions": [replace(ECHO, name="other")]},
        {"questions": [ECHO, ECHO]},
        {"judge": IDENTITY | {"revision": "2"}},
        {"judge": IDENTITY | {"sampling": {"temperature": 0.5}}},
        {"settings": {"repeats": 3}},
    ],
    ids=str,
)
def test_what_changes_it(edition: Path, changed: dict[str, Any]) -> None:
    spec: dict[str, Any] = {"questions": [ECHO], "judge": IDENTITY, "settings": {"repeats": 1}}
    assert spec_hash(edition, **(spec | changed)) != spec_hash(edition, **spec)


def test_another_edition_changes_it(edition: Path) -> None:
    before = spec_hash(edition, [ECHO], IDENTITY, {})
    edition.write_text('{"id": "style/1"}\n')
    assert spec_hash(edition, [ECHO], IDENTITY, {}) != before
